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
#define ANALYSIS_DEEP_PERCENTILES 3 /* p99.999 and deeper, if there are enough readings */

struct analysis_percentile {
    const char *name; /* "p99.9" */
    double share, value;
    double low, high; /* confidence interval; NaN: there is none, for the reason in `note` */
    /* number of independent readings, from the autocorrelation at this percentile */
    double effective_n;
    char note[120];
};

struct analysis {
    struct labels labels;
    const char *source; /* the file's name, "-" for standard input */
    const char *column; /* the column's name or number, "" for a file of single numbers */
    const double *values;
    size_t n; /* all readings, including those outside the stable segment */

    /* The judgement of the readings. Indices are 0-based; stable_end is the index of the first
       reading after the stable segment. */
    size_t stable_begin, stable_end;
    /* [changepoint_count], index of the first reading of each new segment */
    const size_t *changepoints;
    size_t changepoint_count;
    const char *phase; /* flat, warmup, slowdown, no_steady_state */
    enum change_search search;
    const char *search_name; /* name of the method that searched for changes */
    double mean;             /* mean of the stable segment, by mean_method; NaN: no mean */
    /* confidence interval of the mean; infinite when there are too few readings */
    double low, high;
    double confidence; /* confidence of the interval: 0.95 */
    /* prediction interval for the mean of the same number of further readings; NaN: not
       predicted */
    double next_low, next_high;
    /* a precision was requested; false: the default precision is used */
    bool asked;
    double target_width; /* requested full width of the interval, relative to the mean */
    bool width_given;    /* the width comes from --ci; false: from a preset or the default */
    /* width of the interval, widened because a session that stops as soon as its interval is narrow
       stops too early */
    double decided_width;
    /* decided_width is at most the requested width, and there are enough readings */
    bool enough;
    bool held_back; /* precise enough, but `enough` is false because of claim.doubt */
    /* expected number of readings until the requested width is reached; NaN: not known */
    double required_n;
    size_t minimum_n;       /* minimum number of independent readings for `enough` */
    size_t min_n;           /* minimum number of readings for `enough` */
    double autocorrelation; /* lag-1 autocorrelation of the stable segment's readings */
    /* number of neighbouring readings that are merged into one independent reading */
    size_t subsession_size;
    /* number of independent readings that carry as much information as the stable segment */
    double effective_n;

    /* `shift_found`: the level drifts; `shift`: change from one reading to the next, and its
       confidence interval; 0: too few readings */
    bool shift_found;
    double shift, shift_low, shift_high;
    double shift_change;   /* total change over shift_readings */
    size_t shift_readings; /* number of readings over which the drift was seen */

    /* Statistics of the stable segment's readings. */
    double sd, min, median, max;
    struct level_claim claim; /* what may be claimed of the level; its reading_seconds is NaN */
    double harmonic_mean;     /* NaN when a reading is 0 or less */
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
