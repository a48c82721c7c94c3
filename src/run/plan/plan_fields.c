/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists the fields of the plan, one row each: the option of `cupel run`, `replay` and `analyze`
 * with its limits, default and help, the limits of a plan from a record, and the name in the plan's
 * text. A new field is a member of struct plan and a row, here or beside the code of its part
 * (PLAN_FIELD_ROWS); rows of one group are adjacent. plan_check.c checks them.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/io.h"
#include "run/plan/internal.h"
#include "run/plan/plan_iozone_mode.h"

#define SHARES_LIMITS "--rwmixread and --percentage_random go from 0 to 100"
#define RATES_LIMITS  "--rate_iops and --speed cannot be that large, or negative"
#define MONITOR_LIMITS                                                                             \
    "--monitor-cost goes from 0 to 100 %, --monitor-rate from 0 to " STRING(MONITOR_RATE_MAX)

#define PERIOD_SECONDS_MIN 0.1
#define PERIOD_FIELD                                                                               \
    FIELD_AS(TIME, period_seconds, statistics.period_seconds), LIMITS(PERIOD_SECONDS_MIN, 86400),  \
        KEPT(0, 86400), .limits = "--interval goes from 0.1 to 86400 seconds"

static const struct option_row period_row = {PERIOD_FIELD};
static const struct option_row width_row = {
    FIELD_AS(TEXT, absolute_width, statistics.absolute_width)};

/* clang-format off */
#define ON_OFF_AUTO       OPTION_CHOICES({"auto", -1}, {"on", 1}, {"off", 0})
#define ENGINE_CHOICE(ops, name) , {name, 0}
#define MODE_CHOICE(name, ...)    {name, 0},

const struct option_row plan_fields_workload[] = {
    {FIELD(TEXT, target), .value = "."}, {FIELD(TEXT, section)}, {FIELD(TEXT, left_out)},
    {.key = "labels", .group = PLAN_LABEL, OPTION_LABEL(struct plan, labels)},
    {FIELD(CHOICE, pattern), .value = "random",
     .choices = OPTION_CHOICES({"sequential", PATTERN_SEQUENTIAL}, {"random", PATTERN_RANDOM},
                               {"backward", PATTERN_BACKWARD}, {"stride", PATTERN_STRIDE},
                               {"same", PATTERN_SAME})},
    {FIELD(SHARE, random_share), .value = "100%", LIMITS(0, 1), .limits = SHARES_LIMITS},
    {FIELD(SHARE, write_share), LIMITS(0, 1), .limits = SHARES_LIMITS},
    {FIELD(CHOICE, trims), .value = "none",
     .choices = OPTION_CHOICES({"none", TRIMS_NONE}, {"alone", TRIMS_ALONE},
                               {"before_writes", TRIMS_BEFORE_WRITES}, {"of_trace", TRIMS_OF_TRACE})},

    {FIELD(TEXT, mode), OPTION(WORKLOAD, "mode", "NAME"), .value_words = "none: --rw says it",
     .choices = OPTION_CHOICES(PLAN_MODE_ROWS(MODE_CHOICE){NULL, 0}),
     .help = "A test of IOzone's instead of --rw, with its pattern, its calls and the state of the "
             "file that it begins with: docs/sweep.md has a table. initialwrite and fwrite write a "
             "new file beside TARGET, which has no name and is gone at the end; fwrite and fread are "
             "buffered, the others direct unless --direct 0 is given."},
    {FIELD(SIZE, block_size), OPTION(WORKLOAD, "bs", "SIZE"), LIMITS(512, 64 << 20), .value = "4k",
     .limits = "a block has 512 bytes to 64 MiB",
     .help = "Bytes per I/O; with --direct 1 a multiple of the target's logical block."},
    {FIELD(UNSIGNED, iodepth), OPTION(WORKLOAD, "iodepth", "N"), LIMITS(1, IO_DEPTH_MAX), .value = "1",
     .help = "I/Os in flight per job."},
    {FIELD(UNSIGNED, batch), OPTION(WORKLOAD, "iodepth_batch_complete_min", "N"), LIMITS(1, IO_DEPTH_MAX), .value = "1",
     .help = "Completions that a job waits for before it issues as many requests: its I/Os in flight go "
             "down from --iodepth by N, and up again."},
    {FIELD(UNSIGNED, jobs), OPTION(WORKLOAD, "numjobs", "N"), LIMITS(1, PLAN_JOBS_MAX), .value = "1",
     .help = "Threads, each with a queue of its own."},
    {FIELD(UNSIGNED, entries), OPTION(WORKLOAD, "files", "N"), LIMITS(1, 10000000), .value = "10000",
     .help = "Files or folders of each job with --ioengine filecreate, filestat and the like: a pass is "
             "over when each had its request."},
    {0},
};

