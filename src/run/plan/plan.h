/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plan: everything the user chose for one session, checked and complete.
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
#include "generator/workload_spec.h"
#include "run/plan/option_row.h"
#include "stat/judge.h"

/* How the timed loop waits for the next due instant: sleep, then spin; spin all the time, the
   processor is ours; sleep only. */
enum timed_spin { SPIN_AUTO, SPIN_ALWAYS, SPIN_NEVER };

/* What becomes of a trace's addresses: see replay/replay_source.h. */
enum replay_mapping { MAP_WRAP, MAP_FOLD, MAP_SCALE, MAP_NONE };

/* Which earlier block a copy has the data of: the one before that is no copy, any of a working set.
 */
enum plan_dedupe { DEDUPE_REPEAT, DEDUPE_WORKING_SET };
/* How what is written is opened (--sync): O_SYNC, O_DSYNC. */
enum plan_sync { SYNC_NONE, SYNC_ALL, SYNC_DATA };

/* What changes the target: writes; trims and no writes; or trims, each of them before a write of
   the same block. write_share is the share of all three. */
enum plan_trims { TRIMS_NONE, TRIMS_ALONE, TRIMS_BEFORE_WRITES };

enum plan_turbo { TURBO_UNCHANGED, TURBO_ON, TURBO_OFF };

/* The last three are those of a mode alone (plan_mode.h); loop/worker.h says where they go. */
enum plan_pattern {
    PATTERN_SEQUENTIAL,
    PATTERN_RANDOM,
    PATTERN_BACKWARD,
    PATTERN_STRIDE,
    PATTERN_SAME
};

#define PLAN_CPUS_MAX    1024
#define PLAN_JOBS_MAX    256
#define MONITOR_RATE_MAX 50 /* samples per second: the session wakes up no more often */

/* A session's place among several over time (run/repeat/repeat.h). Zeros: it stands alone. */
struct plan_repeat {
    uint32_t sessions;    /* how many are asked for; 0: no repeating */
    double every_seconds; /* from start to start; 0: one after the other */
    double limit_seconds; /* of all of them together; 0: none but that of each */
    uint32_t index;       /* of this one, from 0 */
    double begin_seconds; /* of this one, since the first began */
    uint64_t id;          /* the same in all of them */
};

#define PLAN_SESSIONS_MAX 1000

struct plan {
    char target[1024]; /* path as given; "." when none was */

    char section[64];    /* of a fio job file that this is; "": none */
    char left_out[1024]; /* what of it is not honoured, joined by "; " */

    struct labels labels; /* what a person says of it (--label) */

    /* workload */
    char mode[16]; /* name of a mode (plan_mode.h), which decided other fields; "": none */
    enum plan_pattern pattern;
    double random_share; /* of random offsets in a mixed pattern, 0..1 (--percentage_random) */
    double write_share;  /* 0: read only, 1: write only (or trim) */
    enum plan_trims trims;
    uint32_t num_range;  /* of each trim: so many ranges of block_size */
    uint32_t block_size; /* bytes */
    uint32_t iodepth;    /* per job */
    uint32_t jobs;       /* threads (--numjobs) */
    /* after so many writes of a job a flush, with metadata or without; 0: none. Not both. */
    uint32_t fsync, fdatasync;
    enum plan_sync sync;
    bool atomic;               /* writes are done whole or not at all (RWF_ATOMIC) */
    uint64_t offset;           /* where the region begins, bytes */
    uint64_t size;             /* of the region; 0: to the end of the target */
    uint64_t offset_increment; /* bytes from a job's region to that of the next; 0: all have one */
    uint64_t entries;          /* files or folders of each job, of backends that make them */

    /* zoned devices (plan_zones.c) */
    bool zones;              /* --zonemode zbd: writes go to write pointers */
    uint64_t zone_size;      /* that the device must have, bytes; 0: as it says */
    uint32_t max_open_zones; /* that are written to at a time; 0: as many as the device permits */
    double zone_reset_threshold, zone_reset_frequency; /* shares; 0: full zones alone are reset */
    bool read_beyond_wp;

    uint64_t seed;
    char engine[16];  /* a backend by its name, or auto */
    char script[256]; /* null backend's delays */
    bool direct;
    int sqpoll, iopoll;                       /* -1 auto, 0 off, 1 on (uring, nvme-uring) */
    uint64_t sqpoll_cpus[PLAN_CPUS_MAX / 64]; /* of the kernel's threads, in turn; none: beside the
                                                 workers' */

