/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time slices and intervals, by which a worker hands over its measurements without ever waiting.
 *
 * A round is divided into equal time slices, and INTERVAL_SLICES slices make an interval. A
 * worker counts into its current interval. After the interval's end, the worker publishes it and
 * continues in the next free one of its ring. The collector (another thread) takes published
 * intervals in order and returns them empty. One producer, one consumer, two counters, no lock.
 *
 * If the collector is so late that no interval is free, the worker continues in its old one: the
 * histograms stay complete, but the slices of that time are lost, and `after_loss` is set.
 */
#ifndef CUPEL_RUN_MEASUREMENT_INTERVAL_RING_H
#define CUPEL_RUN_MEASUREMENT_INTERVAL_RING_H

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
    uint64_t latency_ns; /* sum over `ios` */
    uint64_t errors;     /* failed or short */
};

/*
 * One time slice. An I/O counts in the slice in which it completed; its time in flight counts in
 * the slices in which it was in flight. So the number of blocks divided by the busy time is correct
 * for any sum of slices.
 */
struct slice {
    struct slice_op op[OPERATIONS];
    uint64_t asked_bytes; /* bytes that all I/Os were asked to move, including failed ones */
    uint64_t busy_ns;     /* part of the slice's length with at least one I/O in flight */
    /*
     * part of the slice's length that was not measured, so that the sums cover only the remaining
     * part; negative: the sums cover a longer time. Always 0 in a session; other values occur at
     * the edges of merged records
     */
    int64_t unmeasured_ns;
};

void slice_op_add(struct slice_op *to, const struct slice_op *from);
/* Returns a part of the sums: `ios` and `errors`, with the same share of bytes and of time in
   flight, so that the mean stays the same to the ns. */
struct slice_op slice_op_take(const struct slice_op *from, uint64_t ios, uint64_t errors);
void slice_add(struct slice *to, const struct slice *from);
/* Returns the sums of all operations that move data. */
struct slice_op slice_data(const struct slice *slice);
bool slice_is_empty(const struct slice *slice); /* true if nothing completed or failed in it */

/* Latencies of one interval and operation, in the buckets of stat/basic/histogram.h. */
struct interval_histogram {
    uint64_t min, max; /* ns; min is UINT64_MAX if it is empty */
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
 * Histograms for each operation of a set: memory is used only for operations that a plan issues.
 * All operations outside of the set share one histogram, which stays empty: nothing may be added to
 * it.
 */
size_t interval_histograms_bytes(size_t count, unsigned operations); /* bytes of `count` arrays */
/* Makes an array of histograms, one for each operation. Returns -1 if the arena is used up. */
int interval_histograms_init(struct interval_histogram *of[OPERATIONS], unsigned operations,
                             struct arena *arena);
void interval_histograms_clear(struct interval_histogram *const of[OPERATIONS]);
void interval_histograms_add(struct interval_histogram *const to[OPERATIONS],
                             struct interval_histogram *const from[OPERATIONS]);
/* Copies or adds arrays; both must have the same operations. */
void interval_histograms_copy(struct interval_histogram *const to[OPERATIONS],
                              struct interval_histogram *const from[OPERATIONS]);

/* Latencies of requests of one kind (source/request_kind.h) that completed in full. */
struct kind_latency {
    uint64_t latency_ns; /* ns, sum over all of them */
    struct interval_histogram latency;
};

void kind_latency_clear(struct kind_latency *kind);
void kind_latency_add(struct kind_latency *to, const struct kind_latency *from);

/* Requests with due times in a time slice. */
struct slice_timing {
    uint64_t issued;                 /* number of requests issued */
    uint64_t service_ns[OPERATIONS]; /* sums of service times (from issue to completion), over the
                                    slice's ios */
    uint64_t in_flight_ns; /* sum over requests of their time in flight within the slice; divided
                              by the slice's length, it is the mean queue length */
    uint64_t backlog_max;  /* largest number of requests that were due and not issued yet */
    uint64_t late_max_ns;  /* longest delay of a request issued in the slice */
};

/* Adds the timing of the slice that follows in time. Of the two backlogs, the larger one is
   kept. */
void slice_timing_join(struct slice_timing *to, const struct slice_timing *from);

/* Timing of an interval, in addition to its latencies, which in this case are from due instant to
   completion. */
struct interval_timing {
    struct slice_timing slices[INTERVAL_SLICES];
    struct interval_histogram *service[OPERATIONS]; /* from issue to completion */
    struct interval_histogram issue_error; /* from due instant to issue, for requests issued
                                              in the interval */
};

size_t interval_timing_bytes(size_t count, unsigned operations);
/* Returns `count` empty structs, or NULL if the arena is used up. */
struct interval_timing *interval_timing_new(size_t count, unsigned operations, struct arena *arena);
void interval_timing_clear(struct interval_timing *timing);
void interval_timing_add(struct interval_timing *to, const struct interval_timing *from);

struct interval {
    uint64_t index;  /* number of the interval in its round */
    bool after_loss; /* slices before this interval were lost (they are not empty) */
    /* time with I/O of this worker in flight, independent of other workers */
    uint64_t busy_ticks[INTERVAL_SLICES];
    /* Instant since which I/O of this worker has been in flight at the interval's end; it stays in
       flight until the next published interval begins. UINT64_MAX: nothing was in flight. */
    uint64_t in_flight_since;
    struct slice slices[INTERVAL_SLICES]; /* without busy_ns */
    struct interval_histogram *latency[OPERATIONS];
    struct interval_timing *timing; /* NULL: requests have no due times */
    struct kind_latency *kinds;     /* [kind_count]; NULL: all requests are of one kind */
    unsigned kind_count;
};

/* Adds the time of I/O in flight in [from, to) that is in the interval beginning at `begin`. */
void interval_add_busy(uint64_t busy_ticks[INTERVAL_SLICES], uint64_t begin, uint64_t slice_ticks,
                       uint64_t from, uint64_t to);

struct interval_ring {
    struct interval *intervals; /* array of `capacity` intervals */
    unsigned capacity;
    _Alignas(64) atomic_uint published; /* written by the worker: intervals [taken, published)
                                           belong to the collector */
    _Alignas(64) atomic_uint taken;     /* written by the collector */
};

size_t interval_ring_bytes(unsigned capacity, unsigned operations, bool timed);

/* Initializes a ring for completions of these operations; `timed`: each interval has a struct
   interval_timing. Returns -1 if the arena is used up. */
int interval_ring_init(struct interval_ring *ring, unsigned capacity, unsigned operations,
                       bool timed, struct arena *arena);

/* Adds `kinds` kinds of requests to each interval. Call it after init. Returns -1 if the arena is
   used up. */
int interval_ring_keep_kinds(struct interval_ring *ring, unsigned kinds, struct arena *arena);

/* Empties everything. Call it only while the worker is idle. */
void interval_ring_reset(struct interval_ring *ring);

/* For the worker: returns the interval that is being filled. There is always such an interval,
   because the collector never gets the last one. */
static inline struct interval *interval_ring_current(struct interval_ring *ring)
{
    unsigned published = atomic_load_explicit(&ring->published, memory_order_relaxed);
    return &ring->intervals[published % ring->capacity];
}

/* For the worker: publishes the current interval. Returns false without publishing if no other
   interval is free. */
bool interval_ring_publish(struct interval_ring *ring);

/* For the collector: returns the oldest published interval, or NULL. interval_ring_release returns
   it to the worker, cleared. */
const struct interval *interval_ring_peek(struct interval_ring *ring);
void interval_ring_release(struct interval_ring *ring);

#endif
