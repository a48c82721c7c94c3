/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What measured configurations show without a model, or beside one. Plain data: src/stat/map fills
   it, src/report prints it. Names and levels are those of the configurations. */
#ifndef CUPEL_FACTS_MAP_ANALYSIS_H
#define CUPEL_FACTS_MAP_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

/* A term of an analysis of variance, with one type of sums of squares; NaN for a number that does
   not exist. */
struct variance_row {
    const char *type; /* "I", "II"; "" for residuals and the total */
    char term[140];
    double df, ss, ms, f, p;
    double eta2, partial_eta2, omega2;
};

/* The mean of the observations at one level of a factor. */
struct variance_level {
    const char *factor, *level;
    double count, mean, effect; /* effect: the mean minus the mean of all observations */
    double low, high;           /* interval of the mean; infinite with one observation */
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
    const char *const *x_levels, *const *y_levels; /* [width], [height]; numeric levels ascend */
    double *value;   /* [height][width], mean over configurations; NaN: no configuration */
    bool is_change;  /* a change between levels: values may be below 0 */
    char where[320]; /* "file_kb = 1024, threads from 64 to 256"; "" */
    const char *notes;
};

/* Predictions of configurations that were left out of the fit, beside their measurements. */
struct map_scatter {
    const char *response, *method, *scale;
    double are_percent;
    size_t count;
    double *measured, *predicted;
    bool logarithmic; /* all values are above 0 */
    const char *notes;
};

/* A level of a factor with its response; the list begins with the lowest response. */
struct map_rank {
    const char *level;
    size_t count;            /* number of configurations with this level */
    double value, low, high; /* mean over configurations, geometric where `logarithmic` */
};

struct map_ranking {
    const char *response, *factor;
    double confidence;
    bool logarithmic, blocked; /* blocked: each configuration was measured at every level, and the
                                  intervals are of differences within configurations */
    bool predicted;            /* values are predictions; false: measurements */
    size_t count;
    struct map_rank *ranks;
    const char *notes;
};

/* A campaign compared with the first one, over the configurations that both measured. */
struct campaign {
    const char *name;
    size_t common;
    double ratio, low, high; /* geometric mean of the ratios of responses; NaN: no common
                                configuration */
};

struct map_drift {
    const char *response, *column, *first;
    double confidence; /* holds for all intervals together */
    size_t count;
    struct campaign *campaigns;
    const char *notes;
};

/* The number of runs that a configuration needs until the interval of its mean is narrow enough. */
struct run_need {
    double mean, sd;    /* measured, or predicted */
    double done;        /* number of runs that were measured */
    double needed;      /* runs in all; NaN: too many to count, or not known */
    double seconds;     /* time for the missing runs; NaN: not known */
    double uncertainty; /* uncertainty of the standard deviation: upper over lower end of its
                           interval; 1 if it was measured; infinite: unknown */
    bool next;          /* to be measured next, within the budget */
};

struct run_plan {
    const char *value, *method;
    double width, confidence; /* full width of the interval over the mean, and its confidence */
    double budget_seconds;    /* 0: no budget was given */
    size_t column_count;
    const char **columns; /* [column_count] */
    size_t count;
    const char **cells; /* [count][column_count] */
    struct run_need *needs;
    double runs, seconds; /* sums over all missing runs; NaN: not known for some configuration */
    const char *notes;
};

/* How the interval of a statistic becomes narrower with a configuration's runs; NaN: not known. */
struct run_convergence {
    double runs, value;   /* number of measured runs, and the statistic's value */
    double precision;     /* half the interval over |value| */
    double needed;        /* runs in all for the requested precision, by resampling */
    double needed_by_law; /* runs in all by the law 1 / sqrt(runs) */
    bool beyond;          /* needed > runs: an estimate that takes further runs to be like the
                             measured ones */
    double confirm; /* runs for the median by CONFIRM; NaN: more than were measured, or not known */
    /* The numbers of runs after which the interval's width has gone 75 and 90 % of the way from
       `first` runs to all of them, as measured and by the law. */
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
