/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time slices and intervals: how a worker hands over its measurements without ever waiting.
 *
 * A round is divided into equal time slices, and INTERVAL_SLICES slices make an interval. A worker
 * counts into the interval it is in; when time has passed its end the worker publishes it and goes
 * on in the next free one of its ring. The collector (one other thread) takes published intervals
 * in order and gives them back empty. One producer, one consumer, two counters, no lock.
 *
 * When the collector is so late that no interval is free, the worker goes on in its old one: the
 * histograms stay complete, the slices of that time are lost, and `after_loss` says so.
 */
#ifndef CUPEL_RUN_MEASUREMENT_INTERVAL_H
#define CUPEL_RUN_MEASUREMENT_INTERVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "io/io.h"
#include "stat/basic/histogram.h"

#define INTERVAL_SLICES 5

struct slice_op {
    uint64_t ios; /* completed in full */
    uint64_t bytes;
    uint64_t latency_ns; /* sum over ios */
    uint64_t errors;     /* failed or short */
};

/*
 * One time slice. An I/O counts in the slice in which it completed; its time in flight belongs to
 * the slices that it lies in. So blocks over busy time is right for any sum of slices.
 */
struct slice {
    struct slice_op op[IO_OPS];
    uint64_t asked_bytes; /* that I/Os were asked to move, all of them, failed or not */
    uint64_t busy_ns;     /* of the slice's length, with at least one I/O in flight */
    /* of the slice's length, in which nobody measured: its sums are of the rest. Below 0: they are
       of more time than that. 0 in a session; the edges of a merge differ. */
    int64_t unmeasured_ns;
};

void slice_op_add(struct slice_op *to, const struct slice_op *from);
/* That many of its I/Os and errors, with as large a share of its bytes and of its time in flight:
   their mean is that of all of it, to the ns. */
struct slice_op slice_op_take(const struct slice_op *from, uint64_t ios, uint64_t errors);
void slice_add(struct slice *to, const struct slice *from);
/* The sums of all operations that move data. */
struct slice_op slice_data(const struct slice *slice);
bool slice_is_empty(const struct slice *slice); /* nothing completed in it, nor failed */

/* Latencies of one interval and operation; buckets of stat/basic/histogram.h. */
struct interval_histogram {
    uint64_t min, max; /* ns; min is UINT64_MAX while empty */
    uint64_t over;
    uint64_t count[HISTOGRAM_BUCKETS];
};

static inline bool interval_histogram_is_empty(const struct interval_histogram *h)
{
    return h->min == UINT64_MAX;
}

void interval_histogram_clear(struct interval_histogram *h);
void interval_histogram_add(struct interval_histogram *to, const struct interval_histogram *from);

/*
 * Histograms of each operation of a set, one operation at a time: memory follows what a plan
 * issues. An operation that is not in the set has one histogram in common with all others like it,
 * which is empty and stays so: nothing is ever added to it.
 */
size_t interval_histograms_bytes(size_t count, unsigned operations); /* of so many arrays */
/* Fill an array. -1: the arena is used up. */
int interval_histograms_init(struct interval_histogram *of[IO_OPS], unsigned operations,
                             struct arena *arena);
void interval_histograms_clear(struct interval_histogram *const of[IO_OPS]);
void interval_histograms_add(struct interval_histogram *const to[IO_OPS],
                             struct interval_histogram *const from[IO_OPS]);
/* Both have the same operations. */
void interval_histograms_copy(struct interval_histogram *const to[IO_OPS],
                              struct interval_histogram *const from[IO_OPS]);

/* Requests of one kind (generator/priority.h) that completed in full. */
struct kind_latency {
    uint64_t latency_ns; /* sum over them */
    struct interval_histogram latency;
};

void kind_latency_clear(struct kind_latency *kind);
void kind_latency_add(struct kind_latency *to, const struct kind_latency *from);

