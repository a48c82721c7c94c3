/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measurements of a session so far, in memory that does not grow.
 *
 * The collector of a running session and the reader of a record both feed it the same batches, so
 * that a record is judged exactly as the session was. Measured rounds are put end to end: slice 0
 * is the first counted slice of the first measured round. When the slices or the stretches are
 * full, pairs of neighbours are merged: a long session keeps all of its I/O, in coarser slices. It
 * may then measure in coarser ones as well: the slices of a batch span several original ones.
 */
#ifndef CUPEL_RUN_MEASUREMENT_MEASUREMENT_H
#define CUPEL_RUN_MEASUREMENT_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "run/measurement/interval.h"

/* A stretch of an interval in which I/O was in flight, ns since the interval began. Where busy_ns
   is less than its length, it has gaps that were too many to keep one by one. */
struct batch_stretch {
    uint64_t begin_ns, end_ns, busy_ns;
};
#define BATCH_STRETCHES 256

/* One interval of all workers together. */
struct batch {
    unsigned slice_count; /* slices to be appended, 0 .. INTERVAL_SLICES */
    unsigned span;        /* original slices that each of them is as long as; batch_clear: 1 */
    struct slice slices[INTERVAL_SLICES];
    struct interval_histogram latency[IO_OPS];
    uint64_t lost_slices; /* that the collector was too late for */
    uint64_t wall_ns;     /* since 1970, when the interval began; 0: not known */
    /* of its slices, in order of time, none overlapping, with all of their busy time; the
       collector's, BATCH_STRETCHES at most; 0: not known */
    const struct batch_stretch *stretches;
    unsigned stretch_count;
    /* of requests with due times, or NULL; set before the first batch_clear, which keeps it */
    struct interval_timing *timing;
    /* of the first job_count workers each, IO_OPS at a time; set and kept as `timing` */
    struct interval_histogram *jobs;
    unsigned job_count;
    struct kind_latency *kinds; /* kind_count, set and kept as `timing` */
    unsigned kind_count;
};

void batch_clear(struct batch *b);

/* Of requests with due times in a stretch. */
struct stretch_timing {
    struct interval_histogram *service[IO_OPS];
    struct interval_histogram issue_error;
};

/* A stretch of time with its latencies: one batch, or 2^k after folding. */
struct stretch {
    uint64_t begin, end;                        /* slices of the original length, half open */
    struct interval_histogram *latency[IO_OPS]; /* its own, as `timing` */
    struct stretch_timing *timing;              /* or NULL */
};

/* ---- latency_history.c ---- */

/*
 * Latencies over time: a histogram of each operation for each period of the wall clock, in memory
 * that does not grow.
 *
 * A period has a length of its own (1 s) and begins at a multiple of it since 1970, whenever the
 * session began: periods of several machines are the same stretches of time, and their histograms
 * add up (Cronburg, England, Percentiles). Periods without I/O are not kept. When all are in use
 * the length grows, and neighbours are put together.
 */
#define HISTORY_PERIODS       400
#define HISTORY_NS_MIN        100000000u /* the shortest period */
#define HISTORY_NS_MAX        (100000u * UINT64_C(1000000000))
#define HISTORY_WALL_NS_LIMIT (UINT64_C(1) << 62) /* of instants, ns since 1970 */

struct latency_period {
    uint64_t number;           /* it begins at `number` times the length, since 1970 */
    uint64_t begin_ns, end_ns; /* since 1970, of the batches in it */
    uint64_t since_ns;         /* since then it was measured without a break */
    struct interval_histogram *latency[IO_OPS]; /* its own */
};

struct latency_history {
    uint64_t length_ns;             /* of a period; 0: nothing was added yet */
    uint64_t asked_ns;              /* 0: any length will do */
    uint64_t since_ns, until_ns;    /* of the last batches that followed each other at once */
    bool lengthened;                /* more were measured than there is room for */
    struct latency_period *periods; /* in order of time */
    size_t count, capacity;
};

size_t latency_history_bytes(size_t periods, unsigned operations);
/* Room for so many periods of these operations. */
int latency_history_init(struct latency_history *h, size_t periods, unsigned operations,
                         struct arena *arena);

/*
 * Latencies of [begin_ns, begin_ns + batch_ns), which belong to the period that the middle lies in.
 * The first batch sets the length: the least multiple of asked_ns in which a whole number of
 * batches fits, or the shortest of 1, 2, 5 x 10^k s, from .1 s on, that does.
 */
void latency_history_add(struct latency_history *h, uint64_t begin_ns, uint64_t batch_ns,
                         const struct interval_histogram latency[IO_OPS]);