const struct option_row plan_fields_engine[] = {
    {FIELD(TEXT, engine), OPTION(ENGINE, "ioengine", "NAME"), .section = "How I/O is issued",
     .value = "auto", .choices = OPTION_CHOICES({"auto", 0} IO_BACKEND_ROWS(ENGINE_CHOICE)),
     .help = "sync has one I/O at a time (pread, pwrite), as have readwrite (read, write, lseek) and "
             "stdio (fread, fwrite: --direct 0 only); uring is io_uring; nvme and nvme-uring "
             "send NVMe commands past the block layer, one at a time and many; sg sends SCSI commands, through "
             "/dev/sgN where several are in flight; tcp is that of --net; "
             "filecreate, filestat, filedelete, dircreate, dirstat and dirdelete make, look at and remove "
             "--files in a scratch folder in TARGET, which is removed at the end; "
             "falloc allocates what it would read or write and punches holes where it would trim, ftruncate sets the "
             "file's size to the offset of each write; "
             "null issues none, which measures cupel itself; auto takes the best that works and says which."},
    {FIELD(SWITCH, direct), OPTION(ENGINE, "direct", "0|1"), .value = "1",
     .help = "Go past the page cache (O_DIRECT)."},
    {FIELD(CHOICE, sqpoll), OPTION(ENGINE, "sqpoll", "WHEN"), .value = "auto",
     .choices = ON_OFF_AUTO, .as_number = true,
     .help = "io_uring: a kernel thread takes requests without a system call, on a CPU of its own "
             "beside each worker's; auto is off."},
    {FIELD(PROCESSORS, sqpoll_cpus), OPTION(ENGINE, "sqthread_poll_cpu", "LIST"),
     .value_words = "beside each worker's",
     .help = "Processors for these threads of the kernel's, in turn: 0 or 0-3. No worker runs there."},
    {FIELD(CHOICE, iopoll), OPTION(ENGINE, "iopoll", "WHEN"), .value = "auto",
     .choices = ON_OFF_AUTO, .as_number = true,
     .help = "io_uring: ask the device for completions instead of waiting for interrupts; auto does "
             "so where the device has poll queues."},
    {FIELD(TEXT, script), OPTION(ENGINE, "null-script", "SCRIPT"), .words = WORDS_NULL_SCRIPT, .value_words = "no delays",
     .help = "Delays that the null engine plays, to test the statistics with: parts that add up "
             "(const:T, uniform:T,T, normal:T,T, lognormal:T,S, exp:T, ar1:T,T,PHI, bimodal:T,T,P, "
             "spike:T,P, ramp:T,T, queue:T, fail:P, short:P), joined by +; phases of them, each after "
             "its duration and @, joined by a semicolon. So 0.5s@const:200us; const:90us+exp:10us is a "
             "warm-up and a steady state."},
    {0},
};

