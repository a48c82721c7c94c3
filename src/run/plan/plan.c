/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a session: defaults, presets, checks of its values together, and its description in
   one line. */
#include "run/plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/io.h"
#include "tables/presets.h"

/* Every buffer of every job is locked memory: beyond this a plan is a typing error. */
#define BUFFERS_MAX (4ull << 30)

enum { DIRECT_ALIGNMENT = 512, BLOCK_SIZE_MIN = 512, BLOCK_SIZE_MAX = 16 << 20 };

int plan_apply_preset(struct plan *p, const char *name, struct err *e)
{
    for (size_t i = 0; i < PRESET_COUNT; i++) {
        const struct preset *preset = &presets[i];
        if (strcmp(preset->name, name) != 0)
            continue;
        snprintf(p->preset, sizeof p->preset, "%s", preset->name);
        p->target_width = preset->target_width;
        p->autocorrelation_limit = preset->autocorrelation_limit;
        p->minimum_subsessions = preset->minimum_subsessions;
        p->minimum_seconds = preset->minimum_seconds;
        return 0;
    }
    return err_set(e, ERR_USAGE, "there is no preset \"%.40s\": quick, normal and strict are known",
                   name);
}

void plan_init(struct plan *p)
{
    *p = (struct plan){
        .target = ".",
        .pattern = PATTERN_RANDOM,
        .random_share = 1,
        .block_size = 4096,
        .iodepth = 1,
        .jobs = 1,
        .seed = 1,
        .engine = "auto",
        .direct = true,
        .sqpoll = -1,
        .iopoll = -1,
        .changepoint = CHANGEPOINT_PELT,
        .interval = INTERVAL_SPECTRAL,
        .confidence = 0.95,
        .limit_seconds = 600,
        .realtime = true,
        .measure_overhead = true,
        .compare_block_layer = true,
        .monitor_cost = 0.01,
        .arrival = "poisson",
        .speed = 1,
    };
    plan_apply_preset(p, "normal", NULL);
}

bool plan_is_timed(const struct plan *p)
{
    return plan_is_replay(p) || p->rate_iops > 0 || p->phases[0] || p->think[0] || p->address[0] ||
           p->sizes[0] || p->profile[0];
}

bool plan_is_one_pass(const struct plan *p)
{
    return plan_is_replay(p) || p->phases[0];
}

static bool within(double value, double min, double max)
{
    return value >= min && value <= max;
}

/* The limits of single values hold for plans out of records as well, which no option parser saw. */
static int check_values(const struct plan *p, struct err *e)
{
    if (p->block_size < BLOCK_SIZE_MIN || p->block_size > BLOCK_SIZE_MAX)
        return err_set(e, ERR_USAGE, "--bs %u: a block has 512 bytes to 16 MiB", p->block_size);
    if (p->iodepth < 1 || p->iodepth > IO_DEPTH_MAX)
        return err_set(e, ERR_USAGE, "--iodepth %u: 1 to %d are possible", p->iodepth,
                       IO_DEPTH_MAX);
    if (p->jobs < 1 || p->jobs > PLAN_JOBS_MAX)
        return err_set(e, ERR_USAGE, "--numjobs %u: 1 to %d are possible", p->jobs, PLAN_JOBS_MAX);
    if (!within(p->write_share, 0, 1) || !within(p->random_share, 0, 1))
        return err_set(e, ERR_USAGE, "--rwmixread and --percentage_random go from 0 to 100");
    if (!within(p->target_width, 1e-6, 1))
        return err_set(e, ERR_USAGE, "--ci %g: a share above 0 and up to 1 is needed",
                       p->target_width);
    if (!within(p->confidence, 0.5, 0.9999))
        return err_set(e, ERR_USAGE, "--confidence %g: 50 %% to 99.99 %% are possible",
                       p->confidence);
    if (!within(p->autocorrelation_limit, 0.001, 1))
        return err_set(e, ERR_USAGE, "--autocorr %g: 0.001 to 1 are possible",
                       p->autocorrelation_limit);
    if (!within(p->minimum_seconds, 0, 1e9) || !within(p->limit_seconds, 0, 1e9))
        return err_set(e, ERR_USAGE, "--min-time and --limit go from 0 to 1000000000 seconds");
    const struct plan_repeat *repeat = &p->repeat;
    if (repeat->sessions > PLAN_SESSIONS_MAX || repeat->sessions == 1 ||
        (repeat->sessions ? repeat->index >= repeat->sessions : repeat->index > 0))
        return err_set(e, ERR_USAGE, "--repeat %u: 2 to %d sessions are possible", repeat->sessions,
                       PLAN_SESSIONS_MAX);
    if (!within(repeat->every_seconds, 0, 1e9) || !within(repeat->limit_seconds, 0, 1e12) ||
        !within(repeat->begin_seconds, 0, 1e12))
        return err_set(e, ERR_USAGE, "--every goes from 0 to 1000000000 seconds");
    if (!within(p->rate_iops, 0, 1e9) || !within(p->speed, 0, 1e6))
        return err_set(e, ERR_USAGE, "--rate_iops and --speed cannot be that large, or negative");
    if (!within(p->monitor_cost, 0, 1) || p->monitor_rate > MONITOR_RATE_MAX)
        return err_set(e, ERR_USAGE,
                       "--monitor-cost goes from 0 to 100 %%, --monitor-rate from 0 to %d",
                       MONITOR_RATE_MAX);
    return 0;
}

