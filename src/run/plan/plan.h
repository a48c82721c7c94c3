/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plan: all choices of the user for one session, checked and complete.
 *
 * Plain data without pointers, written as text into the record (plan_write) and read back
 * (plan_read), so that `cupel report` judges a record exactly as the session did.
 */
#ifndef CUPEL_RUN_PLAN_PLAN_H
#define CUPEL_RUN_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "facts/labels.h"
#include "run/plan/option_row.h"
#include "source/generator/workload_spec.h"
#include "stat/judge.h"

/* How the timed loop waits for the next due instant: sleep and then spin; spin all the time, on a
   processor that no other thread uses; or only sleep. */
enum timed_spin { SPIN_AUTO, SPIN_ALWAYS, SPIN_NEVER };

/* How a trace's addresses are mapped (see run/replay/replay_source.h). */
enum replay_mapping { MAP_WRAP, MAP_FOLD, MAP_SCALE, MAP_NONE };

/*
 * The block that a copy repeats: the last one that is not a copy, or any block of a working set.
 */
enum plan_dedupe { DEDUPE_REPEAT, DEDUPE_WORKING_SET };
/* How files for writing are opened (--sync): O_SYNC or O_DSYNC. */
enum plan_sync { SYNC_NONE, SYNC_ALL, SYNC_DATA };

/* The operations that change the target: writes; only trims; or trims, each before a write of the
   same block. write_share is the share of all of them. */
enum plan_trims {
    TRIMS_NONE,
    TRIMS_ALONE,
    TRIMS_BEFORE_WRITES,
    TRIMS_OF_TRACE /* trims are the discards of a trace, beside its reads and writes */
};

enum plan_turbo { TURBO_UNCHANGED, TURBO_ON, TURBO_OFF };

/* Only modes use the last three patterns (plan_iozone_mode.h); loop/worker.h describes them. */
enum plan_pattern {
    PATTERN_SEQUENTIAL,
    PATTERN_RANDOM,
    PATTERN_BACKWARD,
    PATTERN_STRIDE,
    PATTERN_SAME
};

#define PLAN_CPUS_MAX    1024
#define PLAN_JOBS_MAX    256
#define MONITOR_RATE_MAX 50 /* samples per second: the session does not wake up more often */

/*
 * A session's place among several repeated ones (many/repeat/repeat.h). Zeros: it is not repeated.
 */
struct plan_repeat {
    uint32_t sessions; /* requested number; 0: no repeating */
    /* time from the start of one session to the next start; 0: each session follows the one before
       at once */
    double every_seconds;
    double limit_seconds; /* limit of all sessions together; 0: only that of each session */
    uint32_t index;       /* index of this session, from 0 */
    double begin_seconds; /* begin of this session, in seconds since the first session began */
    uint64_t id;          /* the same in all sessions of the series */
};

#define PLAN_SESSIONS_MAX 1000

/* Zoned devices (plan_zones.c). */
struct plan_zones {
    bool on;       /* --zonemode zbd: writes go to write pointers */
    uint64_t size; /* size that the device's zones must have, in bytes; 0: any */
    /* number of zones that are written to at a time; 0: as many as the device permits */
    uint32_t open_max;
    double reset_threshold, reset_frequency; /* shares; 0: only full zones are reset */
    bool read_beyond_wp;
};

/* The content of writes, if it is more than noise (plan_write_content.c,
 * io/target/write_content.h). */
struct plan_content {
    uint32_t compress_percent; /* percent of each chunk that are zeros, or the pattern */
    uint32_t compress_chunk;   /* length of a chunk in bytes; 0: one block */
    uint32_t dedupe_percent;   /* percent of the blocks that are copies of others */
    enum plan_dedupe dedupe_mode;
    uint32_t dedupe_working_set; /* size of the working set, in percent of the region */
    char pattern[128]; /* "0xff", "\"text\"", "-12", or several of these; "": no pattern */
    bool zeros;
};

/* Priorities of requests (plan_priorities.c, source/priority.h). */
struct plan_priorities {
    enum priority_class all_class; /* class of all requests that have no separate priority */
    int all_level;                 /* level in that class, plus 1; 0: not given */
    uint32_t all_hint;
    /* percent of the reads, or "READS,WRITES", that have another priority; "": none */
    char some[32];
    enum priority_class some_class; /* class of that other priority */
    uint32_t some_level, some_hint;
    /* shares by size, in words of source/generator/workload_spec_text.h; "": none */
    char by_size[256];
};

