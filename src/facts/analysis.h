/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of `cupel analyze` for one column of numbers, as plain data. src/cmd fills it from the
 * pipeline's judgement, src/report prints it.
 *
 * It owns nothing: strings, readings and change points belong to the code that filled it and
 * outlive it.
 */
#ifndef CUPEL_FACTS_ANALYSIS_H
#define CUPEL_FACTS_ANALYSIS_H

#include "facts/change/change_search.h"
#include "facts/result.h"

#define ANALYSIS_PERCENTILE(metric, share) ANALYSIS_##metric,
enum { PERCENTILE_ROWS(ANALYSIS_PERCENTILE) ANALYSIS_PERCENTILES };
#undef ANALYSIS_PERCENTILE
#define ANALYSIS_DEEP_PERCENTILES 3 /* p99.999 and deeper, where there are enough readings */

struct analysis_percentile {
    const char *name; /* "p99.9" */
    double share, value;
    double low, high;   /* the interval; NaN when there is none, and then the note says why */
    double effective_n; /* independent readings at the percentile itself */
    char note[120];
};

struct analysis {
    struct labels labels;
    const char *source; /* the file's name, "-" for standard input */
    const char *column; /* the column's name or number, "" for a file of single numbers */
    const double *values;
    size_t n; /* all readings, including those outside the stable segment */

    /* The pipeline's judgement; indices are 0-based, segments half open. */
    size_t stable_begin, stable_end;
    const size_t *changepoints; /* first reading of each new segment */
    size_t changepoint_count;
    const char *phase; /* flat, warmup, slowdown, no_steady_state */
    enum change_search search;
    const char *search_name;    /* name of the search for changes */
    double mean;                /* mean of the stable segment, by the method named below; NaN: no
                                   mean */
    double low, high;           /* the mean's interval; infinite when there are too few readings */
    double confidence;          /* 0.95 */
    double next_low, next_high; /* prediction interval of the mean of as many further readings; NaN:
                                   nothing is predicted */
    bool asked;                 /* a precision was requested; otherwise the default one is used */
    double target_width;        /* requested full width of the interval over the mean */
    bool width_given;           /* --ci requested it; otherwise a preset or the default */
    double decided_width;   /* width of the interval, with the allowance for stopping as soon as it
                               is narrow */
    bool enough;            /* decided_width is as narrow as requested, with enough readings */
    bool held_back;         /* only the claim's doubt keeps it from being enough */
    double required_n;      /* readings the target is expected to take; NaN: unknown */
    size_t minimum_n;       /* minimum number of independent readings that counts as enough */
    size_t min_n;           /* minimum number of readings that counts as enough */
    double autocorrelation; /* autocorrelation of the stable segment's readings, at lag 1 */
    size_t subsession_size; /* neighbouring readings that are merged into one independent
                               reading */
    double effective_n;     /* number of independent readings that carry the same information */

    /* A level that drifts: the change from one reading to the next, with its interval; 0 where
       there are too few readings. */
    bool shift_found;
    double shift, shift_low, shift_high;
    double shift_change;   /* total change over shift_readings */
    size_t shift_readings; /* readings in which the drift was seen */

    /* Statistics of the stable segment's readings. */
    double sd, min, median, max;
    struct level_claim claim; /* what may be claimed of the level; readings have no time */
    double harmonic_mean;     /* NaN where a reading is not above 0 */
    struct analysis_percentile percentiles[ANALYSIS_PERCENTILES + ANALYSIS_DEEP_PERCENTILES];
    size_t percentile_count;

    struct result_clause clauses[CLAUSES_MAX]; /* the clauses of --sla */
    size_t clause_count;

    /* Names of methods, as on the command line. */
    const char *mean_method;        /* arithmetic, harmonic, proportion */
    const char *interval_method;    /* spectral, pilot */
    const char *changepoint_method; /* pelt, edm, none */
};

#endif