static int check_region(const struct plan *p, struct err *e)
{
    char block[UNITS_BUFFER], size[UNITS_BUFFER];
    format_size(block, sizeof block, p->block_size);
    if (p->direct && p->block_size % DIRECT_ALIGNMENT)
        return err_set(e, ERR_USAGE,
                       "--bs %u: with --direct 1 a block is a multiple of %d bytes; choose another "
                       "size or --direct 0",
                       p->block_size, DIRECT_ALIGNMENT);
    if (p->direct && p->offset % DIRECT_ALIGNMENT)
        return err_set(
            e, ERR_USAGE,
            "--offset %llu: with --direct 1 it is a multiple of %d bytes; choose another "
            "offset or --direct 0",
            (unsigned long long)p->offset, DIRECT_ALIGNMENT);
    if (p->size && p->size < p->block_size && !plan_is_replay(p))
        return err_set(e, ERR_USAGE, "--size %s is smaller than one block of %s (--bs)",
                       format_size(size, sizeof size, (double)p->size), block);
    if (p->size > UINT64_MAX / 2 || p->offset > UINT64_MAX / 2)
        return err_set(e, ERR_USAGE, "--offset and --size reach beyond the largest possible file");
    uint64_t buffers = (uint64_t)p->block_size * p->iodepth * p->jobs;
    if (buffers > BUFFERS_MAX)
        return err_set(e, ERR_USAGE,
                       "--bs x --iodepth x --numjobs makes %s of buffers; 4 GiB are possible",
                       format_size(size, sizeof size, (double)buffers));
    return 0;
}

static int check_engine(const struct plan *p, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(p->engine); /* NULL: auto */
    if (ops && ops->serial && p->iodepth > 1)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s has one I/O at a time, not --iodepth %u; use --ioengine "
                       "%s, or --numjobs %u with --iodepth 1",
                       p->engine, p->iodepth, ops->parallel, p->iodepth);
    if (ops && ops->bypasses_block_layer && !p->direct)
        return err_set(e, ERR_USAGE,
                       "--ioengine %s goes past the page cache, and --direct 0 through it: leave "
                       "one of them out",
                       p->engine);
    if (p->script[0] && !(ops && ops->takes_script))
        return err_set(e, ERR_USAGE, "--null-script goes with --ioengine null only, not with %s",
                       p->engine);
    bool can_poll = ops ? ops->can_poll : !strcmp(p->engine, "auto");
    if (!can_poll && (p->sqpoll == 1 || p->iopoll == 1))
        return err_set(e, ERR_USAGE,
                       "--%s on goes with --ioengine uring and nvme-uring only, not with %s",
                       p->sqpoll == 1 ? "sqpoll" : "iopoll", p->engine);
    if (p->iopoll == 1 && !p->direct)
        return err_set(e, ERR_USAGE, "--iopoll on needs --direct 1: the page cache is not polled");
    return 0;
}

