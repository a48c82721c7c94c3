/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measurements of a session so far, in memory that does not grow.
 *
 * The collector of a running session and the reader of a record both feed it the same batches, so
 * that a record is judged exactly as the session was. Measured rounds are joined end to end: slice
 * 0 is the first counted slice of the first measured round. When the slices or the stretches are
 * full, neighbouring pairs are merged: a long session keeps all of its I/O in coarser slices. It
 * may then also measure in coarser slices: those of a batch span several original ones.
 */
#ifndef CUPEL_RUN_MEASUREMENT_MEASUREMENT_H
#define CUPEL_RUN_MEASUREMENT_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "run/measurement/interval_ring.h"

/* A busy stretch: a part of an interval with I/O in flight, in ns since the interval began. If
   busy_ns is less than its length, there were too many gaps to keep each of them. */
struct batch_stretch {
    uint64_t begin_ns, end_ns, busy_ns;
};
#define BATCH_STRETCHES 256

/* One interval of all workers together. */
struct batch {
    unsigned slice_count; /* number of slices to append, 0 .. INTERVAL_SLICES */
    /* number of original slices in each element of `slices`; batch_clear sets it to 1 */
    unsigned span;
    struct slice slices[INTERVAL_SLICES];
    struct interval_histogram latency[OPERATIONS];
    uint64_t lost_slices; /* slices that were lost because the collector was too late */
    uint64_t wall_ns;     /* begin of the interval, since 1970; 0: not known */
    /* busy stretches of the slices that count, in order of time, without overlap, with all of their
       busy time. They belong to the collector; at most BATCH_STRETCHES; 0: not known */
    const struct batch_stretch *stretches;
    unsigned stretch_count;
    /* timing of requests with due times, or NULL; the owner of the batch sets it before the first
       batch_clear, which keeps it */
    struct interval_timing *timing;
    /* latency histograms of the first job_count workers, OPERATIONS for each; set and kept like
       `timing` */
    struct interval_histogram *jobs;
    unsigned job_count;
    /* [kind_count], latencies of each kind of request; set and kept like `timing` */
    struct kind_latency *kinds;
    unsigned kind_count;
};

void batch_clear(struct batch *b);

/* The timing of requests with due times in a stretch of time. */
struct stretch_timing {
    struct interval_histogram *service[OPERATIONS];
    struct interval_histogram issue_error;
};

/* A stretch of time with its latencies: one batch, or 2^k batches after folding. */
struct stretch {
    uint64_t begin, end; /* numbers of original slices, half open */
    /* histograms of the operations; they belong to the stretch, as `timing` does */
    struct interval_histogram *latency[OPERATIONS];
    struct stretch_timing *timing; /* NULL: requests have no due times */
};

/* ---- latency_history.c ---- */

/*
 * Latencies over time: a histogram of each operation for each period of the wall clock, in memory
 * that does not grow.
 *
 * A period has a certain length (such as 1 s) and begins at a multiple of it since 1970,
 * independent of the session's begin: periods of several machines are then the same times, and
 * their histograms can be added (Cronburg, England, Percentiles). Periods without I/O are not kept.
 * When all periods are in use, the length grows and neighbours are merged.
 */
#define HISTORY_PERIODS       400
#define HISTORY_NS_MIN        100000000u /* the shortest period */
#define HISTORY_NS_MAX        (100000u * UINT64_C(1000000000))
#define HISTORY_WALL_NS_LIMIT (UINT64_C(1) << 62) /* limit of instants, in ns since 1970 */

struct latency_period {
    uint64_t number;           /* the period begins at `number` times the length, since 1970 */
    uint64_t begin_ns, end_ns; /* begin and end of the measured time in the period, ns since 1970 */
    uint64_t since_ns;         /* the start of the unbroken measurement that contains the period */
    struct interval_histogram *latency[OPERATIONS]; /* histograms of the operations; the period owns
                                                       them */
};

struct latency_history {
    uint64_t length_ns; /* length of a period; 0: nothing was added yet */
    uint64_t asked_ns;  /* requested length; 0: any */
    /* begin and end of the latest time that was measured without a break, ns since 1970 */
    uint64_t since_ns, until_ns;
    /* periods became longer, because more was measured than `capacity` periods can hold */
    bool lengthened;
    struct latency_period *periods; /* in order of time */
    size_t count, capacity;
};

size_t latency_history_bytes(size_t periods, unsigned operations);
/* Allocates memory for `periods` periods of these operations. */
int latency_history_init(struct latency_history *h, size_t periods, unsigned operations,
                         struct arena *arena);

/*
 * Adds the latencies of [begin_ns, begin_ns + batch_ns) to the period that contains the middle of
 * that time. The first batch sets the length: the smallest multiple of asked_ns that holds a whole
 * number of batches, or the shortest of 1, 2, 5 x 10^k s, from .1 s on, that does.
 */