/* What is watched of the machine (run/parts/machine_watch.c). */
struct plan_watch {
    double cost;             /* highest cost of watching, as a share; 0: no watching */
    uint32_t rate;           /* samples per second; 0: as many as `cost` permits */
    char graph[1024];        /* file with the user's components of the data path; "": none */
    char remote[1024];       /* file with the capture of the server that holds the data (cupel
                                probe --capture); "": none */
    char remote_target[256]; /* device that holds the data there; "": as the mount says */
    bool strict_bottleneck;  /* the result is undecided if the bottleneck was not the disk */
};

/* Settings of the machine that are changed for the run; "": unchanged. */
struct plan_settings {
    char governor[32];
    char scheduler[32];
    int cpu_idle_off; /* 1: processors must not use deep sleep states */
    double frequency; /* frequency that processors are held at, Hz; 0: unchanged */
    enum plan_turbo turbo;
    uint64_t read_ahead;  /* read-ahead of the disks, bytes; 0: unchanged */
    uint32_t nr_requests; /* queue length of the disks; 0: unchanged */
};

/* Replay: the requests of a trace, in one pass (run/replay). */
struct plan_replay {
    char trace[1024]; /* path of the trace; "": not a replay */
    char format[16];  /* format of the trace; "": recognised by content */
    /* meaning of the columns of the trace, if it is a table without a known form; "": it has a
       known form */
    char columns[256];
    double speed;    /* factor of the trace's speed; 0: as fast as possible */
    bool keep_order; /* keep dependencies (closed) instead of times (open) */
    enum replay_mapping mapping;
    /* size in bytes of each device of the trace; 0: the size that the trace states */
    uint64_t extent;
    bool allow_writes;  /* false: writes are issued as reads */
    bool skip_discards; /* leaves discards out even if writes are allowed */
    bool strict;        /* the first bad event ends the replay */
    bool all_programs;  /* replay requests of programs that were not recorded, too */
    char level[16];     /* "block", "syscall"; "": the level that the trace has, or block */
    /* a part of the trace; other sessions replay the other parts (run/replay/replay_devices.h) */
    char devices[512];  /* names of its devices, separated by tabs; "": all of the trace */
    uint64_t begin_ns;  /* instant of the trace at which the replay of all parts begins */
    bool own;           /* leave out requests of programs that were not recorded */
    char left_out[192]; /* devices of the trace that are in no part, in words; "": none */
};

/* How rounds are judged (run/measurement). */
struct plan_statistics {
    char preset[16];
    enum changepoint_method changepoint;
    enum interval_method interval;
    double period_seconds; /* intervals of percentiles over time; 0: determined by the rate */
    double target_width;   /* requested full width over the mean */
    /* requested full width as typed with its unit, "2MB/s", until a command has converted it
       (plan_take_width); "": none */
    char absolute_width[24];
    /* true: the user requested this width or other widths; false: a preset did */
    bool width_given;
    double confidence;
    double autocorrelation_limit;
    uint32_t minimum_subsessions;
};

/* What ends a session. */
struct plan_ending {
    double minimum_seconds; /* minimum length of the measured rounds */
    double limit_seconds;   /* limit of the whole session */
    double runtime_seconds; /* exact length of the measured rounds; 0: until the interval is
                               narrow */
    char precise[256];      /* widths (facts/clause.h) that replace target_width; "": none */
    char sla[256];          /* limits (facts/clause.h); the session runs until all are decided;
                               "": none */
    bool stop_on_violation; /* the session ends as soon as a clause of sla fails */
    /* the assumption that every level comes at least once in this time: a clause passes only after
       a time in which one would have come (facts/result.h, result_clause); 0: nothing is assumed */
    double assumed_memory_seconds;
    /* confidence of all clauses of sla together; 0: that of plan_statistics */
    double sla_confidence;
    char find_rate[256]; /* limits of a search for the highest rate that keeps them
                            (repeat/find_rate.h). A probe has them in sla, too, and ends when the
                            first one is broken */
};

struct plan {
    char target[1024]; /* path as given; "." if none was given */

    char section[64];    /* section of the fio job file that the plan is from; "": not from one */
    char left_out[1024]; /* settings of the job file that are not supported, joined by "; " */

    struct labels labels; /* the user's labels (--label) */