static int check_timing(const struct plan *p, struct err *e)
{
    bool open = p->rate_iops > 0 || p->phases[0];
    if (!plan_is_timed(p) || plan_is_replay(p))
        return 0;
    if (p->rate_iops > 0 && p->phases[0])
        return err_set(e, ERR_USAGE, "--phases has the rates: --rate_iops does not go with it");
    if (p->think[0] && open)
        return err_set(e, ERR_USAGE,
                       "--thinktime waits for completions, --rate_iops and --phases do not: leave "
                       "one of them out");
    if (p->profile[0] && (p->think[0] || p->address[0] || p->sizes[0]))
        return err_set(e, ERR_USAGE,
                       "--profile has addresses, sizes and think times of its own: "
                       "--random_distribution, --bssplit and --thinktime do not go with it");
    if (p->address[0] && p->pattern != PATTERN_RANDOM)
        return err_set(e, ERR_USAGE,
                       "--random_distribution goes with --rw randread, randwrite and randrw only");
    if (p->address[0] && p->random_share < 1)
        return err_set(e, ERR_USAGE,
                       "--random_distribution and --percentage_random do not go together");
    return 0;
}

int plan_check(const struct plan *p, struct err *e)
{
    if (check_values(p, e) || check_region(p, e) || check_engine(p, e) || check_timing(p, e))
        return -1;
    if (p->pattern == PATTERN_SEQUENTIAL && p->random_share > 0)
        return err_set(e, ERR_USAGE,
                       "--percentage_random goes with randread, randwrite and randrw only");
    return 0;
}

/* The options that make a plan timed: ", 50k requests/s poisson". */
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
    if (p->address[0])
        snprintf(to + strlen(to), size - strlen(to), ", %s", p->address);
}

void plan_describe(const struct plan *p, char *to, size_t size)
{
    static const char *const patterns[2][3] = {{"read", "rw", "write"},
                                               {"randread", "randrw", "randwrite"}};
    char timing[160], speed[48] = "", block[UNITS_BUFFER], number[UNITS_BUFFER];
    char mix[32] = "", part[32] = "", where[2 * UNITS_BUFFER + 16] = "";
    describe_timing(p, timing, sizeof timing);
    if (plan_is_replay(p)) {
        if (!(p->speed > 0))
            snprintf(speed, sizeof speed, " as fast as possible");
        else if (p->speed < 1 || p->speed > 1)
            snprintf(speed, sizeof speed, " at %.4g times its speed", p->speed);
        snprintf(to, size, "replay of %.80s%s%s%s", p->trace, speed,
                 p->keep_order ? ", its dependencies kept" : "",
                 p->allow_writes ? "" : ", read only");
        return;
    }
    if (p->profile[0]) {
        snprintf(to, size, "profile %.80s%s, iodepth %u, %u %s", p->profile, timing, p->iodepth,
                 p->jobs, p->jobs == 1 ? "copy" : "copies");
        return;
    }
    int writes = p->write_share <= 0 ? 0 : p->write_share < 1 ? 1 : 2;
    if (writes == 1)
        snprintf(mix, sizeof mix, " (%.4g %% read)", (1 - p->write_share) * 100);
    if (p->pattern == PATTERN_RANDOM && p->random_share < 1)
        snprintf(part, sizeof part, " (%.4g %% random)", p->random_share * 100);
    if (p->size)
        snprintf(where, sizeof where, ", %s", format_size(number, sizeof number, (double)p->size));
    if (p->offset)
        snprintf(where + strlen(where), sizeof where - strlen(where), ", from %s",
                 format_size(number, sizeof number, (double)p->offset));
    snprintf(to, size, "%s%s%s %s%s, iodepth %u, %u %s%s%s",
             patterns[p->pattern == PATTERN_RANDOM][writes], mix, part,
             p->sizes[0] ? p->sizes : format_size(block, sizeof block, p->block_size), timing,
             p->iodepth, p->jobs, p->jobs == 1 ? "job" : "jobs", where,
             p->direct ? "" : ", buffered");
}

struct judge_config plan_judge_config(const struct plan *p, bool higher_is_better)
{
    return (struct judge_config){
        .changepoint = p->changepoint,
        .estimate = {.method = p->interval,
                     .confidence = p->confidence,
                     .autocorrelation_limit = p->autocorrelation_limit},
        .target_width = p->target_width,
        .minimum_subsessions = p->minimum_subsessions,
        .higher_is_better = higher_is_better,
        .stopping = true,
    };
}
