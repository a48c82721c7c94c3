/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the machine while a session measures (Li et al., Pilot (2016), III-B): the components of
 * the data path and those beside it, the used share of their capacity, and the machine's state over
 * time.
 *
 * The running session and the reader of a record add the same samples, so that a record gives the
 * same report as its session. Memory is the arena's and does not grow: when the intervals of the
 * timeline are full, pairs of neighbours are merged.
 */
#ifndef CUPEL_RUN_WATCH_GAUGE_SAMPLES_H
#define CUPEL_RUN_WATCH_GAUGE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/monitor/monitor.h"
#include "hw/path/data_path.h"

#define WATCH_INTERVALS 256
/* Li et al., Pilot (2016), Fig. 5: no component but the one under test should be used more than
   this share of its capacity. Above this share, a component is saturated. */
#define WATCH_BOTTLENECK 0.8
/*
 * A part that was saturated for this share of the measured time is a bottleneck. Time counts, not
 * the mean use, because a core that is saturated in 5 of 9 seconds and idle in the others has a
 * mean use of 57 %, but limited the target for more than half of the measured time.
 *
 * Why 20 %: if a part that is saturated for a share s had twice the capacity, the mean would be
 * higher by at most s / 2 of itself. For 20 % this is 10 %, the default width of the interval
 * (--ci). A smaller effect is hidden in the interval. A mean use above 84 % is not possible with
 * a smaller share, so a limit on the mean would add nothing.
 */
#define WATCH_SATURATED_TIME 0.2
/* Use is judged over at least this time: processor time is counted in 10 ms and read every quarter
   of a second, so in shorter times a core with 60 % use would sometimes seem saturated. */
#define WATCH_WINDOW_SECONDS 0.5
/* A limit that was exceeded by more than clocks and counters can explain is wrong: virtual machines
   and some bridges report a slower link than they have. */
#define WATCH_REFUTED 1.02

struct watch_gauge {
    char node[48], key[16], unit[12];
    double limit;
    double sum, seconds, peak; /* over measured rounds: sum of value x time, time, highest value */
};

struct gauge_set {
    uint64_t bits[MONITOR_GAUGES / 64];
};

/* Samples that are judged together. */
struct watch_window {
    double seconds, sum; /* sum of the utilisation, as in struct watch_part */
    double own_sum;      /* sum of the part that the session itself uses */
};

struct watch_part {
    char name[48];
    enum node_kind kind;
    bool on_path, under_test;
    bool aside; /* the part may be busy for other reasons, so it is never the bottleneck */
    double own; /* for a processor core: share of its time that workers used (watch_own) */
    /* for a processor core: index of the gauge of its time for interrupts; -1: none */
    int interrupts;
    /* for a processor core: index of the gauge of its time for workers; -1: none, as in old
       records */
    int workers;
    unsigned depth;
    double limit_read, limit_write;
    struct gauge_set reads, writes; /* gauges whose sum is the bytes/s that go through the part */
    int share; /* the gauge of the part's utilisation; -1: bytes/s over the limit are used */
    char measure[24];
    double sum, seconds, peak; /* sums of its utilisation over measured rounds: value x time, time,
                                  highest value */
    struct watch_window window;
    /* windows in which the part was saturated: their length, and the sum of their utilisation */
    double saturated_seconds, saturated_sum;
};

struct watch_sample {
    double seconds; /* time of the sample since the session began */
    bool counts;    /* false: the rates of the sample do not belong to a measured round */
    float low[MONITOR_GAUGES], value[MONITOR_GAUGES], high[MONITOR_GAUGES];
};

struct watch_interval {
    double begin, end;
    float low[MONITOR_GAUGES], high[MONITOR_GAUGES], sum[MONITOR_GAUGES], seconds[MONITOR_GAUGES];
};

