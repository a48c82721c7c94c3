/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a plan's workload in one line. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/io.h"
#include "run/plan/internal.h"
#include "run/plan/plan_iozone_mode.h"
#include "source/generator/profile.h"

enum { ADDRESS_SHOWN = 60 };

/* Writes "profile tpc-b", or for a profile given as text the names of its streams: "streams oltp,
   backup". */
static void describe_profile(const char *profile, char *to, size_t size)
{
    static const char head[] = "[stream ";
    size_t used = 0;
    if (!profile_is_text(profile)) {
        snprintf(to, size, "profile %.80s", profile);
        return;
    }
    for (const char *at = strstr(profile, head); at && used < size; at = strstr(at, head)) {
        at += sizeof head - 1;
        used += (size_t)snprintf(to + used, size - used, "%s%.*s", used ? ", " : "streams ",
                                 (int)strcspn(at, "];\n"), at);
    }
}

/* Describes the options that make a plan timed: ", 50k requests/s poisson". */
static void describe_timing(const struct plan *p, char *to, size_t size)
{
    char rate[UNITS_BUFFER];
    *to = '\0';
    if (p->rate_iops > 0)
        snprintf(to, size, ", %s requests/s%s%s", format_count(rate, sizeof rate, p->rate_iops),
                 p->profile[0] ? "" : " ", p->profile[0] ? "" : p->arrival);
    if (p->phases[0])
        snprintf(to, size, ", phases %.60s%s%s", p->phases, p->profile[0] ? "" : " ",
                 p->profile[0] ? "" : p->arrival);
    if (p->think[0])
        snprintf(to, size, ", think time %s", p->think);
    if (p->address[0]) {
        bool is_long = strlen(p->address) > ADDRESS_SHOWN;
        snprintf(to + strlen(to), size - strlen(to), ", %.*s%s", ADDRESS_SHOWN, p->address,
                 is_long ? "..." : "");
    }
}

/* Describes how writes reach the medium: ", O_DSYNC, atomic". */
static void describe_writes(const struct plan *p, char *to, size_t size)
{
    static void (*const words[])(const struct plan *p, char *to, size_t size) = {
#define ROW(name) plan_words_##name,
        PLAN_WORDS_ROWS(ROW)
#undef ROW
    };
    *to = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i](p, to + strlen(to), size - strlen(to));
}

/* Describes the priorities of requests: ", priority be/4, 20 % with rt/0". */
static void describe_priorities(const struct plan *p, char *to, size_t size)
{
    char words[PRIORITY_WORDS];
    *to = '\0';
    if (plan_priority(p))
        snprintf(to, size, ", priority %s", priority_words(plan_priority(p), words));
    size_t used = strlen(to);
    if (p->priority.some[0])
        snprintf(to + used, size - used, ", %s %% with priority %s", p->priority.some,
                 priority_words(priority_value(p->priority.some_class, p->priority.some_level,
                                               p->priority.some_hint),
                                words));
    if (p->priority.by_size[0])
        snprintf(to + used, size - used, ", priorities %.60s", p->priority.by_size);
    if (p->write_modes[0])
        snprintf(to + used, size - used, ", writes are %.60s", p->write_modes);
}

static int amount_of_writes(const struct plan *p)
{
    return p->write_share <= 0 ? 0 : p->write_share < 1 ? 1 : 2;
}

const char *plan_pattern_name(const struct plan *p)
{
    static const char *const names[2][5] = {
        {"read", "rw", "write", "trim", "trimwrite"},
        {"randread", "randrw", "randwrite", "randtrim", "randtrimwrite"}};
    const bool by_option = p->trims != TRIMS_NONE && p->trims != TRIMS_OF_TRACE;
    const int amount = by_option ? 2 + (int)p->trims : amount_of_writes(p);
    return names[p->pattern == PATTERN_RANDOM][amount];
}

