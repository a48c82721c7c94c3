/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a sweep, as plain data: every run, and the statistics of each configuration. */
#ifndef CUPEL_FACTS_SWEEP_RESULT_H
#define CUPEL_FACTS_SWEEP_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/machine_unseen.h"
#include "facts/result.h"

enum sweep_ending {
    SWEEP_COMPLETE,
    SWEEP_INTERRUPTED, /* a signal ended the sweep */
    SWEEP_LIMIT,       /* --limit came first */
    SWEEP_FAILED,      /* too many runs in a row failed, or no further run is possible */
};

/* Returns "complete", "interrupted", "limit" or "failed". */
const char *sweep_ending_name(enum sweep_ending ending);

struct sweep_column {
    const char *name;
    bool is_text;          /* the levels of this factor are texts, not numbers */
    enum metric_kind kind; /* kind of the unit of a response */
    bool has_unit;
};

/* One run: a row of runs.csv. */
struct sweep_run {
    uint32_t configuration; /* number of the configuration, from 0 */
    uint32_t block;         /* number of the block, from 1 */
    bool control;
    int64_t time_ns; /* start in ns since 1970 */
    double seconds;
    const char *host;
    const double *values; /* [response_count], values of the responses */
};

#define SWEEP_INTERVAL_RUNS 5 /* minimum for an interval of a standard deviation */

/* A response of a configuration over its runs, without control runs. */
struct sweep_cell {
    uint64_t n;
    double mean, sd;
    double sd_low, sd_high; /* interval of the standard deviation; NaN: too few runs */
    double normality_p;     /* p-value of the Shapiro-Wilk test; NaN: too few runs */
    /* p-value of Silverman's test; NaN: too few runs, or too many configurations to test */
    double one_mode_p;
    /* the interval of the standard deviation is as narrow as the plan requests */
    bool narrow;
};

/* The drift of a control configuration's response over the time of the sweep, on one host. */
struct sweep_drift {
    uint32_t configuration;
    size_t response;
    const char *host;
    uint64_t n;
    double hours; /* time from the first run of the configuration to its last */
    double mean;
    /* change of the fitted line over these hours, divided by the mean */
    double change;
    double low, high; /* confidence interval of the change; NaN: too few runs */
};

struct sweep_result {
    struct labels labels; /* labels that the user gave by --label */
    char source[256];     /* the plan's name */
    enum sweep_ending ending;
    /* for SWEEP_FAILED: why the sweep failed; otherwise why the last failed run failed; "": no run
       failed */
    char failure[240];
    double confidence;
    /* number of the plan's configurations; configurations that are only controls have higher
       numbers */
    size_t configuration_count;
    /* number of all configurations, with those that are only controls */
    size_t number_count;
    size_t factor_count, response_count;
    const struct sweep_column *factors, *responses;
    /* [c * factor_count + f]: level of factor f in configuration c. */
    const char **level_text;
    double *level_number; /* NaN: the level is a text */
    const struct sweep_run *runs;
    size_t run_count;
    struct sweep_cell *cells; /* [c * response_count + r]: response r of configuration c */
    struct sweep_drift *drifts;
    size_t drift_count;
    /* number of planned runs without controls; the minimum if the number is open */
    uint64_t planned_runs;
    /* runs are repeated until the interval of the standard deviation is as narrow as sd_width */
    bool open_repeats;
    double sd_width;
    uint64_t failed_runs;
    /* for SWEEP_FAILED: the sweep ended because of undecided runs, not of errors */
    bool ended_undecided;
    uint64_t undecided_runs; /* number of failed runs in which the target did not keep up */
    /* number of runs that succeeded, but were left out of the result and repeated at once */
    uint64_t left_out_runs;
    char left_out_by[200]; /* why the last one of left_out_runs was left out, or "" */
    unsigned shard, shards;
    /* note on parts of the machine that cannot be seen here, or "" */
    char unseen[UNSEEN_NOTE_BYTES];
    /* load from other programs, from the time at which this process began or resumed the sweep */
    struct result_others others;
    char busy[160]; /* warning about other programs, as in struct result */
    double seconds; /* sum of the durations of all runs */
};

void sweep_result_free(struct sweep_result *r);

#endif
