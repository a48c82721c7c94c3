/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the workload of a plan whose requests have due times, from its profile or its options. */
#include <stdio.h>
#include <string.h>

#include "run/plan/plan.h"
#include "source/generator/profile.h"
#include "source/generator/workload_spec_text.h"

static int priorities_of_options(const struct plan *p, struct stream_spec *s, struct err *e)
{
    const uint16_t usual =
        priority_value(p->priority.some_class, p->priority.some_level, p->priority.some_hint);
    if (p->write_modes[0] && write_modes_parse(p->write_modes, s, e))
        return err_context(e, "--write_mode %s", p->write_modes);
    if (p->priority.by_size[0] && priorities_parse(p->priority.by_size, usual, s, e))
        return err_context(e, "--cmdprio_bssplit %s", p->priority.by_size);
    if (!p->priority.some[0])
        return 0;
    char text[2 * sizeof p->priority.some], *comma;
    snprintf(text, sizeof text, "any/%s", p->priority.some);
    if ((comma = strchr(text, ',')))
        snprintf(comma, sizeof text - (size_t)(comma - text), ",any/%s",
                 strchr(p->priority.some, ',') + 1);
    if (strpbrk(p->priority.some, "/:") || priorities_parse(text, usual, s, e))
        return err_set(e, ERR_USAGE,
                       "--cmdprio_percentage %s: a percentage of 0 to 100 is expected, or those of "
                       "reads and of writes: 20,0",
                       p->priority.some);
    return 0;
}

/* Reads the sizes of reads, writes and trims, separated by commas. A missing size is the same as
   the size before it. A plan with trims has the size of trims only. */
static int sizes_of_options(const struct plan *p, struct stream_spec *s, struct err *e)
{
    char text[sizeof p->sizes];
    snprintf(text, sizeof text, "%s", p->sizes);
    char *writes = strchr(text, ','), *trims = writes ? strchr(writes + 1, ',') : NULL;
    if (trims)
        *trims = '\0';
    if (p->trims == TRIMS_NONE)
        return sizes_parse(text, s, e);
    return sizes_parse(trims && trims[1]     ? trims + 1
                       : writes && writes[1] ? writes + 1
                                             : text,
                       s, e);
}

/* Makes the one stream that the options describe, over the whole region. */
static int stream_of_options(const struct plan *p, struct stream_spec *s, struct err *e)
{
    bool sequential = p->pattern == PATTERN_SEQUENTIAL;
    *s =
        (struct stream_spec){.name = "requests",
                             .kind = p->rate_iops > 0 || p->phases[0] ? STREAM_OPEN : STREAM_CLOSED,
                             .rate_share = 1,
                             .concurrency = p->iodepth * p->jobs, /* shared by the jobs */
                             .write_share = p->write_share,
                             .region_to = 1,
                             .sizes = {{p->block_size, 1}},
                             .size_count = 1};
    s->address.kind = sequential ? ADDRESS_SEQUENTIAL : ADDRESS_UNIFORM;
    if (!sequential && p->random_share < 1)
        s->sequential_share = 1 - p->random_share;
    if (p->arrival[0] && arrival_parse(p->arrival, &s->arrival, e))
        return err_context(e, "--arrival %s", p->arrival);
    if (p->think[0] && duration_parse(p->think, &s->think, e))
        return err_context(e, "--thinktime %s", p->think);
    if (p->address[0] && address_parse(p->address, &s->address, e))
        return err_context(e, "--random_distribution %s", p->address);
    if (p->sizes[0] && sizes_of_options(p, s, e))
        return err_context(e, "--bssplit %s", p->sizes);
    s->change = plan_change(p);
    for (unsigned i = 0; i < s->size_count && p->num_range > 1; i++)
        s->sizes[i].bytes *= p->num_range;
    return priorities_of_options(p, s, e);
}

/* Copies the phases of a profile into the plan, so that the record has them, too. */
static int keep_phases(struct plan *p, const struct phases *phases, struct err *e)
{
    size_t used = 0;
    p->phases[0] = '\0';
    for (unsigned i = 0; i < phases->count; i++) {
        const struct phase_spec *from = &phases->phase[i];
        char rate[80];
        if (from->on_ns)
            snprintf(rate, sizeof rate, "%.9g/%lluns/%lluns", from->rate_begin,
                     (unsigned long long)from->on_ns, (unsigned long long)from->off_ns);
        else if (from->rate_begin < from->rate_end || from->rate_begin > from->rate_end)
            snprintf(rate, sizeof rate, "%.9g-%.9g", from->rate_begin, from->rate_end);
        else
            snprintf(rate, sizeof rate, "%.9g", from->rate_begin);
        used += (size_t)snprintf(p->phases + used, sizeof p->phases - used, "%s%s:%.9gs",
                                 i ? "," : "", rate, (double)from->length_ns * 1e-9);
        if (used >= sizeof p->phases)
            return err_set(e, ERR_USAGE, "the profile %.60s has too many phases", p->profile);
    }
    return 0;
}

static bool is_closed(const struct workload_spec *spec)
{
    for (unsigned i = 0; i < spec->stream_count; i++)
        if (spec->streams[i].kind == STREAM_OPEN || spec->streams[i].kind == STREAM_TRANSACTION)
            return false;
    return true;
}

int plan_workload(struct plan *p, struct workload_spec *spec, struct err *e)
{
    memset(spec, 0, sizeof *spec);
    if (p->profile[0]) {
        if (profile_load(spec, p->profile, e))
            return -1;
    } else {
        spec->stream_count = 1;
        snprintf(spec->name, sizeof spec->name, "options");
        if (stream_of_options(p, &spec->streams[0], e))
            return -1;
    }
    if (p->phases[0]) {
        if (phases_parse(p->phases, &spec->phases, e))
            return err_context(e, "--phases %s", p->phases);
    } else if (p->rate_iops > 0) {
        spec->phases.count = 1;
        spec->phases.phase[0] =
            (struct phase_spec){.rate_begin = p->rate_iops, .rate_end = p->rate_iops};
    }
    bool has_length = spec->phases.count && phases_length(&spec->phases) > 0;
    if (!p->phases[0] && has_length && keep_phases(p, &spec->phases, e))
        return -1;
    if (!spec->phases.count && !is_closed(spec))
        return err_set(e, ERR_USAGE,
                       "the profile %.60s has no rate of its own: say --rate_iops or --phases",
                       p->profile);
    if ((p->phases[0] || p->rate_iops > 0) && is_closed(spec))
        return err_set(e, ERR_USAGE,
                       "the streams of the profile %.60s wait for completions and follow no rate: "
                       "leave --rate_iops and --phases out",
                       p->profile);
    if (p->phases[0] && !phases_length(&spec->phases))
        return err_set(e, ERR_USAGE, "--phases %s: the last phase needs a length as well",
                       p->phases);
    if (workload_spec_find_kinds(spec, e))
        return -1;
    request_kinds_write(&spec->kinds, p->kinds);
    p->block_size = workload_spec_largest(spec);
    bool writes = workload_spec_writes(spec), reads = workload_spec_reads(spec);
    if (p->profile[0])
        p->write_share = !writes ? 0 : reads ? 0.5 : 1;
    if (!writes && plan_shapes_data(p))
        return err_set(
            e, ERR_USAGE,
            "the profile %.60s only reads: options for the data of writes cannot be used with it",
            p->profile);
    return 0;
}
