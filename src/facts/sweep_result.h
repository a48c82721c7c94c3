/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a sweep, as plain data: every run, and what its runs say of each configuration. */
#ifndef CUPEL_FACTS_SWEEP_RESULT_H
#define CUPEL_FACTS_SWEEP_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/result.h"
#include "facts/unseen.h"

enum sweep_ending {
    SWEEP_COMPLETE,
    SWEEP_INTERRUPTED, /* by a signal */
    SWEEP_LIMIT,       /* --limit came first */
    SWEEP_FAILED,      /* too many runs in a row failed, or none is possible any more */
};

const char *sweep_ending_name(enum sweep_ending ending); /* complete, interrupted, limit, failed */

struct sweep_column {
    const char *name;
    bool is_text;          /* of a factor */
    enum metric_kind kind; /* of a response, where it has a unit */
    bool has_unit;
};

/* A run as a row of runs.csv. */
struct sweep_run {
    uint32_t configuration; /* from 0 */
    uint32_t block;         /* from 1 */
    bool control;
    int64_t time_ns; /* when it began, since 1970 */
    double seconds;
    const char *host;
    const double *values; /* of the responses */
};

/* A response of a configuration, over its runs that are no controls. */
struct sweep_cell {
    uint64_t n;
    double mean, sd;
    double sd_low, sd_high; /* the interval of the SD; NaN: too few runs */
    double normality_p;     /* Shapiro and Wilk; NaN: too few runs */
    double one_mode_p;      /* Silverman; NaN: too few runs, or too many configurations for that */
    bool narrow;            /* the SD's interval is as narrow as the plan asks */
};

/* A response of a control configuration over the time of the sweep, on one host. */
struct sweep_drift {
    uint32_t configuration;
    size_t response;
    const char *host;
    uint64_t n;
    double hours; /* from its first run to its last */
    double mean;
    double change;    /* over that time, as a share of the mean: the slope of a line */
    double low, high; /* its interval; NaN: too few runs */
};

struct sweep_result {
    struct labels labels; /* what a person says of it: --label */
    char source[256];     /* the plan's name */
    enum sweep_ending ending;
    char failure[240]; /* SWEEP_FAILED: why; else the last failed run's reason, or "" */
    double confidence;
    size_t configuration_count; /* of the plan; those of controls alone come after them */
    size_t number_count;        /* with those */
    size_t factor_count, response_count;
    const struct sweep_column *factors, *responses;
    /* of configuration c and factor f, at [c * factor_count + f] */
    const char **level_text;
    double *level_number; /* NaN: text */
    const struct sweep_run *runs;
    size_t run_count;
    struct sweep_cell *cells; /* of configuration c and response r, at [c * response_count + r] */
    struct sweep_drift *drifts;
    size_t drift_count;
    uint64_t planned_runs; /* without controls; of an open number the least */
    bool open_repeats;     /* until the SD is known well enough: sd_width */
    double sd_width;
    uint64_t failed_runs;
    bool ended_undecided;    /* SWEEP_FAILED: because of such runs alone */
    uint64_t undecided_runs; /* of them: the target did not keep up */
    uint64_t left_out_runs;  /* by no fault of theirs, and begun again at once */
    char left_out_by[200];   /* the last one of them; "" */
    unsigned shard, shards;
    char unseen[UNSEEN_NOTE_BYTES]; /* what of the machine cannot be seen here, or "" */
    struct result_others others;    /* meanwhile, from this start to its end */
    char busy[160];                 /* as in struct result */
    double seconds;                 /* of all runs */
};

void sweep_result_free(struct sweep_result *r);

#endif
