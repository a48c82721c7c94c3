/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules between the options of a plan. */
#include "io/io.h"
#include "run/plan/option_rule.h"
#include "run/plan/plan.h"
#include "run/plan/plan_mode.h"

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

#define ONLY_READS "a workload that only reads has none"
#define TIMED      "find-rate @due-times"

const struct option_rule plan_rules[] = {
    ONE_OF("fsync fdatasync", "they are two kinds of the same flush"),
    EXCLUDES("fsync fdatasync", TIMED, "flushes follow the writes of a closed loop of one stream and size"),
    NEEDS("fsync fdatasync sync", "@writes", ONLY_READS),
    EXCLUDES("mode", TIMED, "a mode has requests of one size, one after the other"),
    EXCLUDES("offset_increment", "mode @action", "--offset_increment parts one file or device among the jobs"),

    EXCLUDES("iodepth_batch_complete_min", TIMED " mode", "batches are those of a closed loop of one size"),
    EXCLUDES("iodepth_batch_complete_min", "ioengine=null", "its requests complete at once"),

    NEEDS("atomic", "@writes", ONLY_READS),
    NEEDS("atomic", "direct=1", "the page cache splits writes"),
    EXCLUDES("atomic", "bssplit profile @traced", "atomic writes have one size"),

    NEEDS("write_mode", "@writes", ONLY_READS),
    EXCLUDES("write_mode", "@trims @traced profile mode zonemode", "these commands are sent as the writes of --rw write, "
             "randwrite, rw and randrw"),
    EXCLUDES("write_mode", "verify", "what these commands write carries no stamps"),
    EXCLUDES("write_mode", "cmdprio_percentage cmdprio_bssplit", "commands of NVMe have no priority"),

    NEEDS("zonesize max_open_zones zone_reset_threshold zone_reset_frequency read_beyond_wp", "zonemode=zbd",
          "it is about the zones of a zoned device"),
    NEEDS("max_open_zones zone_reset_threshold zone_reset_frequency", "@writes", ONLY_READS),
    NEEDS("zone_reset_threshold", "zone_reset_frequency", "one says when zones are reset early, the other how often"),
    NEEDS("zone_reset_frequency", "zone_reset_threshold", "one says how often zones are reset early, the other when"),
    NEEDS("zonemode", "direct=1", "out of the page cache writes come in no order"),
    EXCLUDES("zonemode", TIMED, "zones are written and read by a closed loop of one size"),
    EXCLUDES("zonemode", "verify", "zones are reset, and then hold nothing that could be read back"),
    EXCLUDES("zonemode", "offset_increment atomic", "jobs share the zones, and a write goes to a write pointer"),
    EXCLUDES("zonemode", "mode", "a mode is about a file"),

    NEEDS("num_range", "@trims-alone", "it is about trims of several ranges"),
    EXCLUDES("num_range", "trace", "an event of a trace has one range"),
    EXCLUDES("@trims", "mode", "a mode says itself which requests there are"),
    EXCLUDES("@trims", "zonemode", "zones are reset instead"),
    EXCLUDES("@trims", "atomic", "only writes are atomic"),
    EXCLUDES("@trims", "verify", "what was trimmed reads as anything"),
    EXCLUDES("@trims", "iopoll=on", "a trim cannot be polled for"),
    EXCLUDES("@trims", "cmdprio_percentage cmdprio_bssplit", "these priorities are those of reads and writes"),
    EXCLUDES("@trims-before-writes", TIMED, "a write follows its trim at once, in a closed loop of one size"),
    EXCLUDES("@trims-alone", "fsync fdatasync sync @shapes-data", "a workload that only trims writes no data: use --rw "
             "trimwrite or randtrimwrite"),

    EXCLUDES("@action", TIMED, "files are prepared before each pass, which requests with due times do not wait for"),
    EXCLUDES("@action", "mode trace fsync fdatasync sync @shapes-data", "requests of this engine move no bytes"),
    EXCLUDES("@without-data", "mode verify zonemode atomic sync @traced @shapes-data", "this engine moves no data"),

    NEEDS("sqthread_poll_cpu", "sqpoll=on", "it places the threads of the kernel that --sqpoll starts"),
    NEEDS("iopoll=on", "direct=1", "the page cache is not polled"),

    NEEDS("@shapes-data", "@may-write", ONLY_READS),
    EXCLUDES("zero_buffers", "buffer_compress_percentage dedupe_percentage buffer_pattern", "all data are zeros"),
    NEEDS("do_verify", "verify", "it leaves the reading to a later section"),
    EXCLUDES("verify", "@shapes-data", "stamps fill all data, and look like noise"),
    EXCLUDES("verify", "mode", "a mode makes files of its own and rewrites them: use --rw"),
    EXCLUDES("verify", "repeat find-rate", "what is read back was written by one session"),
    EXCLUDES("verify", "@traced", "a replay writes no stamps"),

    EXCLUDES("phases", "rate_iops", "phases have rates of their own"),
    EXCLUDES("thinktime", "rate_iops phases", "think times wait for completions, and rates do not"),
    EXCLUDES("profile", "thinktime random_distribution bssplit", "a profile has addresses, sizes and think times of its own"),
    NEEDS("random_distribution", "@random", "it says where random requests go"),
    EXCLUDES("random_distribution", "@partly-random", "requests that go on sequentially have no distribution"),

    ONE_OF("cmdprio_percentage cmdprio_bssplit", "one is about all sizes, the other about each"),
    NEEDS("cmdprio cmdprio_class cmdprio_hint", "cmdprio_percentage cmdprio_bssplit", "it is the priority of the requests that "
          "these choose"),
    EXCLUDES("profile", "cmdprio_percentage cmdprio_bssplit", "a profile has priorities of its own (its key priorities)"),
    NEEDS("@priorities", "direct=1", "requests through the page cache have no priority of their own"),

    ONE_OF("trace-format columns", "both say what the trace is"),
    EXCLUDES("phases @traced", "precise runtime", "phases and traces are measured once, from begin to end"),
    EXCLUDES("runtime", "precise", "both say when to end"),
    EXCLUDES("sla precise", "repeat", "this ends one session, and --repeat has several"),
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
    NEEDS("every", "repeat", "it is the time between the starts of its sessions"),
    NEEDS("arrival", "rate_iops phases find-rate", "it says how requests arrive at a rate"),
    EXCLUDES("profile", "arrival bs", "a profile says that itself"),
    EXCLUDES("runtime", "min-time", "--runtime is exact"),
    EXCLUDES("find-rate", "rate_iops phases thinktime sla precise runtime repeat", "a search runs sessions at rates of its own, "
             "until each is decided"),
    {0},
};
/* clang-format on */
