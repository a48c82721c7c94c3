/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `cupel analyze` says of one column of numbers, as plain data. src/cmd fills it from the
 * pipeline's judgement, src/report prints it.
 *
 * It owns nothing: strings, readings and change points belong to whoever filled it and outlive it.
 */
#ifndef CUPEL_BASE_ANALYSIS_H
#define CUPEL_BASE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

struct analysis {
    const char *source; /* the file's name, "-" for standard input */
    const char *column; /* the column's name or number, "" for a file of single numbers */
    const double *values;
    size_t n; /* all readings, those outside the stable segment as well */

    /* The pipeline's judgement; indices are 0-based, segments half open. */
    size_t stable_begin, stable_end;
    const size_t *changepoints; /* first reading of each new segment */
    size_t changepoint_count;
    const char *phase;      /* flat, warmup, slowdown, no_steady_state */
    double mean;            /* of the stable segment, by the method named below; NaN: none */
    double low, high;       /* its interval; infinite when there are too few readings */
    double confidence;      /* 0.95 */
    bool asked;             /* somebody asked for a precision; otherwise it is the default one */
    double target_width;    /* asked for: full width of the interval over the mean */
    double decided_width;   /* of the interval with the allowance for stopping on it */
    bool enough;            /* the width decided on is as narrow as asked, on enough readings */
    double required_n;      /* readings the target is expected to take; NaN: unknown */
    size_t minimum_n;       /* least number of independent readings that counts as enough */
    size_t least_n;         /* least number of readings that does */
    double autocorrelation; /* lag 1, of the stable segment's readings */
    size_t subsession_size; /* readings merged into one that is independent of the next */
    double effective_n;     /* independent readings that are worth as much */

    /* Of the stable segment's readings. */
    double sd, min, median, max;
    double harmonic_mean; /* NaN where a reading is not above 0 */

    /* By name, as the command line has them. */
    const char *mean_method;        /* arithmetic, harmonic, proportion */
    const char *interval_method;    /* spectral, pilot */
    const char *changepoint_method; /* pelt, edm, none */
};

#endif