    /* what writes hold, where it is more than noise: io/target/write_content.h */
    uint32_t compress_percent; /* of each chunk: zeros, or the pattern */
    uint32_t compress_chunk;   /* bytes; 0: a block */
    uint32_t dedupe_percent;   /* of the blocks: copies of others */
    enum plan_dedupe dedupe_mode;
    uint32_t dedupe_working_set; /* percent of the region */
    char buffer_pattern[128];    /* "0xff", "\"text\"", "-12", or several of these; "": none */
    bool zero_buffers;
    bool verify;    /* writes carry stamps (readback/ledger.h), and are read back at the end, ... */
    bool do_verify; /* ... if this is true as well; else by a later section of a job file */

    /* when requests are issued, and which: a workload with due times (plan_is_timed) */
    double rate_iops;   /* requests per second of all jobs together; 0: see phases */
    char arrival[32];   /* "poisson": words of generator/workload_spec_text.h, as the next four */
    char phases[512];   /* rates over time, one pass; "": rate_iops all the time */
    char think[64];     /* closed loop: the pause after each completion; "": none */
    char address[512];  /* where random requests go; "": uniform */
    char sizes[512];    /* several sizes; "": block_size */
    char profile[3072]; /* name, file or text of a workload profile; "": the options above */
    /* requests are those of a program that uses the library (filament.h), which is not interested
       in the machine */
    bool filament;
    enum timed_spin spin;

    /* priorities (generator/priority.h) */
    enum priority_class priority_class; /* of all requests that have none of their own */
    int priority_level;                 /* 1 + the level; 0: none is given */
    uint32_t priority_hint;
    char prioritised[32]; /* percent of the reads, or ",", of the writes that have another; "" */
    enum priority_class prioritised_class; /* this one */
    uint32_t prioritised_level, prioritised_hint;
    char priorities[256]; /* or shares by size: words of generator/workload_spec_text.h; "" */
    char write_modes[64]; /* the commands that NVMe engines send as writes, and their shares; "" */
    char kinds[PRIORITY_KINDS_TEXT]; /* what of all requests is kept apart (plan_workload) */

    /* replay: the requests of a trace, one pass */
    char trace[1024];      /* path; "": no replay */
    char trace_format[16]; /* "": by content */
    double speed;          /* 2: twice as fast; 0: as fast as possible */
    bool keep_order;       /* dependencies kept (closed), not times (open) */
    enum replay_mapping mapping;
    uint64_t extent;   /* bytes of each device of the trace; 0: as the trace says */
    bool allow_writes; /* else writes are issued as reads */
    bool strict;       /* the first bad event ends the replay */
    bool all_programs; /* of a recorded program's trace: what others handed in, too */
    char level[16];    /* "block", "syscall"; "": the one that the trace has, or block */
    /* a part of the trace, which others are replayed beside (replay/replay_devices.h) */
    char trace_devices[512];  /* names of its devices, with tabs between; "": all of the trace */
    uint64_t trace_begin_ns;  /* of the trace: where the replay of all parts begins */
    bool trace_own;           /* what the recorded program did not hand in is left out */
    char trace_left_out[192]; /* devices of the trace that no part has, in words; "": none */

    /* safety */
    bool destroy, overwrite, allow_unwritten, allow_unseen;
    char destroy_serial[1024]; /* as destroy, for the disk with this serial number alone; "": none.
                                  Of several targets one each, with commas between */

    /* statistics */
    char preset[16];
    enum changepoint_method changepoint;
    enum interval_method interval;
    double period_seconds; /* of percentiles over time; 0: found by the rate */
    double target_width;   /* full width over the mean */
    double confidence;
    double autocorrelation_limit;
    uint32_t minimum_subsessions;
    double minimum_seconds; /* of measured rounds */
    double limit_seconds;   /* of the whole session */
    double runtime_seconds; /* of measured rounds, exactly; 0: until the interval is narrow */
    char precise[256];      /* widths (facts/clause.h) that replace target_width; "": none */
    char sla[256];          /* limits (facts/clause.h), until all are decided; "": none */
    double sla_confidence;  /* of all clauses of sla together; 0: confidence */
    char find_rate[256];    /* limits whose highest rate is searched (repeat/find_rate.h); a probe
                               has them in sla as well, and ends when the first is broken */
    struct plan_repeat repeat;

