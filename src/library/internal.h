/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/library share. Their contract with programs is include/cupel.h. */
#ifndef CUPEL_LIBRARY_INTERNAL_H
#define CUPEL_LIBRARY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "include/cupel.h"
#include "run/plan/plan.h"
#include "stat/judge.h"

struct library_metric {
    char name[64];
    unsigned flags; /* enum cupel_metric_flags */
    enum mean_kind kind;
    double *readings;
    size_t count, capacity;
    struct judgement judgement; /* of the first judged_count readings */
    size_t judged_count;        /* 0: of none */
    size_t next_count;          /* readings at which `enough` judges again */
};

struct cupel_session {
    struct plan plan; /* its statistics, and how long it may take */
    struct library_metric metrics[CUPEL_METRICS_MAX];
    size_t metric_count;
    bool stopping;        /* somebody stops when it is enough */
    bool trial;           /* what is pushed is not kept */
    struct arena scratch; /* of judgements; grows with the readings */
};

/* Copies it to the caller's struct, which may be NULL. Always returns -1. */
int library_fail(struct cupel_error *error, const struct err *e);

/* NULL, ERR_USAGE: the session has no metric of that index. */
struct library_metric *library_metric_of(struct cupel_session *s, int index, struct err *e);

/* session.c: append one or more; what the metric can have was checked. ERR_MACHINE. */
int metric_append(struct library_metric *m, const double readings[], size_t count, struct err *e);

/* judgement.c: forget what was judged by other settings. */
void metric_forget(struct library_metric *m);
/* judgement.c: room for judging so many readings. ERR_MACHINE. */
int library_scratch(struct cupel_session *s, size_t readings, struct err *e);
/* judgement.c: cupel_enough, and the first metric that is not, or NULL. */
int library_enough(struct cupel_session *s, struct library_metric **lacking, struct err *e);
/* judgement.c: judge all readings of a metric, unless they are judged. ERR_MACHINE. */
int library_judge(struct cupel_session *s, struct library_metric *m, struct err *e);

/* measure.c: the rounds of one function. */
struct library_rounds {
    struct cupel_session *session;
    cupel_round_function function;
    void *context;
    struct cupel_round round;
};

/* Trial rounds. ERR_FAILED. */
int library_trials(struct library_rounds *r, struct err *e);
/* One that counts, with the readings that are the library's own. ERR_FAILED, ERR_MACHINE. */
int library_round(struct library_rounds *r, struct err *e);

struct judge_config library_config(const struct cupel_session *s, const struct library_metric *m);

#endif
