/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `cupel analyze` says of one column of numbers, as plain data. src/cmd fills it from the
 * pipeline's judgement, src/report prints it.
 *
 * It owns nothing: strings, readings and change points belong to whoever filled it and outlive it.
 */
#ifndef CUPEL_FACTS_ANALYSIS_H
#define CUPEL_FACTS_ANALYSIS_H

#include "facts/change/change_search.h"
#include "facts/result.h"

#define ANALYSIS_PERCENTILE(metric, share) ANALYSIS_##metric,
enum { PERCENTILE_ROWS(ANALYSIS_PERCENTILE) ANALYSIS_PERCENTILES };
#undef ANALYSIS_PERCENTILE

struct analysis_percentile {
    const char *name; /* "p99.9" */
    double share, value;
    double low, high;   /* the interval; NaN when it has none, and the note says why */
    double effective_n; /* independent readings at the percentile itself */
    char note[120];
};

struct analysis {
    struct labels labels;
    const char *source; /* the file's name, "-" for standard input */
    const char *column; /* the column's name or number, "" for a file of single numbers */
    const double *values;
    size_t n; /* all readings, those outside the stable segment as well */

    /* The pipeline's judgement; indices are 0-based, segments half open. */
    size_t stable_begin, stable_end;
    const size_t *changepoints; /* first reading of each new segment */
    size_t changepoint_count;
    const char *phase; /* flat, warmup, slowdown, no_steady_state */
    enum change_search search;
    const char *search_name; /* of it */
    double mean;             /* of the stable segment, by the method named below; NaN: none */
    double low, high;        /* its interval; infinite when there are too few readings */
    double confidence;       /* 0.95 */
    bool asked;              /* somebody asked for a precision; otherwise it is the default one */
    double target_width;     /* asked for: full width of the interval over the mean */
    double decided_width;    /* of the interval with the allowance for stopping on it */
    bool enough;             /* the width decided on is as narrow as asked, on enough readings */
    double required_n;       /* readings the target is expected to take; NaN: unknown */
    size_t minimum_n;        /* minimum number of independent readings that counts as enough */
    size_t min_n;            /* minimum number of readings that does */
    double autocorrelation;  /* lag 1, of the stable segment's readings */
    size_t subsession_size;  /* readings merged into one that is independent of the next */
    double effective_n;      /* independent readings that are worth as much */

    /* A level that moves bit by bit: from one reading to the next, with its interval; 0 where there
       are too few readings. */
    bool shift_found;
    double shift, shift_low, shift_high;
    double shift_change;   /* over the readings that the shift was seen in */
    size_t shift_readings; /* so many */

    /* Of the stable segment's readings. */
    double sd, min, median, max;
    double harmonic_mean; /* NaN where a reading is not above 0 */
    struct analysis_percentile percentiles[ANALYSIS_PERCENTILES];

    struct result_clause clauses[CLAUSES_MAX]; /* of --sla */
    size_t clause_count;

    /* By name, as the command line has them. */
    const char *mean_method;        /* arithmetic, harmonic, proportion */
    const char *interval_method;    /* spectral, pilot */
    const char *changepoint_method; /* pelt, edm, none */
};

#endif
