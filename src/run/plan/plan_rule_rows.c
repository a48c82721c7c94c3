/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the rules between the options of a plan, apart from those beside the code of their part. */
#include "io/io.h"
#include "run/plan/internal.h"
#include "run/plan/plan_iozone_mode.h"

/* ---- conditions ---- */

static bool writes(const struct plan *p)
{
    return p->write_share > 0;
}

static bool may_write(const struct plan *p)
{
    return p->write_share > 0 || p->profile[0] || plan_is_replay(p);
}

static bool is_random(const struct plan *p)
{
    return p->pattern == PATTERN_RANDOM;
}

static bool is_partly_random(const struct plan *p)
{
    return p->pattern == PATTERN_RANDOM && p->random_share < 1;
}

static bool trims(const struct plan *p)
{
    return p->trims != TRIMS_NONE;
}

static bool trims_alone(const struct plan *p)
{
    return p->trims == TRIMS_ALONE;
}

static bool trims_before_writes(const struct plan *p)
{
    return p->trims == TRIMS_BEFORE_WRITES;
}

static bool is_replay(const struct plan *p)
{
    return plan_is_replay(p);
}

static const char *replay_words(const struct plan *p)
{
    (void)p;
    return "a replay";
}

static bool is_action(const struct plan *p)
{
    return plan_action(p);
}

static bool is_without_data(const struct plan *p)
{
    return io_is_without_data(io_backend_by_name(p->engine));
}

static const char *engine_of(const struct plan *p)
{
    return p->engine;
}

/* clang-format off */
const struct plan_condition plan_conditions[] = {
    {"due-times", "--rate_iops, --phases and the like", plan_is_timed,
     .options = "rate_iops phases thinktime random_distribution bssplit profile cmdprio_percentage "
                "cmdprio_bssplit write_mode"},
    {"shapes-data", "--buffer_pattern, --zero_buffers and the like", plan_shapes_data,
     .options = "buffer_compress_percentage dedupe_percentage buffer_pattern zero_buffers"},
    {"settings", "--governor, --scheduler and other settings of the machine", plan_changes_settings,
     .options = "governor scheduler cpu-idle frequency turbo read-ahead nr-requests"},
    {"priorities", "a priority of single requests", plan_has_priorities,
     .options = "cmdprio_percentage cmdprio_bssplit"},
    {"writes", "writes (--rw)", writes, .option = "rw"},
    {"may-write", "writes (--rw)", may_write, .option = "rw"},
    {"random", "--rw randread, randwrite, randrw or randtrim", is_random, .option = "rw"},
    {"partly-random", "--percentage_random", is_partly_random, .options = "percentage_random"},
    {"trims", "--rw trim and the like", trims, .option = "rw", .typed = plan_pattern_name},
    {"trims-alone", "--rw trim or randtrim", trims_alone, .option = "rw", .typed = plan_pattern_name},
    {"trims-before-writes", "--rw trimwrite or randtrimwrite", trims_before_writes, .option = "rw",
     .typed = plan_pattern_name},
    {"action", "--ioengine filecreate, filestat and the like", is_action, .option = "ioengine",
     .typed = engine_of},
    {"without-data", "--ioengine falloc or ftruncate", is_without_data, .option = "ioengine",
     .typed = engine_of},
    {"traced", "", is_replay, .typed = replay_words},
    {0},
};

/* ---- rules ---- */

const struct option_rule plan_rules_workload[] = {
    EXCLUDES("iodepth_batch_complete_min", TIMED " mode", "batches are those of a closed loop of one size"),
    EXCLUDES("iodepth_batch_complete_min", "ioengine=null", "its requests complete at once"),
    {0},
};

const struct option_rule plan_rules_engine[] = {
    EXCLUDES("@action", TIMED, "files are prepared before each pass, which requests with due times do not wait for"),
    EXCLUDES("@action", "mode trace fsync fdatasync sync @shapes-data", "requests of this engine move no bytes"),
    EXCLUDES("@without-data", "mode verify zonemode atomic sync @traced @shapes-data", "this engine moves no data"),

    NEEDS("sqthread_poll_cpu", "sqpoll=on", "it places the threads of the kernel that --sqpoll starts"),
    NEEDS("iopoll=on", "direct=1", "the page cache is not polled"),
    {0},
};

const struct option_rule plan_rules_timing[] = {
    EXCLUDES("phases", "rate_iops", "phases have rates of their own"),
    EXCLUDES("thinktime", "rate_iops phases", "think times wait for completions, and rates do not"),
    EXCLUDES("profile", "thinktime random_distribution bssplit", "a profile has addresses, sizes and think times of its own"),
    NEEDS("random_distribution", "@random", "it says where random requests go"),
    EXCLUDES("random_distribution", "@partly-random", "requests that go on sequentially have no distribution"),
    {0},
};

const struct option_rule plan_rules_trace[] = {
    ONE_OF("trace-format columns", "both say what the trace is"),
    {0},
};

const struct option_rule plan_rules_machine[] = {
    ONE_OF("cpus numa_cpu_nodes", "both say where the jobs run"),
    EXCLUDES("strict-bottleneck graph", "monitor-cost=0", "with --monitor-cost 0 nothing is watched"),
    NEEDS("remote-target", "remote", "it names what holds the data there"),
    {0},
};

const struct option_rule plan_typed_rules[] = {
    NEEDS("autocorr", "interval=pilot", "spectral intervals take any autocorrelation into account and have no limit of it"),
    NEEDS("buffer_compress_chunk", "buffer_compress_percentage!=0", "it is the size in which data compress by that share"),
    NEEDS("dedupe_mode", "dedupe_percentage!=0", "it says which blocks are repeated"),
    NEEDS("dedupe_working_set_percentage", "dedupe_mode=working_set", "it is the size of that set"),
    EXCLUDES("monitor-rate", "monitor-cost=0", "with --monitor-cost 0 nothing is watched"),
    NEEDS("assume-memory", "sla", "it says when a clause may pass"),
    NEEDS("every", "repeat", "it is the time between the starts of its sessions"),
    NEEDS("arrival", "rate_iops phases find-rate", "it says how requests arrive at a rate"),
    EXCLUDES("profile", "arrival bs", "a profile says that itself"),
    EXCLUDES("runtime", "min-time", "--runtime is exact"),
    EXCLUDES("find-rate", "rate_iops phases thinktime sla precise runtime repeat", "a search runs sessions at rates of its own, "
             "until each is decided"),
    {0},
};
/* clang-format on */

const struct option_rule *const plan_rules[] = {
#define ROW(name) plan_rules_##name,
    PLAN_RULE_ROWS(ROW)
#undef ROW
        NULL};