    /* the machine */
    bool cpus_given;
    uint64_t cpus[PLAN_CPUS_MAX / 64];       /* bit mask of processors for the workers */
    uint64_t numa_nodes[PLAN_CPUS_MAX / 64]; /* ... of these nodes alone; none: of all */
    char memory_policy[64];   /* as plan_memory_policy reads it; "": near the target */
    bool realtime;            /* ask for real-time priority */
    bool measure_overhead;    /* run the overhead rounds */
    bool compare_block_layer; /* after nvme-uring, measure the same through the block layer */
    bool clock_gettime;       /* do not use the cycle counter */
    double monitor_cost;   /* most that watching the machine may cost, as a share; 0: no watching */
    uint32_t monitor_rate; /* samples per second; 0: as many as the cost permits */
    char graph[1024];      /* file of the user's components of the data path; "": none */
    char remote[1024];     /* capture of the server that holds the data; "": none */
    char remote_target[256]; /* what holds them there; "": as the mount says */
    char completions[1024];  /* file of the trace that is written (--trace); "": none;
                                PLAN_TRACE_IN_FOLDER: trace.cupel beside the record */
    bool strict_bottleneck;  /* undecided when another part than the disk was the bottleneck */

    /* settings of the machine, changed for the time of the run; "": left alone */
    char governor[32];
    char scheduler[32];
    int cpu_idle_off; /* 1: processors may not sleep deeply */
    double frequency; /* that processors are held at, Hz; 0: left alone */
    enum plan_turbo turbo;
    uint64_t read_ahead;  /* of the disks, bytes; 0: left alone */
    uint32_t nr_requests; /* of their queues; 0: left alone */
};

#define PLAN_TRACE_IN_FOLDER "."

struct io_action;

/* The groups of fields that commands list among their options. */
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

/* Every field of struct plan, in the order of its text; ended by a key of NULL. */
extern const struct option_row plan_fields[];

/* The field that --`option` sets, or NULL. */
const struct option_row *plan_field(const char *option);

/* The defaults, preset `normal`. */
void plan_init(struct plan *p);

/* Set the statistics options that the named preset decides. ERR_USAGE: no such preset. */
int plan_apply_preset(struct plan *p, const char *name, struct err *e);

/* Is the processor in the bit mask? Any? */
static inline bool plan_mask_has(const uint64_t mask[PLAN_CPUS_MAX / 64], unsigned cpu)
{
    return cpu < PLAN_CPUS_MAX && mask[cpu / 64] >> cpu % 64 & 1;
}
bool plan_mask_is_empty(const uint64_t mask[PLAN_CPUS_MAX / 64]);

/* Combinations that make no sense, which no single option shows. ERR_USAGE. */
int plan_check(const struct plan *p, struct err *e);
int plan_check_together(const struct plan *p, struct err *e); /* of plan_check: several fields */
int plan_check_ending(const struct plan *p, struct err *e); /* of plan_check: --sla and the like */
int plan_check_data(const struct plan *p, struct err *e);   /* of plan_check: what writes hold */

/* Do writes hold anything but noise? */
bool plan_shapes_data(const struct plan *p);

/* The bytes of buffer_pattern. ERR_USAGE: the text is no pattern, with the column. */
struct data_pattern {
    unsigned char bytes[256];
    unsigned count;
};
int plan_pattern_of_data(const struct plan *p, struct data_pattern *to, struct err *e);

/* NUMA nodes: the policy of memory_policy, and what does not go together. ERR_USAGE. */
enum memory_kind {
    MEMORY_NEAR, /* the target, where its node is known: nothing else was asked for */
    MEMORY_DEFAULT,
    MEMORY_LOCAL, /* to each worker's processor; those after it have nodes */
    MEMORY_PREFER,
    MEMORY_BIND,
    MEMORY_INTERLEAVE
};
struct memory_policy {
    enum memory_kind kind;
    bool all; /* nodes that there are */
    uint64_t nodes[PLAN_CPUS_MAX / 64];
};
int plan_memory_policy(const struct plan *p, struct memory_policy *to, struct err *e);
int plan_check_nodes(const struct plan *p, struct err *e);
int plan_check_verify(const struct plan *p, struct err *e); /* of plan_check: --verify */