void latency_history_add(struct latency_history *h, uint64_t begin_ns, uint64_t batch_ns,
                         const struct interval_histogram latency[OPERATIONS]);

/* Merges neighbours into periods of twice the length, or five times if that is the next of 1, 2, 5
   x 10^k. */
void latency_history_lengthen(struct latency_history *h);

/* Lengthens the periods while the mean period has fewer than `ios` I/Os of the more frequent
   operation. Keeps at least two periods. */
void latency_history_gather(struct latency_history *h, double ios);

/* ---- job_histories.c ---- */

/*
 * Latencies over time of single jobs (workers), in the periods of all of them together. Completions
 * of a period are collected for each job; at its end they go into the job's history and into the
 * record. So a record grows with the number of periods, not of batches, and more slowly as periods
 * become longer.
 */
#define MEASUREMENT_JOBS 8 /* with more jobs, only their sum is kept */

struct job_histories {
    unsigned count;
    struct latency_history *histories; /* array of `count` */
    struct interval_histogram
        *open; /* array of count x OPERATIONS: the period that has not ended */
    /* begin and end of the measured time in the open period, ns since 1970; end_ns 0: none yet */
    uint64_t begin_ns, end_ns;
    uint64_t middle_ns; /* middle of the first interval (struct batch) in the open period */
};

size_t job_histories_bytes(unsigned jobs, unsigned operations);
int job_histories_init(struct job_histories *j, unsigned jobs, unsigned operations,
                       struct arena *arena);

/*
 * Returns true if this batch belongs to another period than the batches before it, so that their
 * period has ended.
 */
bool job_histories_ended(const struct job_histories *j, const struct latency_history *all,
                         const struct batch *batch, uint64_t batch_ns);
void job_histories_add(struct job_histories *j, const struct batch *batch, uint64_t batch_ns);
/* Moves the open period into the histories, whose periods are as long as those of `all`. */
void job_histories_end(struct job_histories *j, const struct latency_history *all);
/* Adds data from a record to the history of one job, whose periods are as long as those of
   `all`. */
void job_histories_take(struct job_histories *j, const struct latency_history *all, unsigned job,
                        uint64_t begin_ns, uint64_t length_ns,
                        const struct interval_histogram latency[OPERATIONS]);

/* ---- latencies of kinds of requests ---- */

/* Latencies of each kind of request (source/request_kind.h). They cover the same stretches of time
   as the measurement, with the same indices, and fold together with them. */
struct kind_stretches {
    unsigned count; /* number of kinds; 0: all requests are of one kind */
    /* `count` elements for each stretch of time, then `count` for the one that is being filled */
    struct kind_latency *at;
    struct kind_latency *reading; /* array of `count` elements for the batch that is being read */
};

/* Allocates memory, which kind_stretches_free frees. Returns -1 if there is none. */
int kind_stretches_init(struct kind_stretches *k, unsigned kinds);
void kind_stretches_free(struct kind_stretches *k);

/* ---- clause_periods.c ---- */

/*
 * Clauses about intervals of the wall clock, "p99<500us per 10s in 95%": counts the intervals that
 * met the limit, in memory that does not grow.
 *
 * An interval begins at a multiple of its length since 1970. Completions in it make one reading of
 * the clause's subject, which meets the limit or breaks it. A reading counts if at least half of
 * the interval was measured and the next one has begun; a batch belongs to the interval that
 * contains its middle. If nothing completed, a rate is 0, and a response time is that of the I/O
 * that was in flight all the time, which is known once it completes; without such I/O there is no
 * reading.
 *
 * Readings are counted in groups of neighbours, which show clusters. When all groups are in use,
 * pairs of them are merged, and new groups are twice as large.
 */
#define PERIOD_GROUPS 256
/*
 * Number of limits on each side: the limit itself, two that are easier and two that are harder to
 * break. A limit that is easily met shows little of its clusters (stat/estimate/limit_verdict.h).
 */
#define PERIOD_THRESHOLDS 3

struct period_group {
    uint64_t begin, end; /* numbers of original slices, half open */
    uint32_t count;      /* number of readings */
    /*
     * numbers of readings for the clause's limit [0] and for limits that are easier or harder to
     * break. may[i]: readings that may have broken limit i, higher limits being easier to break;
     * surely[i]: readings that surely broke limit i, higher limits being harder to break. A latency
     * is known only to its histogram bucket
     */
    uint32_t may[PERIOD_THRESHOLDS], surely[PERIOD_THRESHOLDS];
};

/* The sums of one interval. */
struct period_sum {
    uint64_t begin, end; /* numbers of original slices */
    double covered_ns;
    struct slice slice;
    struct interval_histogram latency; /* latencies of the clause's operations */
};

