/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses of measured configurations that need no fitted model. Plain data: src/stat/map fills it,
   src/report prints it. Names and levels are those of the configurations. */
#ifndef CUPEL_FACTS_MAP_ANALYSIS_H
#define CUPEL_FACTS_MAP_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

/* A term of an analysis of variance, with one type of sums of squares. NaN: the number is not
   defined. */
struct variance_row {
    const char *type; /* "I", "II"; "": residuals, or the total */
    char term[140];
    double df, ss, ms, f, p;
    double eta2, partial_eta2, omega2;
};

/* The mean of the observations at one level of a factor. */
struct variance_level {
    const char *factor, *level;
    double count, mean, effect; /* `effect`: the mean minus the mean of all observations */
    double low, high;           /* confidence interval of the mean; infinite for one observation */
};

struct variance_analysis {
    const char *response, *scale;
    double confidence;
    double observations;
    size_t configurations;
    struct variance_row *rows; /* rows in this order: type I, type II, residuals, total */
    size_t row_count;
    struct variance_level *levels;
    size_t level_count;
    const char *notes;
};

/* A response as a function of two factors, or its change between two levels of a third factor. */
struct heat_map {
    const char *response;
    const char *x, *y; /* y "": the response is a function of one factor, and the height is 1 */
    size_t width, height;
    const char *const *x_levels, *const *y_levels; /* [width], [height]; numeric levels ascend */
    const double *x_numbers; /* [width], levels of x as numbers; NULL: they are texts */
    const char *per;         /* factor that responses were divided by; "": none */
    double *value;           /* [height][width], mean over configurations; NaN: no configuration */
    bool is_change;          /* values are changes between two levels, and may be below 0 */
    /* the levels at which other factors are fixed: "file_kb = 1024, threads from 64 to 256"; "":
       there are none */
    char where[320];
    const char *notes;
};

/* Predictions and measurements of configurations that were left out of the fit. */
struct map_scatter {
    const char *response, *method, *scale;
    double are_percent;
    size_t count;
    double *measured, *predicted;
    bool logarithmic; /* all values are above 0, so axes may be logarithmic */
    const char *notes;
};

/* A level of a factor with its response. The ranking begins with the lowest response. */
struct map_rank {
    const char *level;
    size_t count; /* number of configurations with this level */
    /* mean over configurations (geometric if `logarithmic`), and its interval */
    double value, low, high;
};

struct map_ranking {
    const char *response, *factor;
    double confidence;
    /* `blocked`: each configuration was measured at every level, and intervals are those of
       differences within configurations */
    bool logarithmic, blocked;
    bool predicted; /* values are predictions; false: measurements */
    size_t count;
    struct map_rank *ranks;
    const char *notes;
};

/* The ratio of a campaign to the first campaign, over the configurations that both measured. */
struct campaign {
    const char *name;
    size_t common;
    /* geometric mean of the ratios of responses to the first campaign; NaN: no common
       configuration */
    double ratio, low, high;
};

struct map_drift {
    const char *response, *column, *first;
    double confidence; /* simultaneous confidence of all intervals */
    size_t count;
    struct campaign *campaigns;
    const char *notes;
};

/* How many runs a configuration needs until the interval of its mean is narrow enough. */
struct run_need {
    double mean, sd; /* mean and standard deviation of runs, measured or predicted */
    double done;     /* number of measured runs */
    double needed;   /* total number of runs; NaN: too many to count, or not known */
    double seconds;  /* time that the missing runs take; NaN: not known */
    /* upper end of the interval of `sd` divided by its lower end; 1: sd was measured; infinite: not
       known */
    double uncertainty;
    bool next; /* these runs are to be measured next, within the budget */
};

struct run_plan {
    const char *value, *method;
    /* requested full width of the interval relative to the mean, and its confidence */
    double width, confidence;
    double budget_seconds; /* 0: no budget was given */
    size_t column_count;
    const char **columns; /* [column_count] */
    size_t count;
    const char **cells; /* [count][column_count] */
    struct run_need *needs;
    double runs, seconds; /* sums over all missing runs; NaN: not known for some configuration */
    const char *notes;
};

/* How the interval of a statistic becomes narrower as a configuration is run more often; NaN: not
   known. */
struct run_convergence {
    double runs, value; /* number of measured runs, and the statistic's value */
    double precision;   /* half width of the interval divided by |value| */
    double needed;      /* total runs needed for the requested precision, estimated by resampling */
    /* total runs for the requested precision, if the width falls as 1 / sqrt(runs) */
    double needed_by_law;
    /* needed > runs: an estimate, which assumes that further runs resemble the measured ones */
    bool beyond;
    /* runs that the method CONFIRM requires for the median; NaN: more than were measured, or not
       known */
    double confirm;
    /* From `first` runs to all of them, the interval's width decreases. These are the numbers of
       runs after which it has made 75 % and 90 % of that decrease: runs_75 and runs_90 as measured,
       law_75 and law_90 if the width falls as 1 / sqrt(runs). */
    double runs_75, runs_90, law_75, law_90;
};

struct map_convergence {
    const char *response;
    /* requested full width of the interval relative to the response, and its confidence */
    double width, confidence;
    double first;
    size_t column_count;
    const char **columns; /* [column_count] */
    size_t count;
    const char **cells;           /* [count][column_count] */
    struct run_convergence *runs; /* [count] */
    const char *notes;
};

#endif