struct watch {
    struct watch_gauge gauges[MONITOR_GAUGES];
    size_t gauge_count;
    struct watch_part parts[RESULT_PARTS_MAX];
    size_t part_count, parts_left_out; /* `parts_left_out`: number of parts that did not fit */
    struct result_edge edges[RESULT_EDGES_MAX];
    size_t edge_count;
    double limit_read, limit_write;    /* limits of the whole path, bytes/s; NaN: not known */
    int limiting_read, limiting_write; /* the part that determines the limit; -1: none */
    bool complete;                     /* as in struct data_path */

    struct watch_interval *intervals;
    size_t interval_count;
    double interval_seconds; /* length of a full interval */
    double sampled_seconds;  /* time of the last sample; NaN: none yet */

    struct result_event events[RESULT_EVENTS_MAX];
    size_t event_count, events_left_out;

    /* arrays for struct result_timeline, WATCH_INTERVALS elements each */
    double *begin, *end;
    float *low, *mean, *high; /* MONITOR_GAUGES x WATCH_INTERVALS */
};

size_t watch_bytes(void);
int watch_init(struct watch *w, struct arena *arena);

/* Describes for a warning what was left out because arrays were full: parts of the path,
   processors, and gauges of the monitor. "": nothing was left out. */
#define WATCH_LEFT_OUT_BYTES 200
void watch_left_out_words(const struct watch *w, bool path_is_full, char to[WATCH_LEFT_OUT_BYTES]);

/* Stores the parts of a path, their limits and edges in `w`. Node numbers refer to `v`. */
void watch_path(struct watch *w, const struct inventory *v, const struct data_path *path);

/* The work of the workers' processors in a session. */
enum watch_workers {
    WORKERS_WORK,       /* the workers issue I/O; if they are busy, they are the bottleneck */
    WORKERS_POLL,       /* the workers poll the device for completions, so they are always busy */
    WORKERS_UNDER_TEST, /* the null backend: only the workers are measured */
};

/* Takes the gauges of `m`, and assigns them to parts. Processors and memory become parts beside the
   path. */
void watch_gauges(struct watch *w, const struct monitor *m, enum watch_workers workers);

/* Returns the state of `m` directly after monitor_sample. */
struct watch_sample watch_take(const struct monitor *m, double seconds, bool counts);
void watch_add(struct watch *w, const struct watch_sample *sample);

/* Sets the share of the core's time that a worker used in measured rounds. Whether a core is the
   bottleneck depends on its time for workers and interrupts, not for other programs. */
void watch_own(struct watch *w, const char *core, double share);

/* Adds an event at `seconds` (NaN: some time during the run). If the list is full, the event is
   only counted. */
void watch_event(struct watch *w, double seconds, const char *text);

/* Adds a sample of `seconds` to one part, whose utilisation was `used`, as watch_add does for each
   part. */
void watch_use(struct watch_part *p, const struct watch_sample *sample, double used,
               double seconds);

/* Returns the share of the measured time in which the session saturated the part; NaN: not
   measured. */
double watch_saturated(const struct watch *w, const struct watch_part *p);

/* Returns true if this part limits the session: the session saturated it for at least
   WATCH_SATURATED_TIME of the time (Li et al., Pilot (2016), III-B). */
bool watch_is_bottleneck(const struct watch *w, const struct watch_part *p);

/* Returns true if the part's limit is wrong, because it was exceeded in the mean or while the part
   was saturated. */
bool watch_is_refuted(const struct watch_part *p);

/* Returns the part of that name, or NULL. */
const struct watch_part *watch_part_of(const struct watch *w, const char *name);

/* Returns the gauge `key` of the node, or -1. */
int watch_gauge_of(const struct watch *w, const char *node, const char *key);

/* Fills parts, edges, timeline and events; the timeline points into `w`. `workers_wait`: workers
   wait for their next request in a loop, so that their use of cores shows no bottleneck. */
void watch_result(struct watch *w, bool workers_wait, struct result *r);

#endif
