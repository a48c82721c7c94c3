/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What measured configurations show without a model, or beside one. Plain data: src/map fills them,
   src/report prints them. Names and levels are those of the configurations. */
#ifndef CUPEL_FACTS_MAP_ANALYSIS_H
#define CUPEL_FACTS_MAP_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

/* A term at one type of sums of squares; NaN where there is no such number. */
struct variance_row {
    const char *type; /* "I", "II"; "" of residuals and the total */
    char term[140];
    double df, ss, ms, f, p;
    double eta2, partial_eta2, omega2;
};

/* The mean of the observations at one level of a factor. */
struct variance_level {
    const char *factor, *level;
    double count, mean, effect; /* effect: less the mean of all */
    double low, high;           /* interval of the mean; infinite: one observation */
};

struct variance_analysis {
    const char *response, *scale;
    double confidence;
    double observations;
    size_t configurations;
    struct variance_row *rows; /* type I, type II, residuals, total */
    size_t row_count;
    struct variance_level *levels;
    size_t level_count;
    const char *notes;
};

/* A response by two factors, or its change between two levels of a third one. */
struct heat_map {
    const char *response;
    const char *x, *y;
    size_t width, height;
    const char *const *x_levels, *const *y_levels; /* [width], [height]; numbers ascend */
    double *value;   /* [height][width], mean over configurations; NaN: there are none */
    bool is_change;  /* then below 0 as well as above */
    char where[320]; /* "file_kb = 1024, threads from 64 to 256"; "" */
    const char *notes;
};

/* Predictions of configurations that were left out, beside what was measured. */
struct map_scatter {
    const char *response, *method, *scale;
    double are_percent;
    size_t count;
    double *measured, *predicted;
    bool logarithmic; /* all are above 0 */
    const char *notes;
};

/* The levels of a factor by their response, the lowest first. */
struct map_rank {
    const char *level;
    size_t count;            /* configurations */
    double value, low, high; /* mean over configurations, geometric where `logarithmic` */
};

struct map_ranking {
    const char *response, *factor;
    double confidence;
    bool logarithmic, blocked; /* blocked: each configuration was measured at every level, and the
                                  intervals are of differences within configurations */
    bool predicted;            /* of predictions, otherwise of measurements */
    size_t count;
    struct map_rank *ranks;
    const char *notes;
};

/* A campaign against the first one, over the configurations that both measured. */
struct campaign {
    const char *name;
    size_t common;
    double ratio, low, high; /* geometric mean of the ratios of responses; NaN: none in common */
};

struct map_drift {
    const char *response, *column, *first;
    double confidence; /* of all intervals together */
    size_t count;
    struct campaign *campaigns;
    const char *notes;
};

/* The runs that a configuration takes until the interval of its mean is narrow enough. */
struct run_need {
    double mean, sd;    /* measured, or predicted */
    double done;        /* runs that were measured */
    double needed;      /* in all; NaN: more than can be counted, or not known */
    double seconds;     /* for those that are missing; NaN: not known */
    double uncertainty; /* of the standard deviation: high over low of its interval, 1 where it was
                           measured; infinite: unknown */
    bool next;          /* to be measured next, within the budget */
};

struct run_plan {
    const char *value, *method;
    double width, confidence; /* full width over mean */
    double budget_seconds;    /* 0: none was given */
    size_t column_count;
    const char **columns; /* [column_count] */
    size_t count;
    const char **cells; /* [count][column_count] */
    struct run_need *needs;
    double runs, seconds; /* of all that are missing; NaN: not known of some */
    const char *notes;
};

/* How the interval of a statistic closes in with a configuration's runs; NaN: not known. */
struct run_convergence {
    double runs, value;   /* that were measured, and what they say */
    double precision;     /* half the interval over |value| */
    double needed;        /* runs in all for the precision asked for, by resampling */
    double needed_by_law; /* by 1 / sqrt(runs) */
    bool beyond;          /* needed > runs: as if further runs were like those that were measured */
    double confirm; /* runs for the median by CONFIRM; NaN: more than there are, or not known */
    /* Of the way that the interval comes from `first` runs to all of them, 75 and 90 %: after how
       many runs, and after how many by the law. */
    double runs_75, runs_90, law_75, law_90;
};

struct map_convergence {
    const char *response;
    double width, confidence; /* full width over the response */
    double first;
    size_t column_count;
    const char **columns; /* [column_count] */
    size_t count;
    const char **cells;           /* [count][column_count] */
    struct run_convergence *runs; /* [count] */
    const char *notes;
};

#endif