/* Put neighbours together: into periods of twice the length, or five times where that is the next
   of 1, 2, 5 x 10^k. */
void latency_history_lengthen(struct latency_history *h);

/* Lengthen while the mean period has fewer I/Os of the more frequent operation than that; not below
   two periods. */
void latency_history_gather(struct latency_history *h, double ios);

/* ---- job_histories.c ---- */

/*
 * Latencies over time of single jobs (workers), in the periods of all of them together. What
 * completes in a period gathers for each job; at its end it goes into the job's history, and into
 * the record. So a record grows by a few periods a job, however many batches it has, and by fewer
 * the longer they have become.
 */
#define MEASUREMENT_JOBS 8 /* those of more jobs are kept together only */

struct job_histories {
    unsigned count;
    struct latency_history *histories; /* count */
    struct interval_histogram *open;   /* count x IO_OPS: of the period that has not ended */
    uint64_t begin_ns, end_ns; /* since 1970, of the batches in it; end_ns 0: there are none */
    uint64_t middle_ns;        /* of the first of them */
};

size_t job_histories_bytes(unsigned jobs, unsigned operations);
int job_histories_init(struct job_histories *j, unsigned jobs, unsigned operations,
                       struct arena *arena);

/* Does this batch belong to another period than those before it, which now have ended? */
bool job_histories_ended(const struct job_histories *j, const struct latency_history *all,
                         const struct batch *batch, uint64_t batch_ns);
void job_histories_add(struct job_histories *j, const struct batch *batch, uint64_t batch_ns);
/* What has gathered goes into the histories, which have periods as long as those of `all`. */
void job_histories_end(struct job_histories *j, const struct latency_history *all);
/* The same for one job, out of a record. */
void job_histories_take(struct job_histories *j, const struct latency_history *all, unsigned job,
                        uint64_t begin_ns, uint64_t length_ns,
                        const struct interval_histogram latency[IO_OPS]);

/* ---- kind_stretches.c ---- */

/*
 * Latencies of each kind of request (generator/priority.h), in the stretches of the measurement:
 * the same ones, by their index, which fold together with them.
 */
struct kind_stretches {
    unsigned count;               /* kinds; 0: all requests are of one */
    struct kind_latency *at;      /* count for each stretch, then those of the open one */
    struct kind_latency *reading; /* count: of the batch that a reader is at */
};

/* Memory of its own, which kind_stretches_free gives back. -1: there is none. */
int kind_stretches_init(struct kind_stretches *k, unsigned kinds);
void kind_stretches_free(struct kind_stretches *k);

/* To the open stretch; the open one becomes the stretch of that index; pairs of the first n. */
void kind_stretches_add(struct kind_stretches *k, const struct batch *batch);
void kind_stretches_close(struct kind_stretches *k, size_t index);
void kind_stretches_fold(struct kind_stretches *k, size_t n);

/* ---- clause_periods.c ---- */

/*
 * Clauses about intervals of the wall clock, "p99<500us per 10s in 95%": in how many of them the
 * limit was kept, in memory that does not grow.
 *
 * An interval begins at a multiple of its length since 1970. What completed in it makes one reading
 * of the clause's subject, and the reading keeps the limit or breaks it. It counts when at least
 * half of the interval was measured and the next one has begun; a batch belongs to the interval
 * that its middle lies in. Where nothing completed, a rate is 0, and a response time is that of the
 * I/O that was under way all the time, which is known when it completes; where none was, there is
 * no reading.
 *
 * Readings are counted in groups of neighbours, which show clusters. When all groups are in use,
 * pairs of them are put together, and the next ones are twice as large.
 */
#define PERIOD_GROUPS 256
/* The limit itself, then two that are easier and two that are harder to break: a limit that is
   kept easily shows little of its clusters (stat/estimate/limit_verdict.h). */
#define PERIOD_THRESHOLDS 3

struct period_group {
    uint64_t begin, end; /* slices of the original length, half open */
    uint32_t count;      /* readings */
    /* of them, those that may have broken limits that are ever easier to break, and those that
       surely have broken limits that are ever harder to: latencies are known to a bucket */
    uint32_t may[PERIOD_THRESHOLDS], surely[PERIOD_THRESHOLDS];
};

/* What one interval adds up. */
struct period_sum {
    uint64_t begin, end; /* slices of the original length */
    double covered_ns;
    struct slice slice;
    struct interval_histogram latency; /* of the clause's operations */
};

