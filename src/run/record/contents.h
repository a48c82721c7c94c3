/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of a session: all data from which its result is computed. A record stores the same
 * data.
 *
 * session_run fills them during the session, or record_read does. The arena given to
 * contents_init owns the memory. `scratch` is for judging; its size is fixed at the start, for
 * the longest series.
 */
#ifndef CUPEL_RUN_RECORD_CONTENTS_H
#define CUPEL_RUN_RECORD_CONTENTS_H

#include "base/arena.h"
#include "base/machine/clock_error.h"
#include "facts/fact.h"
#include "facts/inventory.h"
#include "facts/log/kernel_log.h"
#include "facts/result.h"
#include "run/measurement/measurement.h"
#include "run/plan/plan.h"
#include "run/replay/fidelity.h"
#include "run/watch/gauge_samples.h"

/* The cost of measuring (Li et al., Pilot (2016), III-C). NaN: not measured. */
struct overhead {
    double null_ns;       /* processor time per I/O of the whole loop, on the null backend */
    double recorded_iops; /* IOPS of equal rounds: with recording on, and with recording off */
    double unrecorded_iops;
    double noise_share; /* half the width of the 95 % interval of recording's cost, as a share */
};

/* A ratio and its interval; NaN: not measured. */
struct block_layer_ratio {
    double value, low, high;
};

/*
 * The ratio of a workload through the kernel's block layer to the same workload that bypasses it.
 */
struct block_layer {
    struct block_layer_ratio iops;
    struct block_layer_ratio cpu; /* processor time per I/O */
    /* number of pairs of rounds from which the ratios were computed */
    double pairs;
};

/* Totals of the timed loops of all workers (run/loop/timed_loop.h). */
struct timing_totals {
    bool saturated; /* the target does not keep up with the due requests */
    /* number of requests that were due and not issued when the last round ended */
    uint64_t end_backlog;
    bool end_backlog_at_least; /* end_backlog is a lower bound */
    uint64_t end_late_ns;      /* how long the oldest request of end_backlog had been due */
    /* number of requests that were due and not issued at the ends of all measured rounds */
    uint64_t never_issued;
    bool never_issued_at_least;
    /* in a replay: number of requests made of the trace's events, and number of events that became
       several requests each */
    uint64_t requests, split;
    uint64_t no_slot_ns; /* time in which a request was due and all slots were in use */
};

/* A suspension of this program (see run/loop/suspension.c). */
struct suspended {
    double begin_seconds; /* since the session began */
    double seconds;
};
/* Maximum numbers of result periods, over all operations. CONTENTS_PERIODS: for one period of the
   history and the gap before it. CONTENTS_JOB_PERIODS: for all periods of a job, without gaps. */
#define CONTENTS_PERIODS     ((size_t)2 * OPERATIONS)
#define CONTENTS_JOB_PERIODS ((size_t)OPERATIONS * HISTORY_PERIODS) /* for each job */
#define CONTENTS_SUSPENSIONS 64 /* a later suspension is added to the last one */

/* Series over the time slices, MEASUREMENT_SLICES values each. */
struct contents_series {
    /* the readings that are judged, whose stable segment applies to all series */
    double *headline;
    /* numerators and denominators of the ratio that is being estimated */
    double *numerator, *denominator;
    double *iops, *bandwidth, *response_time; /* series that the result shows, and points to */
};

/* State of a record's reader: values from earlier chunks that the next batch depends on. */
struct record_timeline {
    uint64_t slice_ns; /* length of the original slices; 0: not known */
    bool has_slices;   /* a batch with slices was read */
    bool has_dated;    /* a batch with latencies and a known time of day was read */

    bool in_round, in_trial;
    double round_begin_seconds; /* begin of the last round, since the session began */

