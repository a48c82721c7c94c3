/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How it was measured, as facts: what stands under "method" in every report. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/units.h"
#include "base/version.h"
#include "run/loop/timed_loop.h"
#include "run/session/internal.h"

static void add(struct session *s, const char *node, const char *key, const char *unit,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

static void add(struct session *s, const char *node, const char *key, const char *unit,
                const char *format, ...)
{
    char value[sizeof((struct fact *)0)->value];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    facts_add(&s->contents.settings, node, key, value, unit, "", FACT_OK);
}

/* Who measured, when and with what: a result that somebody signs has to say so. */
static void add_origin(struct session *s)
{
    char date[40] = "", command[160] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    add(s, "origin", "date", "", "%s", date);
    struct utsname name;
    if (!uname(&name))
        add(s, "origin", "host", "", "%s", name.nodename);
    add(s, "origin", "cupel", "", "%s", cupel_version);

    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(command, 1, sizeof command - 1, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i + 1 < n; i++)
        if (!command[i])
            command[i] = ' ';
    if (n)
        add(s, "origin", "command", "", "%s", command);
}

static void add_target(struct session *s)
{
    char real[PATH_MAX];
    static const char *const kinds[] = {[TARGET_FILE] = "file",
                                        [TARGET_BLOCK_DEVICE] = "block device",
                                        [TARGET_SCRATCH] = "scratch file",
                                        [TARGET_NVME_GENERIC] = "NVMe namespace"};
    char size[UNITS_BUFFER];
    bool null = s->target.fd < 0;
    const char *path = null ? s->target.path : realpath(s->target.path, real);
    add(s, "target", "target", "", "%s", path ? path : s->target.path);
    add(s, "target", "kind of target", "", "%s", null ? "none" : kinds[s->target.kind]);
    add(s, "target", "size of target", "", "%s",
        format_size(size, sizeof size, (double)s->target.size));
    if (!null)
        add(s, "target", "direct I/O", "", "%s",
            s->target.in_memory ? "the target is memory itself"
            : io_bypasses_block_layer(s->ops)
                ? "passthrough: the page cache and the block layer are bypassed"
            : s->target.direct ? "O_DIRECT: the page cache is bypassed"
                               : "no: the page cache takes part");
}

/* Of a namespace that is measured past the block layer: all that shapes its commands. */
static void add_namespace(struct session *s)
{
    const struct nvme_namespace *n = &s->target.nvme;
    static const char *const caches[] = {
        [NVME_CACHE_UNKNOWN] = "not known",
        [NVME_CACHE_ABSENT] = "there is none",
        [NVME_CACHE_OFF] = "off",
        [NVME_CACHE_ON] = "on",
    };
    char size[UNITS_BUFFER], most[UNITS_BUFFER], features[160];
    if (!io_bypasses_block_layer(s->ops))
        return;
    add(s, "namespace", "NVMe namespace", "", "%u of %s", n->nsid,
        n->generic_path[0] ? n->generic_path : s->target.path);
    add(s, "namespace", "LBA", "", "%u bytes%s", n->block_size,
        n->protection      ? ", with protection information that the controller makes and checks"
        : n->metadata_size ? ", with metadata that is moved as well"
                           : "");
    add(s, "namespace", "largest transfer", "", "%s by the controller (MDTS); commands of %s",
        n->mdts ? format_size(size, sizeof size, (double)n->mdts) : "no limit",
        format_size(most, sizeof most, (double)n->transfer_max));
    add(s, "namespace", "namespace features", "", "%s",
        nvme_namespace_features(n, features, sizeof features));
    add(s, "namespace", "volatile write cache", "", "%s", caches[n->write_cache]);
    add(s, "namespace", "poll queues", "", "%s", n->poll_queues ? "there are some" : "none");
}

static void add_backend(struct session *s)
{
    const struct worker *w = &s->group.workers[0];
    add(s, "backend", "backend", "", "%s", s->ops->name);
    add(s, "backend", "backend uses", "", "%s", w->backend.description);
    add(s, "backend", "backend chosen", "", "%s", s->chosen);
}

static void add_workers(struct session *s)
{
    char cpus[120] = "";
    size_t used = 0;
    for (unsigned i = 0; i < s->group.count && used + 8 < sizeof cpus; i++)
        used += (size_t)snprintf(cpus + used, sizeof cpus - used, "%s%d", i ? "," : "",
                                 s->group.workers[i].cpu);
    add(s, "workers", "workers", "", "%u", s->group.count);
    add(s, "workers", "pinned to CPU", "", "%s", cpus);
    add(s, "workers", "seed", "", "%llu", (unsigned long long)s->contents.plan.seed);
    if (s->group.workers[0].placement_note[0])
        contents_note(&s->contents, true, "%s", s->group.workers[0].placement_note);
}

static void add_statistics(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    static const char *const changepoints[] = {
        [CHANGEPOINT_PELT] = "pelt", [CHANGEPOINT_EDM] = "edm", [CHANGEPOINT_NONE] = "none"};
    static const char *const intervals[] = {
        [INTERVAL_SPECTRAL] = "spectral", [INTERVAL_PILOT] = "pilot"};
    add(s, "statistics", "preset", "", "%s", p->preset);
    add(s, "statistics", "precision", "",
        "full width %g %% of the mean, %g %% confidence, at least %u independent readings",
        p->target_width * 100, p->confidence * 100, p->minimum_subsessions);
    add(s, "statistics", "methods", "", "change points %s, interval %s",
        changepoints[p->changepoint], intervals[p->interval]);
}

void session_settings_before(struct session *s)
{
    add_origin(s);
    add_target(s);
    add_namespace(s);
    add_backend(s);
    add_workers(s);
    add_statistics(s);
}

static void add_clock(struct session *s)
{
    const struct clock *c = &s->clock;
    if (c->counter)
        add(s, "clock", "clock", "", "%s at %.6f MHz, within %.3f ppm; one reading costs %.1f ns",
            c->name, c->hertz * 1e-6, c->residual_ppm, c->cost_ns);
    else
        add(s, "clock", "clock", "", "%s (%s); one reading costs %.1f ns", c->name, c->why,
            c->cost_ns);
}

/* Did a timed loop? It decides that itself. */
static bool gave_back_priority(const struct session *s)
{
    for (unsigned i = 0; i < s->group.count; i++)
        if (s->group.workers[i].timed &&
            timed_statistics(&s->group.workers[i])->gave_back_priority > 0)
            return true;
    return false;
}

static void add_priority(struct session *s)
{
    const struct worker *w = &s->group.workers[0];
    bool wanted = s->contents.plan.realtime && w->realtime;
    const char *text =
        !s->contents.plan.realtime ? "not asked for"
        : !wanted                  ? "given up for SQPOLL, whose kernel thread it would starve"
        : !w->realtime_granted     ? "not permitted"
        : w->spins                 ? "given back: the workers never sleep and would be throttled"
        : gave_back_priority(s)
            ? "SCHED_FIFO 1; given back while workers could not sleep enough to keep it"
            : "SCHED_FIFO 1";
    add(s, "workers", "real-time priority", "", "%s", text);
    if (wanted && !w->realtime_granted)
        contents_note(&s->contents, false,
                      "no real-time priority (not permitted): other programs on the workers' "
                      "processors add to latencies");
}

static void add_rounds(struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    char slice[UNITS_BUFFER];
    if (m->slice_seconds > 0)
        add(s, "rounds", "slices", "", "%zu of %s; %llu were taken", m->slice_count,
            format_time(slice, sizeof slice, measurement_slice_seconds(m) * 1e9),
            (unsigned long long)m->original_slices);
}

static void add_overhead(struct session *s)
{
    const struct overhead *o = &s->contents.overhead;
    char on[UNITS_BUFFER], off[UNITS_BUFFER];
    if (!isnan(o->recorded_iops))
        add(s, "overhead", "cost of recording", "", "%s IOPS with, %s without: %+.2f %%, +-%.2f %%",
            format_count(on, sizeof on, o->recorded_iops),
            format_count(off, sizeof off, o->unrecorded_iops),
            (o->recorded_iops / o->unrecorded_iops - 1) * 100, o->noise_share * 100);
}

static void add_block_layer(struct session *s)
{
    const struct block_layer *b = &s->contents.block_layer;
    if (b->pairs > 0)
        add(s, "overhead", "cost of block layer", "",
            "%g pairs of like rounds through it (uring) and past it (nvme-uring)", b->pairs);
    else if (s->block_layer_why_not[0])
        add(s, "overhead", "cost of block layer", "", "%s", s->block_layer_why_not);
}

static void add_watching(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    char cost[UNITS_BUFFER];
    double sample = s->watch_samples ? s->watch_cpu_seconds / (double)s->watch_samples : 0;
    if (p->monitor_cost <= 0)
        add(s, "watching", "machine watched", "", "no");
    else if (s->watch_every_seconds > 0)
        add(s, "watching", "machine watched", "",
            "%.3g times a second; %s a sample, %.2f %% of one processor; "
            "%s",
            1 / s->watch_every_seconds, format_time(cost, sizeof cost, sample * 1e9),
            100 * sample / s->watch_every_seconds, s->watch_found);
    if (s->monitor.is_told)
        add(s, "watching", "bytes of target", "",
            "counted by this program: the kernel's statistics do not see passthrough, nor how busy "
            "the drive is");
}

void session_settings_after(struct session *s)
{
    add_clock(s);
    if (s->group_started) {
        add_priority(s);
        add_rounds(s);
        add_watching(s);
        session_timing_settings(s);
        s->contents.records_lost = group_records_lost(&s->group);
        s->contents.records_seen = s->group.collector->records;
    }
    add_overhead(s);
    add_block_layer(s);
}