/* Intervals in which nothing completed, until the next I/O that does. */
struct period_silence {
    uint64_t begin, end; /* slices */
    uint64_t first_ns;   /* since 1970, when the first of them began */
    uint32_t count;
};

struct clause_periods {
    struct clause clause;
    uint64_t number; /* of the interval that is being filled */
    struct period_sum *sum;
    struct period_silence silence;
    struct period_group *groups; /* PERIOD_GROUPS; in order of time */
    struct period_group open;    /* being filled */
    size_t group_count;
    unsigned fold; /* a group has 2^fold readings */
    bool undated;  /* batches came without the time of day */
    bool too_long; /* batches came of which no whole number makes an interval */
};

size_t clause_periods_bytes(void);
/* -1: the arena is used up. */
int clause_periods_init(struct clause_periods *p, struct arena *arena);

/* Begin, with the clause that it is about from now on. */
void clause_periods_set(struct clause_periods *p, const struct clause *c);

/* The next batch, batch_ns long; its slices are those from the original slice `first` on. */
void clause_periods_add(struct clause_periods *p, const struct batch *batch, uint64_t batch_ns,
                        uint64_t first);

/* The groups in order of time, 0 .. clause_periods_groups(p) - 1, the open one included. */
size_t clause_periods_groups(const struct clause_periods *p);
const struct period_group *clause_periods_group(const struct clause_periods *p, size_t i);

/* ---- measurement.c ---- */

struct round {
    bool trial;
    bool ended;           /* false: the record breaks off in it */
    double begin_seconds; /* since the session began */
    double seconds;
    struct slice total; /* everything that completed, edges included */
};

#define MEASUREMENT_SLICES    8192
#define MEASUREMENT_STRETCHES 256
#define MEASUREMENT_CLAUSES   (2 * CLAUSES_MAX) /* about intervals: of the plan, and asked later */

struct measurement {
    double slice_seconds; /* of the original slices; set before the first batch */
    unsigned slice_fold;  /* a kept slice is 2^slice_fold original ones */
    struct slice *slices;
    size_t slice_count;
    struct slice partial;         /* the kept slice being filled */
    unsigned partial_count;       /* original slices in it */
    struct slice_timing *timings; /* beside `slices`; NULL: requests have no due times */
    struct slice_timing partial_timing;
    uint64_t original_slices; /* appended in all */

    unsigned stretch_fold;
    struct stretch *stretches;
    struct stretch_timing *stretch_timings; /* beside `stretches`, as `timings` */
    size_t stretch_count;
    struct stretch *open_stretch; /* being filled */
    unsigned open_count;          /* batches in it */

    struct latency_history history;
    struct job_histories jobs;      /* none: there is one, or --interval was not asked for */
    struct kind_stretches kinds;    /* none: all requests are of one kind */
    struct clause_periods *periods; /* MEASUREMENT_CLAUSES */
    size_t period_clauses;          /* how many of them are in use */

    struct round rounds[RESULT_ROUNDS_MAX];
    size_t round_count;
    uint64_t lost_slices;
};

/* Of these operations; `timed`: with room for requests with due times. */
size_t measurement_bytes(unsigned operations, bool timed);
int measurement_init(struct measurement *m, unsigned operations, bool timed, struct arena *arena);

/* Before the first batch: count the intervals in which that clause is kept, if it is about any. */
void measurement_watch_clause(struct measurement *m, const struct clause *c);
/* What was counted for the clause of that text; NULL: nothing was. */
const struct clause_periods *measurement_periods(const struct measurement *m, const char *text);

/* ERR_UNDECIDED when there is no room for another round. */
int measurement_begin_round(struct measurement *m, bool trial, double begin_seconds, struct err *e);
void measurement_add(struct measurement *m, const struct batch *batch);
void measurement_end_round(struct measurement *m, double seconds, const struct slice *total);

/* Length of a batch that nothing was left out of, and whose slices span so many original ones. */
uint64_t measurement_batch_ns(const struct measurement *m, unsigned span);

/* Length of a kept slice. */
double measurement_slice_seconds(const struct measurement *m);
/* Of slices [begin, end): their length without what nobody measured of it. */
double measurement_measured_seconds(const struct measurement *m, size_t begin, size_t end);

/* The stretches in order of time, 0 .. measurement_stretches(m) - 1, the open one included. */
size_t measurement_stretches(const struct measurement *m);
const struct stretch *measurement_stretch(const struct measurement *m, size_t i);
/* The latencies of a kind in it. */
const struct kind_latency *measurement_kind(const struct measurement *m, size_t i, unsigned kind);

#endif
