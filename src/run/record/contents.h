/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of a session: everything that its result is made of and that a record holds.
 *
 * Filled by session_run as it goes, or by record_read. The arena given to contents_init owns the
 * memory. `scratch` is for judging; it is sized once, for the longest series.
 */
#ifndef CUPEL_RUN_RECORD_CONTENTS_H
#define CUPEL_RUN_RECORD_CONTENTS_H

#include "base/arena.h"
#include "base/machine/clock_error.h"
#include "facts/fact.h"
#include "facts/inventory.h"
#include "facts/log/kernel_log.h"
#include "facts/result.h"
#include "replay/fidelity.h"
#include "run/measurement/measurement.h"
#include "run/plan/plan.h"
#include "run/watch/watch.h"

/* What measuring itself costs (Li et al., Pilot (2016), III-C). NaN: not measured. */
struct overhead {
    double null_ns;       /* processor time per I/O of the whole loop on the null backend */
    double recorded_iops; /* readings of like rounds, recording on and off */
    double unrecorded_iops;
    double noise_share; /* half the width of the 95 % interval of recording's cost, a share */
};

/* A ratio and its interval; NaN: not measured. */
struct block_layer_ratio {
    double value, low, high;
};

/* The same workload through the kernel's block layer, over that past it. */
struct block_layer {
    struct block_layer_ratio iops;
    struct block_layer_ratio cpu; /* processor time for an I/O */
    double pairs;                 /* of like rounds that both are from */
};

/* Totals of the timed loops of all workers (run/loop/timed_loop.h). */
struct timing_totals {
    bool saturated;            /* the target does not keep up with the requests that fall due */
    uint64_t end_backlog;      /* due and not issued when the last round ended */
    bool end_backlog_at_least; /* more may have been due */
    uint64_t end_late_ns;      /* how long the oldest of them had been due */
    uint64_t never_issued;     /* due and not issued when measured rounds ended, of all of them */
    bool never_issued_at_least;
    uint64_t requests, split; /* of a replay: made of its events, and events made into several */
    uint64_t no_slot_ns;      /* time in which something was due and all slots were in use */
};

/* This program was suspended, see run/loop/suspension.c. */
struct suspended {
    double begin_seconds; /* since the session began */
    double seconds;
};
/* Of a period of the history, gaps and all operations included. */
#define CONTENTS_PERIODS     ((size_t)2 * IO_OPS)
#define CONTENTS_JOB_PERIODS ((size_t)IO_OPS * HISTORY_PERIODS) /* of each job */
#define CONTENTS_SUSPENSIONS 64 /* a later one is added to the last */

/* Series over the time slices, MEASUREMENT_SLICES values each. */
struct contents_series {
    double *headline;                /* the readings that are judged: their segment holds for all */
    double *numerator, *denominator; /* of the ratio that is estimated at the moment */
    double *iops, *bandwidth, *response_time; /* the result points to these */
};

/* Where in a record its reader is: what the next batch depends on, out of the chunks before it. */
struct record_timeline {
    uint64_t slice_ns; /* of the original slices; 0: not known */
    bool has_slices;   /* some came */
    bool has_dated;    /* a batch with latencies came whose time of day is known */

    bool in_round, in_trial;
    double round_begin_seconds; /* of the last round, since the session began */

    uint64_t wall_ns;          /* when the next batch begins; 0: not known */
    unsigned span;             /* of its slices, from SPAN; 0: none came */
    bool has_spans, span_lost; /* some batches have one; that of the next may be missing */
    bool timing_read;          /* TIMG came, its BTCH not yet */
    bool stretches_read;       /* and BUSY */
    bool kinds_read;           /* and KIND */
};

struct contents {
    struct plan plan;
    char judged_by[sizeof((struct plan *)0)->sla]; /* other clauses than the plan's; "": its own */
    struct measurement measurement;
    struct facts settings;
    struct inventory hardware; /* contents_free gives it back */
    struct watch watch;
    struct clock_error clock; /* the worst that was seen; source "": nobody looked */
    struct overhead overhead;
    struct block_layer block_layer;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
    struct result_slow slow[RESULT_SLOW_MAX];
    size_t slow_count;
    struct suspended suspensions[CONTENTS_SUSPENSIONS];
    size_t suspension_count;
    struct kernel_log kernel_log;

    struct record_timeline timeline; /* of a record that is being read */

    /* requests with due times; all NULL where there is no room for them */
    struct interval_timing *batch_timing; /* of the batch that is being read or collected */
    struct histogram *issue_error;        /* of the stable segment */
    struct histogram *service;            /* IO_OPS of the stable segment */
    uint64_t *issue_error_counts;         /* HISTOGRAM_BUCKETS */
    double *timing_series[4];             /* of the result; MEASUREMENT_SLICES each */
    struct fidelity *fidelity;            /* the shape of a replay's trace */
    struct timing_totals timing;

    bool one_pass; /* of parts of one pass; a plan with one pass says so itself */
    bool ended;    /* false: the record breaks off */
    enum verdict verdict;
    char failure[240];
    double elapsed_seconds;
    uint64_t records_lost, records_seen;

    struct contents_series series;
    double *histogram_edges; /* HISTOGRAM_BUCKETS + 1 */
    uint64_t *histogram_counts[IO_OPS];
    struct histogram *latency;     /* IO_OPS of the stable segment */
    struct result_period *periods; /* of the result, those of jobs last */
    struct result_priority priorities[RESULT_PRIORITIES_MAX]; /* of the result */
    struct arena scratch;
};

/* Is all of it one pass, known as a whole? */
static inline bool contents_is_one_pass(const struct contents *c)
{
    return c->one_pass || plan_is_one_pass(&c->plan);
}

/* For completions of these operations (a set; a reader, who does not know them, keeps room for
   all). `timed`: with room for requests with due times, and for the shape of a trace. */
int contents_init(struct contents *c, unsigned operations, bool timed, struct arena *arena,
                  struct err *e);
/* Room for so many jobs of their own (struct job_histories), before anything is measured. */
int contents_keep_jobs(struct contents *c, unsigned jobs, unsigned operations, struct arena *arena,
                       struct err *e);
size_t contents_jobs_bytes(unsigned jobs, unsigned operations);
/* Room for so many periods of latencies, in place of HISTORY_PERIODS; before anything is added. */
int contents_keep_periods(struct contents *c, size_t periods, struct arena *arena, struct err *e);
size_t contents_periods_bytes(size_t periods);
void contents_set_plan(struct contents *c, const struct plan *plan);
/* Before the first batch: limits of an SLA that will be judged; of the plan's own contents_set_plan
   knows. */
void contents_watch_clauses(struct contents *c, const char *sla);
void contents_free(struct contents *c);
size_t contents_bytes(unsigned operations, bool timed);

void contents_note(struct contents *c, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Its clock was looked at once more: the largest error counts, and one that is not known most. */
void contents_clock(struct contents *c, const struct clock_error *seen);

void contents_suspension(struct contents *c, const struct suspended *suspended);

#endif
