/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine that is watched while a session measures (Li et al., Pilot (2016), III-B): the
 * components of the data path and those beside it, the share of their capacity that was used, and
 * the machine's state over time.
 *
 * The running session and the reader of a record feed it the same samples, so that a record reports
 * the same as its session. Memory is the arena's and does not grow: when the intervals of the
 * timeline are full, pairs of neighbours are merged.
 */
#ifndef CUPEL_RUN_WATCH_WATCH_H
#define CUPEL_RUN_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/monitor/monitor.h"
#include "hw/path/data_path.h"

#define WATCH_INTERVALS 256
/* Li et al., Pilot (2016), Fig. 5: no component but the one under test should be used more than
 * this: above it, it is saturated. */
#define WATCH_BOTTLENECK 0.8
/*
 * A part that was saturated for this share of the measured time is a bottleneck. Time counts, not
 * the mean use: a core that is saturated 5 of 9 seconds and idle in the others has a mean of 57 %,
 * and held the target down in more than half of all that was measured.
 *
 * Why 20 %: where a part saturated for a share s had let through twice as much, the mean would be
 * higher by at most s / 2 of itself, which then is 10 %, the width of interval that is asked for by
 * default (--ci). Less than that is lost in the interval. A mean use above 84 % cannot be had with
 * less than that share, so a limit on the mean would add nothing.
 */
#define WATCH_SATURATED_TIME 0.2
/* Use is judged over at least this many seconds: processor time is counted in 10 ms and read every
   quarter of a second, and over less a core in use for 60 % would be saturated now and then. */
#define WATCH_WINDOW_SECONDS 0.5
/* A limit that was exceeded by more than clocks and counters can explain is none: virtual machines
   and some bridges report a slower link than there is. */
#define WATCH_REFUTED 1.02

struct watch_gauge {
    char node[48], key[16], unit[12];
    double limit;
    double sum, seconds, peak; /* over measured rounds: value x time, time, highest value */
};

struct gauge_set {
    uint64_t bits[MONITOR_GAUGES / 64];
};

/* Samples that are judged together. */
struct watch_window {
    double seconds, sum; /* of the utilisation, as in struct watch_part */
    double own_sum;      /* of the part of it that the session itself needs */
};

struct watch_part {
    char name[48];
    enum node_kind kind;
    bool on_path, under_test;
    bool aside;     /* may be busy for reasons of its own: never the bottleneck */
    double own;     /* of a core: share of the time that workers used it, see watch_own */
    int interrupts; /* of a core: the gauge of its time for interrupts; -1: none */
    int workers;    /* of a core: the gauge of its time for workers; -1: none, old records too */
    unsigned depth;
    double limit_read, limit_write;
    struct gauge_set reads, writes; /* gauges whose sum goes through it, bytes/s */
    int share; /* the gauge that is its utilisation; -1: bytes over the limit are */
    char measure[24];
    double sum, seconds, peak; /* of its utilisation, over measured rounds */
    struct watch_window window;
    double saturated_seconds, saturated_sum; /* of windows in which it was saturated */
};

struct watch_sample {
    double seconds; /* since the session began */
    bool counts;    /* false: the time of its rates belongs to no measured round */
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
    size_t part_count, parts_left_out; /* those have no room */
    struct result_edge edges[RESULT_EDGES_MAX];
    size_t edge_count;
    double limit_read, limit_write;    /* of the whole path, bytes/s; NaN: not known */
    int limiting_read, limiting_write; /* the part that sets it; -1: none */
    bool complete;                     /* see struct data_path */

    struct watch_interval *intervals;
    size_t interval_count;
    double interval_seconds; /* of a full one */
    double sampled_seconds;  /* time of the last sample; NaN: none */

    struct result_event events[RESULT_EVENTS_MAX];
    size_t event_count, events_left_out;

    /* for struct result_timeline: WATCH_INTERVALS each */
    double *begin, *end;
    float *low, *mean, *high; /* MONITOR_GAUGES x WATCH_INTERVALS */
};

size_t watch_bytes(void);
int watch_init(struct watch *w, struct arena *arena);

/* What has no room among the parts, as words for a warning: of a path with more parts than fit, and
   of processors, and of what the monitor has no room for. "": everything has. */
#define WATCH_LEFT_OUT_BYTES 200
void watch_left_out_words(const struct watch *w, bool path_is_full, char to[WATCH_LEFT_OUT_BYTES]);

/* The parts of a path, their limits and edges. Nodes are of `v`. */
void watch_path(struct watch *w, const struct inventory *v, const struct data_path *path);

/* The work of the workers' processors in a session. */
enum watch_workers {
    WORKERS_WORK,       /* issue I/O: when they are busy, they are the bottleneck */
    WORKERS_POLL,       /* ask the device for completions all the time: always busy */
    WORKERS_UNDER_TEST, /* the null backend: there is nothing else that could be measured */
};

/* The gauges that `m` has, and the parts that each is of; processors and memory become parts beside
   the path. */
void watch_gauges(struct watch *w, const struct monitor *m, enum watch_workers workers);

/* The state of `m` right after monitor_sample. */
struct watch_sample watch_take(const struct monitor *m, double seconds, bool counts);
void watch_add(struct watch *w, const struct watch_sample *sample);

/* A worker used this share of the core's time in measured rounds. A core is the bottleneck by the
   time that workers and interrupts take of it, not by that of other programs. */
void watch_own(struct watch *w, const char *core, double share);

/* An event at `seconds` (NaN: some time during the run). A full list drops it. */
void watch_event(struct watch *w, double seconds, const char *text);

/* What watch_add does for one part: `used` of it in a sample of that many seconds. */
void watch_use(struct watch_part *p, const struct watch_sample *sample, double used,
               double seconds);

/* The share of the measured time in which the session saturated it; NaN: it was not measured. */
double watch_saturated(const struct watch *w, const struct watch_part *p);

/* Does this part limit the session? The session saturated it for WATCH_SATURATED_TIME of the time
   (Li et al., Pilot (2016), III-B). */
bool watch_is_bottleneck(const struct watch *w, const struct watch_part *p);

/* A limit that was exceeded, in the mean or while the part was saturated, is none. */
bool watch_is_refuted(const struct watch_part *p);

/* The part of that name, or NULL. */
const struct watch_part *watch_part_of(const struct watch *w, const char *name);

/* The gauge `key` of the node, or -1. */
int watch_gauge_of(const struct watch *w, const char *node, const char *key);

/* Parts, edges, timeline and events; the timeline points into `w`. The workers wait for their next
   request in a loop: that they use their cores then shows no bottleneck. */
void watch_result(struct watch *w, bool workers_wait, struct result *r);

#endif