const struct option_row plan_fields_timing[] = {
    {FIELD(RATE, rate_iops), OPTION(TIMING, "rate_iops", "RATE"),
     .section = "When requests are issued",
     LIMITS(0.01, 100e6), KEPT(0, 1e9), .limits = RATES_LIMITS,
     .value_words = "as fast as --iodepth lets",
     .help = "Requests per second of all jobs together, issued at instants of their own whether "
             "the target keeps up or not (open loop); response times begin at these instants. "
             "--iodepth is then 256 unless given: the most that may be in flight."},
    {FIELD(TEXT, arrival), OPTION(TIMING, "arrival", "KIND"), .words = WORDS_ARRIVALS, .value = "poisson",
     .help = "How requests arrive: uniform, poisson, normal[:SD], pareto[:SHAPE], burst[:N]. SD is "
             "the deviation over the mean gap, N the requests that come at once."},
    {FIELD(TEXT, phases), OPTION(TIMING, "phases", "LIST"), .value_words = "one rate all the time",
     .help = "Rates over time, measured once from begin to end: 5k:10s is a step, 1k-50k:30s a "
             "ramp, 20k/100ms/900ms:10s 20k on for 100 ms and off for 900 ms; joined by commas."},
    {FIELD(TEXT, think), OPTION(TIMING, "thinktime", "TIME"), .words = WORDS_PAUSES, .value_words = "none",
     .help = "Closed loop: how long each of --iodepth users waits after a completion before the "
             "next request: 1ms, exponential:1ms, uniform:2ms."},
    {FIELD(TEXT, address), OPTION(TIMING, "random_distribution", "KIND"), .words = WORDS_ADDRESSES, .value_words = "random",
     .help = "Where random requests go: random, zipf:THETA, pareto:H, hotspot:REGION/REQUESTS (as in "
             "10%/90%), zoned:60/10:40/90, streams:N, stride:[-]SIZE, strips:SIZE/GAP, walk:STEP; "
             "sequence:2,0,1 is these blocks again and again, sequence:2,0,1/3 each time 3 blocks further on."},
    {FIELD(TEXT, sizes), OPTION(TIMING, "bssplit", "LIST"), .value_words = "--bs alone",
     .help = "Several sizes with their weights, 4k/60:64k/40; after a comma those of writes, where "
             "reads have others: 4k,64k/50:1m/50."},
    {FIELD(TEXT, profile), OPTION(TIMING, "profile", "NAME|FILE|TEXT"), .words = WORDS_PROFILES,
     .value_words = "the options above",
     .help = "A whole workload: a known name, a text file, or the text itself (cupel help profile)."},
    {FIELD(FLAG, filament)},
    {FIELD(CHOICE, spin), OPTION(TIMING, "spin", "WHEN"), .value = "auto",
     .choices = OPTION_CHOICES({"auto", SPIN_AUTO}, {"always", SPIN_ALWAYS}, {"never", SPIN_NEVER}),
     .help = "How a worker waits for the next instant: auto sleeps until shortly before it and "
             "spins the rest, always spins all the time, never only sleeps, which is late."},
    {0},
};