/* Intervals in which nothing completed, until the next I/O completes. */
struct period_silence {
    uint64_t begin, end; /* numbers of slices */
    uint64_t first_ns;   /* begin of the first silent interval, since 1970 */
    uint32_t count;
};

struct clause_periods {
    struct clause clause;
    uint64_t number; /* number of the interval that is being filled */
    struct period_sum *sum;
    struct period_silence silence;
    struct period_group *groups; /* PERIOD_GROUPS of them, in order of time */
    struct period_group open;    /* the group that is being filled */
    size_t group_count;
    unsigned fold; /* a group has 2^fold readings */
    bool undated;  /* some of the measured intervals (struct batch) had no time of day */
    /* some of the measured intervals (struct batch) were too long for the clause's interval, which
       is not a multiple of them */
    bool too_long;
};

size_t clause_periods_bytes(void);
/* Allocates memory. Returns -1 if the arena is used up. */
int clause_periods_init(struct clause_periods *p, struct arena *arena);

/* Begins to count for this clause. */
void clause_periods_set(struct clause_periods *p, const struct clause *c);

/* Adds the next batch, batch_ns long; its slices begin at the original slice `first`. */
void clause_periods_add(struct clause_periods *p, const struct batch *batch, uint64_t batch_ns,
                        uint64_t first);

/* Returns the longest response time of the clause's operations; 0: nothing completed. */
uint64_t clause_longest(const struct clause *c, const struct batch *batch);

/* Returns the number of groups, including the open one. They are in order of time. */
size_t clause_periods_groups(const struct clause_periods *p);
const struct period_group *clause_periods_group(const struct clause_periods *p, size_t i);

/* ---- measurement.c ---- */

struct round {
    bool trial;
    bool ended;           /* false: the record is cut short in this round */
    double begin_seconds; /* since the session began */
    double seconds;
    /* all completed I/O, even at the edges of the round, which are in no slice */
    struct slice total;
};

#define MEASUREMENT_SLICES    8192
#define MEASUREMENT_STRETCHES 256

struct measurement {
    double slice_seconds; /* length of the original slices; set before the first batch */
    unsigned slice_fold;  /* a kept slice is 2^slice_fold original slices */
    struct slice *slices;
    size_t slice_count;
    struct slice partial;         /* the kept slice that is being filled */
    unsigned partial_count;       /* number of original slices in `partial` */
    struct slice_timing *timings; /* parallel to `slices`; NULL: requests have no due times */
    struct slice_timing partial_timing;
    uint64_t original_slices; /* number of slices appended in total */

    unsigned stretch_fold;
    struct stretch *stretches;
    /* timing of each element of `stretches`; NULL like `timings` */
    struct stretch_timing *stretch_timings;
    size_t stretch_count;
    struct stretch *open_stretch; /* the stretch of time that is being filled */
    unsigned open_count;          /* number of intervals (struct batch) in open_stretch */

    struct latency_history history;
    struct job_histories jobs;      /* empty with one job, or without --interval */
    struct kind_stretches kinds;    /* empty if all requests are of one kind */
    struct clause_periods *periods; /* [MEASUREMENT_CLAUSES] */
    size_t period_clauses;          /* number of elements of `periods` in use */

    struct round rounds[RESULT_ROUNDS_MAX];
    size_t round_count;
    uint64_t lost_slices;
};

/* Returns the bytes for these operations; `timed`: with room for requests with due times. */
size_t measurement_bytes(unsigned operations, bool timed);
int measurement_init(struct measurement *m, unsigned operations, bool timed, struct arena *arena);

/* Begins to count the intervals that meet the clause, if it is about intervals. Call it before the
   first batch. */
void measurement_watch_clause(struct measurement *m, const struct clause *c);
/* Returns the counts for the clause with that text, or NULL. */
const struct clause_periods *measurement_periods(const struct measurement *m, const char *text);

/* ERR_UNDECIDED: there is no room for another round. */
int measurement_begin_round(struct measurement *m, bool trial, double begin_seconds, struct err *e);
void measurement_add(struct measurement *m, const struct batch *batch);
void measurement_end_round(struct measurement *m, double seconds, const struct slice *total);

/* Returns the length of a complete batch whose slices span `span` original ones. */
uint64_t measurement_batch_ns(const struct measurement *m, unsigned span);

/* Returns the length of a kept slice. */
double measurement_slice_seconds(const struct measurement *m);
/* Returns the length of slices [begin, end) without the time that was not measured. */
double measurement_measured_seconds(const struct measurement *m, size_t begin, size_t end);

/* Returns the number of stretches of time, including the one that is being filled. They are in
   order of time. */
size_t measurement_stretches(const struct measurement *m);
const struct stretch *measurement_stretch(const struct measurement *m, size_t i);
/* Returns the latencies of a kind of request in stretch of time i. */
const struct kind_latency *measurement_kind(const struct measurement *m, size_t i, unsigned kind);

#endif