    /* workload */
    char mode[16]; /* name of a mode (plan_iozone_mode.h), which set other fields; "": no mode */
    enum plan_pattern pattern;
    double random_share; /* share of random offsets in a mixed pattern, 0..1
                            (--percentage_random) */
    double write_share;  /* 0: only reads, 1: only writes (or trims) */
    enum plan_trims trims;
    uint32_t num_range;  /* number of ranges of each trim, each of block_size */
    uint32_t block_size; /* bytes */
    uint32_t iodepth;    /* per job */
    uint32_t batch;      /* completions that a job waits for before it issues requests */
    uint32_t jobs;       /* threads (--numjobs) */
    /* number of a job's writes before a flush, with metadata or without; 0: no flushes. At most one
       of the two is above 0 */
    uint32_t fsync, fdatasync;
    enum plan_sync sync;
    bool atomic;               /* writes are done completely or not at all (RWF_ATOMIC) */
    uint64_t offset;           /* begin of the region, in bytes */
    uint64_t size;             /* size of the region; 0: to the end of the target */
    uint64_t offset_increment; /* bytes from a job's region to the next job's; 0: all jobs share
                                  one region */
    uint64_t entries;          /* files or folders of each job, for backends that make them */

    struct plan_zones zones;
    uint64_t seed;
    char engine[16];  /* name of a backend, or auto */
    char script[256]; /* delays of the null backend */
    bool direct;
    int sqpoll, iopoll; /* -1 auto, 0 off, 1 on (uring, nvme-uring) */
    /* processors of the kernel's polling threads, in turn; none: next to the workers' processors */
    uint64_t sqpoll_cpus[PLAN_CPUS_MAX / 64];

    struct plan_content content;
    bool verify; /* writes carry stamps (io/readback/verify_ledger.h) */
    /* with `verify`: the writes are read back at the end; false: a later section of a job file does
       that */
    bool do_verify;

    /* a workload with due times (plan_is_timed): when requests are issued, and which */
    double rate_iops; /* requests per second of all jobs together; 0: see phases */
    /* such as "poisson"; this and the next four are in words of
       source/generator/workload_spec_text.h */
    char arrival[32];
    char phases[512];   /* rates over time, one pass; "": always rate_iops */
    char think[64];     /* closed loop: pause after each completion; "": no pause */
    char address[512];  /* addresses of random requests; "": uniform */
    char sizes[512];    /* several request sizes; "": block_size */
    char profile[3072]; /* name, file or text of a workload profile; "": the options above */
    /* requests come from a program that uses the library (callback_stream.h), which does not need a
       report of the machine */
    bool filament;
    enum timed_spin spin;

    struct plan_priorities priority;
    /* commands that NVMe engines send as writes, and their shares; "": ordinary writes */
    char write_modes[64];
    char kinds[REQUEST_KINDS_TEXT]; /* kinds of requests that are kept apart (plan_workload) */

    struct plan_replay replay;

    /* options about safety */
    bool destroy, overwrite, allow_unwritten, allow_unseen;
    char destroy_serial[1024]; /* like destroy, but only for the disk with this serial number;
                                  "": none. For several targets one each, separated by commas */

    struct plan_statistics statistics;
    struct plan_ending ending;
    struct plan_repeat repeat;

    /* the machine */
    bool cpus_given;
    uint64_t cpus[PLAN_CPUS_MAX / 64];       /* processors for the workers, as a bit mask */
    uint64_t numa_nodes[PLAN_CPUS_MAX / 64]; /* only processors of these nodes; none: of all
                                                nodes */
    char memory_policy[64];                  /* text for plan_memory_policy; "": near the target */
    bool realtime;                           /* ask for real-time priority */
    bool measure_overhead;                   /* measure the cost of measuring, in extra rounds */
    bool compare_block_layer; /* after nvme-uring, measure the same workload through the block
                                 layer */
    bool clock_gettime;       /* do not use the cycle counter */
    struct plan_watch watch;
    char completions[1024]; /* file of the trace to write (--trace); "": none;
                               PLAN_TRACE_IN_FOLDER: trace.cupel beside the record */
    /* the prediction of the session before this one is checked (run/history/history.h) */
    bool history;

    struct plan_settings settings;
};

#define PLAN_TRACE_IN_FOLDER "."

struct io_action;

