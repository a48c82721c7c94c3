/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a sweep, as plain data: every run, and the statistics of each configuration. */
#ifndef CUPEL_FACTS_SWEEP_RESULT_H
#define CUPEL_FACTS_SWEEP_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/result.h"
#include "facts/unseen.h"

enum sweep_ending {
    SWEEP_COMPLETE,
    SWEEP_INTERRUPTED, /* a signal ended it */
    SWEEP_LIMIT,       /* --limit came first */
    SWEEP_FAILED,      /* too many runs in a row failed, or no further run is possible */
};

const char *sweep_ending_name(enum sweep_ending ending); /* complete, interrupted, limit, failed */

struct sweep_column {
    const char *name;
    bool is_text;          /* true for a factor whose levels are texts */
    enum metric_kind kind; /* kind of a response that has a unit */
    bool has_unit;
};

/* One run: a row of runs.csv. */
struct sweep_run {
    uint32_t configuration; /* from 0 */
    uint32_t block;         /* from 1 */
    bool control;
    int64_t time_ns; /* when it began, since 1970 */
    double seconds;
    const char *host;
    const double *values; /* values of the responses */
};

#define SWEEP_INTERVAL_RUNS 5 /* runs that the interval of a standard deviation needs */

/* A response of a configuration, over its runs that are not controls. */
struct sweep_cell {
    uint64_t n;
    double mean, sd;
    double sd_low, sd_high; /* the interval of the standard deviation; NaN: too few runs */
    double normality_p;     /* p-value of the test by Shapiro and Wilk; NaN: too few runs */
    double one_mode_p;      /* p-value of Silverman's test; NaN: too few runs, or too many
                               configurations for that test */
    bool narrow;            /* the standard deviation's interval is as narrow as the plan
                               requests */
};

/* The drift of a response of a control configuration over the time of the sweep, on one host. */
struct sweep_drift {
    uint32_t configuration;
    size_t response;
    const char *host;
    uint64_t n;
    double hours; /* from its first run to its last */
    double mean;
    double change;    /* over that time, as a share of the mean: the slope of a fitted line */
    double low, high; /* interval of the change; NaN: too few runs */
};

struct sweep_result {
    struct labels labels; /* the user's labels: --label */
    char source[256];     /* the plan's name */
    enum sweep_ending ending;
    char failure[240]; /* SWEEP_FAILED: the reason; otherwise the reason of the last failed run, or
                          "" */
    double confidence;
    size_t configuration_count; /* configurations of the plan; those that are only controls come
                                   after them */
    size_t number_count;        /* number of configurations with those controls */
    size_t factor_count, response_count;
    const struct sweep_column *factors, *responses;
    /* Level of configuration c and factor f, at [c * factor_count + f]. */
    const char **level_text;
    double *level_number; /* NaN: the level is a text */
    const struct sweep_run *runs;
    size_t run_count;
    struct sweep_cell *cells; /* configuration c and response r, at [c * response_count + r] */
    struct sweep_drift *drifts;
    size_t drift_count;
    uint64_t planned_runs; /* without controls; the minimum if the number is open */
    bool open_repeats;     /* runs repeat until the standard deviation is known well enough:
                              sd_width */
    double sd_width;
    uint64_t failed_runs;
    bool ended_undecided;    /* SWEEP_FAILED: only because of undecided runs */
    uint64_t undecided_runs; /* failed runs in which the target did not keep up */
    uint64_t left_out_runs;  /* runs that were left out although they did not fail themselves, and
                                repeated at once */
    char left_out_by[200];   /* reason of the last one that was left out; "" */
    unsigned shard, shards;
    char unseen[UNSEEN_NOTE_BYTES]; /* the parts of the machine that cannot be seen here, or "" */
    struct result_others others;    /* load of others from this start to the end */
    char busy[160];                 /* as in struct result */
    double seconds;                 /* duration of all runs together */
};

void sweep_result_free(struct sweep_result *r);

#endif