    uint64_t wall_ns; /* begin of the next batch on the wall clock; 0: not known */
    unsigned span;    /* span of the next batch's slices, from SPAN; 0: no SPAN was read */
    /* `has_spans`: some batches have a SPAN chunk; `span_lost`: that of the next batch may be
       lost */
    bool has_spans, span_lost;
    bool timing_read;    /* TIMG was read, and the BTCH that follows it not yet */
    bool stretches_read; /* BUSY was read, and the BTCH that follows it not yet */
    bool kinds_read;     /* KIND was read, and the BTCH that follows it not yet */
};

struct contents {
    struct plan plan;
    /* clauses that replace the plan's; "": the plan's clauses are judged */
    char judged_by[sizeof((struct plan *)0)->ending.sla];
    struct measurement measurement;
    struct facts settings;
    struct inventory hardware; /* freed by contents_free */
    struct watch watch;
    /* the largest error that was measured; source "": none was measured */
    struct clock_error clock;
    struct overhead overhead;
    struct block_layer block_layer;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
    struct result_slow slow[RESULT_SLOW_MAX];
    size_t slow_count;
    struct suspended suspensions[CONTENTS_SUSPENSIONS];
    size_t suspension_count;
    struct kernel_log kernel_log;

    struct record_timeline timeline; /* for a record that is being read */

    /* used for requests with due times; all are NULL if the contents have no memory for them */
    struct interval_timing *batch_timing; /* for the batch that is being read or collected */
    struct histogram *issue_error;        /* issue errors in the stable segment */
    struct histogram *service;            /* OPERATIONS histograms of the stable segment */
    uint64_t *issue_error_counts;         /* HISTOGRAM_BUCKETS */
    double *timing_series[4];             /* for the result; MEASUREMENT_SLICES each */
    struct fidelity *fidelity;            /* shape of a replay's trace */
    struct timing_totals timing;

    bool one_pass; /* the contents are parts of a single pass, although the plan does not say so */
    bool ended;    /* false: the record is cut short */
    enum verdict verdict;
    char failure[240];
    double elapsed_seconds;
    uint64_t records_lost, records_seen;

    struct contents_series series;
    double *histogram_edges; /* [HISTOGRAM_BUCKETS + 1] */
    uint64_t *histogram_counts[OPERATIONS];
    struct histogram *latency;     /* OPERATIONS histograms of the stable segment */
    struct result_period *periods; /* periods for the result; those of jobs come last */
    struct result_priority priorities[RESULT_PRIORITIES_MAX]; /* for the result */
    struct arena scratch;
};

/* Returns true if the contents are those of a single pass, which is measured as a whole. */
static inline bool contents_is_one_pass(const struct contents *c)
{
    return c->one_pass || plan_is_one_pass(&c->plan);
}

/* Allocates memory for completions of these operations (a bit set; a reader does not know the
   operations and passes all of them). `timed`: also for requests with due times, and for the shape
   of a trace. */
int contents_init(struct contents *c, unsigned operations, bool timed, struct arena *arena,
                  struct err *e);
/* Allocates memory for separate latencies of `jobs` jobs (struct job_histories). Must be called
   before anything is measured. */
int contents_keep_jobs(struct contents *c, unsigned jobs, unsigned operations, struct arena *arena,
                       struct err *e);
size_t contents_jobs_bytes(unsigned jobs, unsigned operations);
/* Allocates memory for `periods` periods of latencies instead of HISTORY_PERIODS. Must be called
   before anything is added. */
int contents_keep_periods(struct contents *c, size_t periods, struct arena *arena, struct err *e);
size_t contents_periods_bytes(size_t periods);
void contents_set_plan(struct contents *c, const struct plan *plan);
/* Adds limits of an SLA that will be judged. Must be called before the first batch.
   contents_set_plan adds the limits of the plan. */
void contents_watch_clauses(struct contents *c, const char *sla);
void contents_free(struct contents *c);
size_t contents_bytes(unsigned operations, bool timed);

void contents_note(struct contents *c, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a measurement of the clock's error. The largest error is stored; an unknown error counts as
   the largest. */
void contents_clock(struct contents *c, const struct clock_error *seen);

void contents_suspension(struct contents *c, const struct suspended *suspended);

#endif
