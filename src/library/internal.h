/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/library. include/cupel.h is their contract with
   programs. */
#ifndef CUPEL_LIBRARY_INTERNAL_H
#define CUPEL_LIBRARY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "include/cupel.h"
#include "run/plan/plan.h"
#include "stat/column_verdict.h"
#include "stat/judge.h"
#include "stat/wps/work_session.h"

/* Readings and rounds are judged again when their number has grown by 1 / LIBRARY_LOOKS. */
#define LIBRARY_LOOKS 20

#define LIBRARY_TIMED_WORK                                                                         \
    "metric \"%.63s\" times rounds with their set-up, which a range of work leaves out: "          \
    "cupel_speed has the speed; leave CUPEL_TIMED out"

struct library_limits {
    struct clauses clauses;
    struct column_verdict verdicts[CLAUSES_MAX]; /* verdicts on the judged readings */
    bool decided;                                /* all verdicts are decided */
};

struct library_metric {
    char name[64];
    unsigned flags; /* enum cupel_metric_flags */
    enum mean_kind kind;
    double width; /* requested by cupel_set_width; 0: "ci" of the session applies */
    double *readings;
    size_t count, capacity;
    struct judgement judgement;    /* judgement of the first judged_count readings */
    size_t judged_count;           /* 0: nothing has been judged */
    size_t next_count;             /* number of readings from which on cupel_enough judges again */
    struct library_limits *limits; /* or NULL */
};

struct cupel_session {
    struct plan plan; /* settings of the statistics and of the duration */
    struct library_metric metrics[CUPEL_METRICS_MAX];
    size_t metric_count;
    /* "min-samples" as the caller set it: minimum number of readings for a decision; 0: not set, so
       the stop rule's default applies */
    size_t fewest;
    /* cupel_enough or cupel_measure was called, so the caller's decision to stop depends on the
       readings */
    bool stopping;
    bool measuring;       /* cupel_measure or cupel_compare_rounds is running */
    bool trial;           /* in a trial round: pushed readings are dropped */
    struct arena scratch; /* memory for judgements; becomes larger with the number of readings */

    /* rounds with different amounts of work; all zeros: the session has no such rounds */
    struct work_session work;
    unsigned work_processor_time;
    /* number of rounds that the speed was last fitted to; number of rounds at which it is fitted
       again */
    size_t fitted, next_fit;

    double rounds_seconds; /* seconds of all measured rounds */
    uint64_t judging_ns;
};

/* Copies an error to the caller's struct, which may be NULL. Always returns -1. */
int library_fail(struct cupel_error *error, const struct err *e);

/* Returns -1 with ERR_USAGE if the session is NULL, else 0. */
int library_is_there(const struct cupel_session *s, struct err *e);

/* Returns NULL with ERR_USAGE if there is no session, or no metric with that index. */
struct library_metric *library_metric_of(struct cupel_session *s, int index, struct err *e);

/* session.c: appends one or more readings, which were checked before. Errors: ERR_MACHINE. */
int metric_append(struct library_metric *m, const double readings[], size_t count, struct err *e);

/* judgement.c: discards judgements made with other settings. */
void metric_forget(struct library_metric *m);
/* judgement.c: allocates memory for judging this number of readings. Errors: ERR_MACHINE. */
int library_scratch(struct cupel_session *s, size_t readings, struct err *e);
/* judgement.c: implements cupel_enough: returns 1, 0 or -1. With 0, *lacking is the first metric
   that is not precise enough, or NULL if it is the speed. */
int library_enough(struct cupel_session *s, struct library_metric **lacking, struct err *e);
/* judgement.c: judges all readings of a metric that are not judged yet. Errors: ERR_MACHINE. */
int library_judge(struct cupel_session *s, struct library_metric *m, struct err *e);

static inline bool library_has_range(const struct cupel_session *s)
{
    return s->work.plan.limits.max > 0;
}
/* speed.c: implements cupel_push_round. */
int library_push_round(struct cupel_session *s, uint64_t work, double seconds, struct err *e);
/* speed.c: returns true if the speed is precise enough. Fits the rounds only if there are enough
   new ones. */
bool library_speed_enough(struct cupel_session *s);

/* measure.c: the rounds of one function. */
struct library_rounds {
    struct cupel_session *session;
    cupel_round_function function;
    void *context;
    struct cupel_round round;
};

/* Returns -1 with ERR_USAGE if there is no session or function, or the session is being measured
   already. */
int library_may_measure(const struct library_rounds *r, struct err *e);
/* Runs the trial rounds. Errors: ERR_FAILED. */
int library_trials(struct library_rounds *r, struct err *e);
/* Runs a round that counts, and adds the readings of CUPEL_TIMED metrics. Errors: ERR_FAILED,
   ERR_MACHINE. */
int library_round(struct library_rounds *r, struct err *e);

struct judge_config library_config(const struct cupel_session *s, const struct library_metric *m);

#endif