/* Groups of fields that commands list together among their options. */
enum plan_group {
    PLAN_WORKLOAD = 1,
    PLAN_REGION,
    PLAN_ZONES,
    PLAN_ENGINE,
    PLAN_DATA,
    PLAN_TIMING,
    PLAN_TRACE,
    PLAN_MAP,
    PLAN_SAFETY,
    PLAN_STATISTICS,
    PLAN_DURATION,
    PLAN_ENDING,
    PLAN_SLA,
    PLAN_FIND_RATE,
    PLAN_REPEAT,
    PLAN_MACHINE,
    PLAN_OWN_COST,
    PLAN_EVIDENCE,
    PLAN_MONITOR,
    PLAN_SETTINGS,
    PLAN_LABEL
};

/* Returns all fields of struct plan, in the order of its text; a NULL key ends the table. */
#define PLAN_FIELDS_MAX 200
const struct option_row *plan_fields(void);

/* Returns the field that --`option` sets, or NULL. */
const struct option_row *plan_field(const char *option);

/* Sets the defaults, which include the preset `normal`. */
void plan_init(struct plan *p);

/* Sets the statistics options that the named preset decides. ERR_USAGE: no such preset. */
int plan_apply_preset(struct plan *p, const char *name, struct err *e);

/* plan_mask_has returns true if the processor is in the bit mask, plan_mask_is_empty if none is. */
static inline bool plan_mask_has(const uint64_t mask[PLAN_CPUS_MAX / 64], unsigned cpu)
{
    return cpu < PLAN_CPUS_MAX && mask[cpu / 64] >> cpu % 64 & 1;
}
bool plan_mask_is_empty(const uint64_t mask[PLAN_CPUS_MAX / 64]);

/* Checks for combinations of options that make no sense. Errors: ERR_USAGE. */
int plan_check(const struct plan *p, struct err *e);
int plan_check_ending(const struct plan *p, struct err *e); /* part of plan_check: --sla and other
                                                               endings */

/* Returns true if writes hold anything but noise. */
bool plan_shapes_data(const struct plan *p);

/* Reads the bytes of buffer_pattern. ERR_USAGE: the text is not a pattern; the message has the
   column. */
struct data_pattern {
    unsigned char bytes[256];
    unsigned count;
};
int plan_pattern_of_data(const struct plan *p, struct data_pattern *to, struct err *e);

/* Reads the NUMA policy of memory_policy, and checks combinations. Errors: ERR_USAGE. */
enum memory_kind {
    MEMORY_NEAR, /* near the target, if its node is known; used if nothing else is requested */
    MEMORY_DEFAULT,
    MEMORY_LOCAL, /* near each worker's processor; the policies after this one name nodes */
    MEMORY_PREFER,
    MEMORY_BIND,
    MEMORY_INTERLEAVE
};
struct memory_policy {
    enum memory_kind kind;
    bool all; /* all existing nodes */
    uint64_t nodes[PLAN_CPUS_MAX / 64];
};
int plan_memory_policy(const struct plan *p, struct memory_policy *to, struct err *e);

/* Describes the data: ", 50 % of the data compresses"; "" for noise. Returns `to`. */
char *plan_describe_data(const struct plan *p, char *to, size_t size);

/* Returns the number of a job's writes from one flush to the next; 0: there are no flushes. */
static inline uint32_t plan_flush_every(const struct plan *p)
{
    return p->fsync ? p->fsync : p->fdatasync;
}
/* Returns the command of all requests that are not reads, for plans without kinds of requests:
   trims or writes. */
static inline uint8_t plan_change(const struct plan *p)
{
    return p->trims == TRIMS_ALONE ? REQUEST_TRIM : REQUEST_WRITE;
}
/* Returns true if data are written, not only trims. */
static inline bool plan_writes_data(const struct plan *p)
{
    return p->write_share > 0 && request_sends_data(plan_change(p));
}
/* Returns the bytes of each request of a closed loop. */
static inline uint32_t plan_request_bytes(const struct plan *p)
{
    return p->block_size * (p->num_range ? p->num_range : 1);
}

/* A plan is timed if its requests have due times: the timed loop (run/loop/timed_loop.h) issues
   them. */
static inline bool plan_is_replay(const struct plan *p)
{
    return p->replay.trace[0];
}
bool plan_is_timed(const struct plan *p);

/* ---- the region of each job (plan_region.c) ---- */

/* Returns the distance in bytes from the begin of the first job's region to that of this job; 0:
   all jobs share one region. */