/* ", 50 % of the data compresses"; "" for noise. Returns `to`. */
char *plan_describe_data(const struct plan *p, char *to, size_t size);
int plan_check_write_modes(const struct plan *p, struct err *e); /* of plan_check */
int plan_check_priorities(const struct plan *p, struct err *e);  /* of plan_check */

/* Writes of a job from one flush to the next; 0: there are no flushes. */
static inline uint32_t plan_flush_every(const struct plan *p)
{
    return p->fsync ? p->fsync : p->fdatasync;
}
/* Any data that are written, not trims alone? */
static inline bool plan_writes_data(const struct plan *p)
{
    return p->write_share > 0 && p->trims != TRIMS_ALONE;
}
int plan_check_without_data(const struct plan *p, struct err *e); /* falloc and the like */
int plan_check_trims(const struct plan *p,
                     struct err *e); /* of plan_check: --rw trim and the like */
/* Bytes of each request of a closed loop. */
static inline uint32_t plan_request_bytes(const struct plan *p)
{
    return p->block_size * (p->num_range ? p->num_range : 1);
}
int plan_check_atomic(const struct plan *p, struct err *e); /* of plan_check: --atomic */
int plan_check_zones(const struct plan *p,
                     struct err *e); /* of plan_check: --zonemode and the like */
int plan_check_flush(const struct plan *p, struct err *e); /* of plan_check: --fsync and the like */
/* ", fdatasync after each write", or nothing. */
void plan_describe_flush(const struct plan *p, char *to, size_t size);

/* Requests have due times: the timed loop (run/loop/timed_loop.h) issues them. */
static inline bool plan_is_replay(const struct plan *p)
{
    return p->trace[0];
}
bool plan_is_timed(const struct plan *p);

/* The operations (facts/operation.h) whose completions are counted: a set, bit by bit. */
unsigned plan_operations(const struct plan *p);

/* A request that moves no bytes has this length in the loop, where all have one. */
#define PLAN_ACTION_BYTES 512

/* What its requests do that move no bytes (io.h), or NULL: they move bytes. */
const struct io_action *plan_action(const struct plan *p);
/* Do its requests cover bytes? Not those of an action, and not ftruncate's. */
bool plan_has_bytes(const struct plan *p);
const char *plan_rate_title(const struct plan *p); /* "file creations/s"; "": IOPS */

/* Trims that meet every block of the region once before any a second time, in order or not. */
bool plan_trims_in_order(const struct plan *p);

/* Measured once from begin to end, not until an interval is narrow: phases, replays; trims, for
   what was trimmed has nothing to free. */
bool plan_is_one_pass(const struct plan *p);

/* Measured until the interval of the headline is as narrow as target_width. */
bool plan_has_precision(const struct plan *p);

/*
 * The workload of a timed plan that is no replay, and what follows from it for the plan: the
 * longest request as block_size, write_share as far as there is writing. ERR_USAGE.
 */
int plan_workload(struct plan *p, struct workload_spec *spec, struct err *e);

/* The priority that --prioclass, --prio and --priohint make together; 0: none. */
uint16_t plan_priority(const struct plan *p);
/* Any request with a priority that is not the thread's, or writes by several commands? */
static inline bool plan_has_kinds(const struct plan *p)
{
    return p->prioritised[0] || p->priorities[0] || p->write_modes[0] || p->kinds[0];
}
/* The kinds of its requests that are kept apart; none: count 0. */
struct priority_kinds plan_request_kinds(const struct plan *p);

/* As --rw has it: "randread". */
const char *plan_pattern_name(const struct plan *p);

/* "randread 4 KiB, iodepth 32, 2 jobs" */
void plan_describe(const struct plan *p, char *to, size_t size);

/* As "key=value" lines, and back. Unknown keys of a newer version are ERR_USAGE. */
void plan_write(const struct plan *p, struct text *out);
int plan_read(struct plan *p, const char *lines, size_t length, struct err *e);

/* Does it change a setting of the machine? */
bool plan_changes_settings(const struct plan *p);

/* That no clause of --sla is decided wrongly. */
double plan_sla_confidence(const struct plan *p);

/* What `judge` needs, out of the plan. */
struct judge_config plan_judge_config(const struct plan *p, bool higher_is_better);

#endif