/* Writes text such as "file deletions, 10k files of 4 KiB for each of 4 jobs". */
static void describe_action(const struct plan *p, const struct io_action *action, char *to,
                            size_t size)
{
    char count[UNITS_BUFFER], bytes[UNITS_BUFFER], of[UNITS_BUFFER + 4] = "";
    if (p->size)
        snprintf(of, sizeof of, " of %s", format_size(bytes, sizeof bytes, (double)p->size));
    snprintf(to, size, "%ss, %s entries%s for %s%u job%s", action->name,
             format_count(count, sizeof count, (double)p->entries), of,
             p->jobs == 1 ? "" : "each of ", p->jobs, p->jobs == 1 ? "" : "s");
}

/* Describes the region: ", 1 GiB a job, from 4 GiB", or nothing. */
static void plan_words_region(const struct plan *p, char *to, size_t size)
{
    char number[UNITS_BUFFER];
    size_t used = 0;
    *to = '\0';
    if (p->size)
        used =
            (size_t)snprintf(to, size, ", %s", format_size(number, sizeof number, (double)p->size));
    if (p->num_range > 1)
        used += (size_t)snprintf(to + used, size - used, ", %u ranges each", p->num_range);
    if (p->offset_increment)
        used += (size_t)snprintf(to + used, size - used, "%s",
                                 p->size ? " a job" : ", each in a region of its own");
    if (p->offset)
        snprintf(to + used, size - used, ", from %s",
                 format_size(number, sizeof number, (double)p->offset));
}

void plan_describe(const struct plan *p, char *to, size_t size)
{
    const struct io_action *action = plan_action(p);
    if (action) {
        describe_action(p, action, to, size);
        return;
    }
    char timing[160], data[80], speed[48] = "", block[UNITS_BUFFER];
    char mix[32] = "", part[32] = "", where[2 * UNITS_BUFFER + 56] = "", priorities[128];
    char flush[64];
    describe_writes(p, flush, sizeof flush);
    describe_timing(p, timing, sizeof timing);
    plan_describe_data(p, data, sizeof data);
    describe_priorities(p, priorities, sizeof priorities);
    if (plan_is_replay(p)) {
        if (!(p->replay.speed > 0))
            snprintf(speed, sizeof speed, " as fast as possible");
        else if (p->replay.speed < 1 || p->replay.speed > 1)
            snprintf(speed, sizeof speed, " at %.4g times its speed", p->replay.speed);
        snprintf(to, size, "replay of %.80s%s%s%s", p->replay.trace, speed,
                 p->replay.keep_order ? ", its dependencies kept" : "",
                 p->replay.allow_writes ? "" : ", read only");
        return;
    }
    if (p->filament) {
        snprintf(to, size, "requests of a program, up to %s, iodepth %u, %u %s",
                 format_size(block, sizeof block, p->block_size), p->iodepth, p->jobs,
                 p->jobs == 1 ? "copy" : "copies");
        return;
    }
    if (p->profile[0]) {
        char profile[100] = "";
        describe_profile(p->profile, profile, sizeof profile);
        snprintf(to, size, "%s%s, iodepth %u, %u %s%s%s", profile, timing, p->iodepth, p->jobs,
                 p->jobs == 1 ? "copy" : "copies", priorities, data);
        return;
    }
    const struct plan_mode *mode = plan_mode_of(p);
    if (mode && mode->requests == MODE_BY_JOB)
        snprintf(mix, sizeof mix, " (%u of %u jobs write%s)", p->jobs / 2, p->jobs,
                 p->jobs / 2 == 1 ? "s" : "");
    else if (amount_of_writes(p) == 1)
        snprintf(mix, sizeof mix, " (%.4g %% read)", (1 - p->write_share) * 100);
    if (p->pattern == PATTERN_RANDOM && p->random_share < 1)
        snprintf(part, sizeof part, " (%.4g %% random)", p->random_share * 100);
    plan_words_region(p, where, sizeof where);
    if (p->zones.on)
        snprintf(where + strlen(where), sizeof where - strlen(where), ", by zones");
    snprintf(to, size, "%s%s%s %s%s%s, iodepth %u, %u %s%s%s%s%s",
             p->mode[0] ? p->mode : plan_pattern_name(p), mix, part,
             p->sizes[0] ? p->sizes : format_size(block, sizeof block, p->block_size), timing,
             flush, p->iodepth, p->jobs, p->jobs == 1 ? "job" : "jobs", where, priorities,
             p->direct ? "" : ", buffered", data);
}