/* Requests that have due times, in a time slice. */
struct slice_timing {
    uint64_t issued;             /* requests */
    uint64_t service_ns[IO_OPS]; /* sums, from issue to completion, over the slice's ios */
    uint64_t in_flight_ns; /* sum over requests of their time in flight within the slice: over its
                              length, the mean queue length */
    uint64_t backlog_max;  /* requests that were due and not issued yet */
    uint64_t late_max_ns;  /* how late the latest request of the slice was issued */
};

/* Of another worker in the same time: backlogs add up. */
void slice_timing_add(struct slice_timing *to, const struct slice_timing *from);
/* Of the time that follows: the greater backlog stands. */
void slice_timing_join(struct slice_timing *to, const struct slice_timing *from);

/* Beside the latencies of an interval (which are then from due to completion). */
struct interval_timing {
    struct slice_timing slices[INTERVAL_SLICES];
    struct interval_histogram *service[IO_OPS]; /* from issue to completion */
    struct interval_histogram issue_error;      /* from due to issue, of requests issued in it */
};

size_t interval_timing_bytes(size_t count, unsigned operations);
/* So many of them, empty; NULL: the arena is used up. */
struct interval_timing *interval_timing_new(size_t count, unsigned operations, struct arena *arena);
void interval_timing_clear(struct interval_timing *timing);
void interval_timing_add(struct interval_timing *to, const struct interval_timing *from);

struct interval {
    uint64_t index;  /* of the interval in its round */
    bool after_loss; /* slices before this interval were lost, not empty */
    /* with I/O of this worker in flight, whatever other workers did */
    uint64_t busy_ticks[INTERVAL_SLICES];
    /* From this instant on I/O of this worker was in flight, at the interval's end and until the
       next interval begins that it hands over. UINT64_MAX: none was. */
    uint64_t in_flight_since;
    struct slice slices[INTERVAL_SLICES]; /* without busy_ns */
    struct interval_histogram *latency[IO_OPS];
    struct interval_timing *timing; /* NULL: requests have no due times */
    struct kind_latency *kinds;     /* kind_count; NULL: they are all of one kind */
    unsigned kind_count;
};

void interval_clear(struct interval *interval);

/* I/O was in flight in [from, to): add the part that lies in the interval from `begin` on. */
void interval_add_busy(uint64_t busy_ticks[INTERVAL_SLICES], uint64_t begin, uint64_t slice_ticks,
                       uint64_t from, uint64_t to);

struct interval_ring {
    struct interval *intervals; /* capacity of them */
    unsigned capacity;
    _Alignas(64)
        atomic_uint published; /* by the worker: intervals [taken, published) are the collector's */
    _Alignas(64) atomic_uint taken; /* by the collector */
};

size_t interval_ring_bytes(unsigned capacity, unsigned operations, bool timed);

/* For completions of these operations; `timed`: with struct interval_timing each. -1: the arena is
   used up. */
int interval_ring_init(struct interval_ring *ring, unsigned capacity, unsigned operations,
                       bool timed, struct arena *arena);

/* After init: with so many kinds of requests in each. -1: the arena is used up. */
int interval_ring_keep_kinds(struct interval_ring *ring, unsigned kinds, struct arena *arena);

/* Empty everything; only while the worker stands still. */
void interval_ring_reset(struct interval_ring *ring);

/* Worker: the interval being filled. Always there, since one is kept back from the collector. */
static inline struct interval *interval_ring_current(struct interval_ring *ring)
{
    unsigned published = atomic_load_explicit(&ring->published, memory_order_relaxed);
    return &ring->intervals[published % ring->capacity];
}

/* Worker: publish the current one. False, and nothing published, when no other one is free. */
bool interval_ring_publish(struct interval_ring *ring);

/* Collector: the oldest published interval or NULL; give it back (cleared) with _release. */
const struct interval *interval_ring_peek(struct interval_ring *ring);
void interval_ring_release(struct interval_ring *ring);

#endif