const struct option_row plan_fields_trace[] = {
    {FIELD_AS(TEXT, trace, replay.trace)},
    {FIELD_AS(RATE, speed, replay.speed), .value = "1", LIMITS(0, 1e6), .limits = RATES_LIMITS},
    {FIELD_AS(FLAG, keep_order, replay.keep_order)},
    /* No command lists this row's group among its options, because each has a separate option
       --map, which also accepts devices of the trace. */
    {FIELD_AS(CHOICE, mapping, replay.mapping), OPTION(MAP, "map", "HOW"), .value = "wrap",
     .choices = OPTION_CHOICES({"wrap", MAP_WRAP}, {"fold", MAP_FOLD}, {"scale", MAP_SCALE},
                               {"none", MAP_NONE}),
     .help = "Where the trace's addresses go."},
    {FIELD_AS(SIZE, extent, replay.extent), OPTION(TRACE, "extent", "SIZE"),
     .value_words = "the extent that the trace states, or the end of its last request",
     .help = "Bytes of each device of the trace, for --map."},
    {FIELD_AS(FLAG, allow_writes, replay.allow_writes), OPTION(TRACE, "allow-writes", NULL),
     .help = "Issue writes, flushes and discards as such, which changes the target: --destroy, "
             "--destroy-serial or --overwrite is needed as well. Without it writes are issued as "
             "reads, and flushes and discards are left out."},
    {FIELD_AS(FLAG, skip_discards, replay.skip_discards), OPTION(TRACE, "skip-discards", NULL),
     .help = "Leave discards out in any case, as for a target that takes none."},
    {FIELD_AS(TEXT, level, replay.level), OPTION(TRACE, "level", "NAME"),
     .choices = OPTION_CHOICES({"block", 0}, {"syscall", 0}),
     .value_words = "what the trace holds, and block where it holds both",
     .help = "Of a trace of cupel record: requests to devices or system calls."},
    {FIELD_AS(FLAG, all_programs, replay.all_programs), OPTION(TRACE, "all-programs", NULL),
     .help = "Of a trace of cupel record -- CMD: also the requests to devices that processes other "
             "than the program's handed in, as the kernel does with what it wrote into the page "
             "cache. Without it they are left out and counted."},
    {FIELD_AS(TEXT, trace_format, replay.format), OPTION(TRACE, "trace-format", "NAME"), .words = WORDS_TRACE_FORMATS, .value_words = "by content",
     .help = "The format of the trace, where its content does not show it."},
    {FIELD_AS(TEXT, trace_columns, replay.columns), OPTION(TRACE, "columns", "LIST"),
     .value_words = "those of the format",
     .help = "The trace is any table, with these columns: time=1,op=3,offset=4,len=5,unit=us. A column "
             "is a number or its name in the first line: time, op, offset, len, device, response, "
             "process. unit=s, ms, us, ns or 100ns is that of time, unit=bytes, sectors or 4k that of "
             "offset and len (offset-unit, len-unit, response-unit: of one). read=1,write=0 are the words "
             "of operations, sep=comma, semicolon, tab, space or bar stands between columns, skip=N "
             "lines come first. disksim, mqsim, systor17 and vscsi are lists with these names."},
    {FIELD_AS(TEXT, trace_devices, replay.devices)}, {FIELD_AS(UNSIGNED, trace_begin_ns, replay.begin_ns)}, {FIELD_AS(FLAG, trace_own, replay.own)},
    {FIELD_AS(TEXT, trace_left_out, replay.left_out)},
    {FIELD_AS(FLAG, strict, replay.strict), OPTION(TRACE, "strict", NULL),
     .help = "End at the first event that cannot be read. Without it such events are left out and "
             "counted. A file is looked at whole before anything is issued."},

    {FIELD(FLAG, destroy), OPTION(SAFETY, "destroy", NULL), .section = "Safety",
     .help = "Permit writing to a block device, which destroys what it holds. It is refused all the "
             "same while the device is in use."},
    {FIELD(TEXT, destroy_serial), OPTION(SAFETY, "destroy-serial", "SERIAL"),
     .value_words = "nobody asks which disk it is",
     .help = "The same as --destroy, with proof: the device that was opened must be the disk with "
             "this serial number, or a partition of it, and no other disk may have the same."},
    {FIELD(FLAG, overwrite), OPTION(SAFETY, "overwrite", NULL),
     .help = "Permit writing to a regular file that cupel did not make."},
    {FIELD(FLAG, allow_unwritten), OPTION(SAFETY, "allow-unwritten", NULL),
     .help = "Measure a target all the same when it has holes or blocks that were never written; "
             "the report says so."},
    {FIELD(FLAG, allow_unseen), OPTION(SAFETY, "allow-unseen", NULL),
     .help = "Write to a target all the same where it cannot be seen whether another program has it "
             "open for writing: without root, in a container; the report says so."},

    /* The preset decides the values of other fields, unless they are given. */
    {FIELD_AS(TEXT, preset, statistics.preset), OPTION(STATISTICS, "preset", "NAME"), .section = "Statistics",
     .value = "normal", .choices = OPTION_CHOICES({"quick", 0}, {"normal", 0}, {"strict", 0}),
     .help = "How precise the result has to be: sets --ci, --min-samples, the minimum measuring "
             "time and, for --interval pilot, --autocorr at once to 20%, 30, 2s, 0.8 (quick); "
             "10%, 50, 5s, 0.2 (normal); 10%, 200, 30s, 0.1 (strict). Each of them can still be "
             "given. No precision counts as reached before 250 readings (--min-samples)."},
    {FIELD_AS(WIDTH, target_width, statistics.target_width), OPTION(STATISTICS, "ci", "WIDTH"), LIMITS(0.0001, 1), .value = "10%",
     KEPT(1e-6, 1), .limits = "a share above 0 and up to 1 is needed", .number = &width_row,
     .help = "Full width of the confidence interval over the mean that is enough, or half: +-5%. A "
             "width with a unit is absolute, and is that of the value with this unit: 2MB/s, 50us, 500IOPS."},
    {FIELD_AS(SHARE, confidence, statistics.confidence), OPTION(STATISTICS, "confidence", "SHARE"), LIMITS(0.5, 0.9999),
     KEPT(0.5, 0.999999), .value = "95%", .limits = "50 % to 99.99 % are possible",
     .help = "Confidence level of all intervals."},
    {FIELD_AS(SHARE, autocorrelation_limit, statistics.autocorrelation_limit), OPTION(STATISTICS, "autocorr", "LIMIT"), LIMITS(0.001, 1),
     .value = "0.2",
     .help = "With --interval pilot, readings are merged into subsessions until their lag-1 "
             "autocorrelation is within this limit. Other intervals have no such limit."},
    {FIELD_AS(UNSIGNED, minimum_subsessions, statistics.minimum_subsessions), OPTION(STATISTICS, "min-samples", "N"),
     LIMITS(2, 1000000), KEPT(0, UINT32_MAX), .value = "50",
     .help = "Least number of independent readings that a result has to rest on. It also takes 4 "
             "times as many readings, and 250, before any precision counts as reached. With "
             "--interval pilot it is the minimum number of subsessions, and nothing else."},
    {FIELD_AS(CHOICE, changepoint, statistics.changepoint), OPTION(STATISTICS, "changepoint", "METHOD"), .value = "pelt",
     .choices = OPTION_CHOICES({"pelt", CHANGEPOINT_PELT}, {"edm", CHANGEPOINT_EDM},
                               {"none", CHANGEPOINT_NONE}),
     .help = "How warm-up and other changes of level are found: pelt is robust to outliers and "
             "autocorrelation; edm does what Pilot does, for comparison; none looks for none."},
    {FIELD_AS(CHOICE, interval, statistics.interval), OPTION(STATISTICS, "interval", "METHOD|TIME"), .value = "spectral",
     .choices = OPTION_CHOICES({"spectral", INTERVAL_SPECTRAL}, {"pilot", INTERVAL_PILOT}),
     .number = &period_row,
     .help = "How the confidence interval is made: spectral from an autoregressive model of the "
             "readings; pilot by Pilot's subsession rule, for comparison: it then stops by Pilot's "
             "rule too, on --min-samples subsessions or more, without our allowance for stopping. "
             "A time, as in --interval 1s, is something else: the length of the intervals of "
             "percentiles over time (0.1 s or more); otherwise the shortest of 0.1, 0.2, 0.5, 1, 2 "
             "s ... in which the percentile asked for (p99, or that of --sla or --precise) has "
             "enough I/Os. Both may be given."},
    {PERIOD_FIELD},
    {0},
};

