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
 * this. */
#define WATCH_BOTTLENECK 0.8
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

struct watch_part {
    char name[48];
    enum node_kind kind;
    bool on_path, under_test;
    bool aside;     /* may be busy for reasons of its own: never the bottleneck */
    double own;     /* of a core: share of the time that workers used it, see watch_own */
    int interrupts; /* of a core: the gauge of its time for interrupts; -1: none */
    unsigned depth;
    double limit_read, limit_write;
    struct gauge_set reads, writes; /* gauges whose sum goes through it, bytes/s */
    int share; /* the gauge that is its utilisation; -1: bytes over the limit are */
    char measure[24];
    double sum, seconds, peak; /* of its utilisation, over measured rounds */
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
    size_t part_count;
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
    size_t event_count;

    /* for struct result_timeline: WATCH_INTERVALS each */
    double *begin, *end;
    float *low, *mean, *high; /* MONITOR_GAUGES x WATCH_INTERVALS */
};

size_t watch_bytes(void);
int watch_init(struct watch *w, struct arena *arena);

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

/* Does this part limit the session? Its mean utilisation `used` is near its limit, and the session
   itself needs it (Li et al., Pilot (2016), III-B). */
bool watch_is_bottleneck(const struct watch *w, const struct watch_part *p, double used);

/* Parts, edges, timeline and events; the timeline points into `w`. */
void watch_result(struct watch *w, struct result *r);

#endif