uint64_t plan_region_begin(const struct plan *p, unsigned job);
/* Returns the number of jobs that share a region: all of them, or 1. */
unsigned plan_jobs_of_region(const struct plan *p);
/* Returns the bytes from the begin of the first job's region to the end of the last one's. `region`
   is the size of one job's region in bytes. */
uint64_t plan_regions_extent(const struct plan *p, uint64_t region);
/* Checks that regions begin at multiples of `unit` bytes after the first one. `what` names the unit
   in messages, as in "its logical block". Errors: ERR_USAGE. */
int plan_check_region_unit(const struct plan *p, const char *target, uint32_t unit,
                           const char *what, struct err *e);
/* Sets the bytes of a job's region in a target of `size` bytes; a request has `smallest` bytes or
   more. ERR_USAGE: the region does not fit. */
int plan_find_region(const struct plan *p, const char *target, uint64_t size, uint64_t smallest,
                     uint64_t *region, struct err *e);

/* Returns the operations (facts/operation.h) whose completions are counted, as a bit set. */
unsigned plan_operations(const struct plan *p);

/* Length of requests that move no bytes, because each request needs a length. */
#define PLAN_ACTION_BYTES 512

/* Returns the action of requests that move no bytes (io.h), or NULL if they move bytes. */
const struct io_action *plan_action(const struct plan *p);
/* Returns true if requests cover bytes; those of a plan_action and of ftruncate cover none. */
bool plan_has_bytes(const struct plan *p);
/* Returns text such as "file creations/s"; "": the rate is IOPS. */
const char *plan_rate_title(const struct plan *p);

/* Returns true for trims that reach every block of the region once before any is trimmed again, in
   order or not. */
bool plan_trims_in_order(const struct plan *p);

/* Returns true if the plan is measured once from begin to end, not until an interval is narrow:
   phases, replays, and trims, because trimmed blocks have nothing to free. */
bool plan_is_one_pass(const struct plan *p);

/* Returns true if the plan is measured until the interval of the headline is as narrow as
   target_width. */
bool plan_has_precision(const struct plan *p);

/*
 * Makes the workload of a timed plan that is not a replay, and sets the values of the plan that
 * follow from it: the longest request as block_size, and write_share if there are writes. Errors:
 * ERR_USAGE.
 */
int plan_workload(struct plan *p, struct workload_spec *spec, struct err *e);

/* Returns the priority of --prioclass, --prio and --priohint together; 0: none. */
uint16_t plan_priority(const struct plan *p);
/* Returns true if any request has a priority other than the thread's, or if several commands are
   sent as writes. */
static inline bool plan_has_kinds(const struct plan *p)
{
    return p->priority.some[0] || p->priority.by_size[0] || p->write_modes[0] || p->kinds[0];
}
/* Returns true if single requests have separate priorities. */
static inline bool plan_has_priorities(const struct plan *p)
{
    return plan_has_kinds(p) && !p->write_modes[0];
}
/* Returns the kinds of requests that are measured separately; count 0: there are none. */
struct request_kinds plan_request_kinds(const struct plan *p);

/* Returns the pattern as --rw names it: "randread". */
const char *plan_pattern_name(const struct plan *p);

/* Describes the workload: "randread 4 KiB, iodepth 32, 2 jobs". */
void plan_describe(const struct plan *p, char *to, size_t size);

/* Write and read the plan as "key=value" lines. Unknown keys of a newer version are ERR_USAGE. */
void plan_write(const struct plan *p, struct text *out);
void plan_write_field(const struct plan *p, const struct option_row *field, struct text *out);
int plan_read(struct plan *p, const char *lines, size_t length, struct err *e);

/* Returns true if the plan changes a setting of the machine. */
bool plan_changes_settings(const struct plan *p);

/* Returns the confidence that no clause of --sla is decided wrongly. */
double plan_sla_confidence(const struct plan *p);

/*
 * Converts an absolute width of --ci, if one was given, to a width of the metric that has its unit,
 * as --precise would request it. ERR_USAGE: no metric has this unit, or the session does not end by
 * a single width.
 */
int plan_take_width(struct plan *p, struct err *e);
/* Refuses an absolute width of --ci, where no value has a unit. Errors: ERR_USAGE. */
int plan_refuse_width(const struct plan *p, struct err *e);

/* Returns the configuration for `judge` from the plan. */
struct judge_config plan_judge_config(const struct plan *p, bool higher_is_better);

#endif