const struct option_row plan_fields_machine[] = {
    {FIELD(FLAG, cpus_given)},
    {FIELD_AS(FLAG, width_given, statistics.width_given)},
    {FIELD(PROCESSORS, cpus), OPTION(MACHINE, "cpus", "LIST"), .section = "The machine",
     .value_words = "those this process may use",
     .help = "Processors for the jobs, which are pinned to them in turn: 0-3,8."},
    {FIELD(PROCESSORS, numa_nodes), OPTION(MACHINE, "numa_cpu_nodes", "LIST"),
     .value_words = "that of the target, where it is known",
     .help = "NUMA nodes on whose processors the jobs run, in place of --cpus: 0-1."},
    {FIELD(TEXT, memory_policy), OPTION(MACHINE, "numa_mem_policy", "POLICY"),
     .value_words = "the node of the target, where it is known",
     .help = "Where the memory of the buffers comes from: local (to each job's processor), prefer:NODE, "
             "bind:NODES, interleave:NODES, or default, which leaves it to the kernel."},
    {FIELD(SWITCH, realtime), OPTION(MACHINE, "realtime", "0|1"), .value = "1",
     .help = "Ask for real-time priority; the report says when it was not permitted."},
    {FIELD(CHOICE, clock_gettime), OPTION(MACHINE, "clock", "NAME"), .value = "auto",
     .choices = OPTION_CHOICES({"auto", 0}, {"raw", 1}), .as_number = true,
     .help = "Time by the processor's cycle counter where it can be trusted (auto), or by "
             "clock_gettime (raw)."},

    {FIELD(SWITCH, measure_overhead), OPTION(OWN_COST, "overhead", "0|1"), .value = "1",
     .help = "Measure what cupel itself costs per I/O, in rounds of its own."},
    {FIELD(SWITCH, compare_block_layer), OPTION(OWN_COST, "block-layer", "0|1"), .value = "1",
     .help = "After a precise result with nvme-uring, measure the same through the block layer "
             "(uring) in separate, alternating rounds; the report states the cost."},
    {FIELD_AS(SHARE, monitor_cost, watch.cost), OPTION(MONITOR, "monitor-cost", "SHARE"), LIMITS(0, 0.5),
     KEPT(0, 1), .limits = MONITOR_LIMITS, .value = "1%",
     .help = "Watch the data path, the processors and sensors while measuring, as often as costs at most this share; "
             "the rate is found in rounds of its own, where 5 % of --limit is enough for them. 0 watches nothing."},
    {FIELD_AS(UNSIGNED, monitor_rate, watch.rate), OPTION(MONITOR, "monitor-rate", "N"), LIMITS(1, MONITOR_RATE_MAX),
     KEPT(0, MONITOR_RATE_MAX), .limits = MONITOR_LIMITS, .value_words = "found by what it costs",
     .help = "Watch this many times a second, at any cost."},
    {FIELD_AS(TEXT, graph, watch.graph), OPTION(MONITOR, "graph", "FILE"), .value_words = "none",
     .help = "Components that you add to the data path and to what is watched: sections [component NAME] with "
             "between = A..B, limit = 12 GB/s and counter = /sys/..., or a command. Files are read within --monitor-cost; "
             "commands of FILE run as you, in processes of their own. As root, FILE must be writable by root only."},
    {FIELD_AS(TEXT, remote, watch.remote), OPTION(MONITOR, "remote", "FILE"), .value_words = "none",
     .help = "Continue the data path of NFS, SMB, iSCSI or NVMe over Fabrics with the server's parts "
             "and their limits: FILE is what cupel probe --capture kept there."},
    {FIELD_AS(TEXT, remote_target, watch.remote_target), OPTION(MONITOR, "remote-target", "NAME"), .value_words = "the mount's",
     .help = "With --remote: the device, or the path, that holds the data on the server."},
    {FIELD(FLAG, history)},
    {FIELD_AS(FLAG, strict_bottleneck, watch.strict_bottleneck), OPTION(MONITOR, "strict-bottleneck", NULL),
     .help = "Undecided, exit status 5, clauses of --sla too, when another part than the target was the "
             "bottleneck (saturated 20 % of the time or more), or nothing was watched."},
    {FIELD(TEXT, completions), OPTION(EVIDENCE, "trace", "FILE"), .value_words = "none",
     .alone = PLAN_TRACE_IN_FOLDER,
     .help = "Write every request of the measured rounds as a trace, which replay and merge read: --trace=FILE, or "
             "--trace for trace.cupel in the folder of -o. What it costs is measured and reported."},
    {FIELD_AS(TEXT, governor, settings.governor), OPTION(SETTINGS, "governor", "NAME"), .words = WORDS_GOVERNORS,
     .section = "Settings changed for the time of the run, then restored",
     .value_words = "left alone",
     .help = "Frequency governor of all processors, such as performance."},
    {FIELD_AS(TEXT, scheduler, settings.scheduler), OPTION(SETTINGS, "scheduler", "NAME"), .words = WORDS_SCHEDULERS, .value_words = "left alone",
     .help = "I/O scheduler of the disks that the target lies on, or of the loop device that it is: "
             "none."},
    {FIELD_AS(CHOICE, cpu_idle_off, settings.cpu_idle_off), OPTION(SETTINGS, "cpu-idle", "off"), .value = "on",
     .choices = OPTION_CHOICES({"on", 0}, {"off", 1}), .as_number = true,
     .help = "off keeps all processors from sleeping, which costs wake-up time."},
    {FIELD_AS(FREQUENCY, frequency, settings.frequency), OPTION(SETTINGS, "frequency", "HZ"), LIMITS(1e6, 1e11), KEPT(0, 1e11),
     .limits = "--frequency goes from 1 MHz to 100 GHz", .value_words = "left alone",
     .help = "Hold all processors at this frequency, as in 2.1g: the ends of the range that their "
             "governor may use, and with --governor userspace the frequency itself."},
    {FIELD_AS(CHOICE, turbo, settings.turbo), OPTION(SETTINGS, "turbo", "WHEN"), .value = "unchanged",
     .choices = OPTION_CHOICES({"unchanged", TURBO_UNCHANGED}, {"on", TURBO_ON}, {"off", TURBO_OFF}),
     .help = "Allow frequencies above the nominal one, or not."},
    {FIELD_AS(SIZE, read_ahead, settings.read_ahead), OPTION(SETTINGS, "read-ahead", "SIZE"), LIMITS(1024, 1 << 30),
     KEPT(0, 1 << 30), .limits = "--read-ahead goes from 1 KiB to 1 GiB", .value_words = "left alone",
     .help = "How far the kernel reads ahead on the disks that the target lies on, which matters "
             "with --direct 0."},
    {FIELD_AS(UNSIGNED, nr_requests, settings.nr_requests), OPTION(SETTINGS, "nr-requests", "N"), LIMITS(1, 1000000),
     KEPT(0, 1000000), .value_words = "left alone",
     .help = "Requests that the queues of these disks hold."},
    {0},
};
/* clang-format on */

/* ---- all of them ---- */

static struct option_row all[PLAN_FIELDS_MAX + 1];

static void join_tables(void)
{
    static const struct option_row *const tables[] = {
#define ROW(name) plan_fields_##name,
        PLAN_FIELD_ROWS(ROW)
#undef ROW
            NULL};
    size_t count = 0; /* tests/unit/test_plan.c checks that there is room for all */
    for (const struct option_row *const *table = tables; *table; table++)
        for (const struct option_row *field = *table; field->key && count < PLAN_FIELDS_MAX;
             field++)
            all[count++] = *field;
}

/* Joins the tables at the first call; a thread that calls it meanwhile waits in a loop. It uses
   atomics only, so that a program with the library but without threads needs nothing of pthread. */
const struct option_row *plan_fields(void)
{
    enum { APART, JOINING, JOINED };
    static atomic_int state = APART;
    int expected = APART;
    if (atomic_compare_exchange_strong(&state, &expected, JOINING)) {
        join_tables();
        atomic_store(&state, JOINED);
    }
    while (atomic_load(&state) != JOINED) {
    }
    return all;
}

void plan_init(struct plan *p)
{
    struct err unused; /* tests/unit/test_options.c stores every default */
    *p = (struct plan){0};
    for (const struct option_row *field = plan_fields(); field->key; field++)
        if (field->value)
            option_store_value(field, field->value, p, &unused);
    plan_apply_preset(p, "normal", NULL);
}

const struct option_row *plan_field(const char *option)
{
    for (const struct option_row *field = plan_fields(); field->key; field++)
        if (field->name && !strcmp(field->name, option))
            return field;
    return NULL;
}
