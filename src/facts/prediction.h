/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Predictions of a variability map, and the errors of maps. Plain data: src/stat/map fills it,
 * src/report prints it. Names and cells belong to the code that fills it.
 */
#ifndef CUPEL_FACTS_PREDICTION_H
#define CUPEL_FACTS_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>

/* A method's error in cross-validation or in splits. */
struct map_score {
    const char *method; /* lr, lsp ...; "auto", "constant", "noise_floor" */
    const char *scale;  /* "log", "raw"; "" where the method has none */
    const char *scheme; /* "random", "leave-level-out" */
    double share;       /* share of the configurations that was used for the fit */
    double are_percent; /* mean |predicted - measured| / measured; NaN: the method could not be
                           fitted */
    double coverage;    /* share of configurations within their intervals; NaN: no intervals */
    double widening; /* factor of intervals that would hold as many as they promise, at least 1; 0:
                        not known */
    size_t splits;
    char problem[160]; /* why the method could not be fitted; otherwise "" */
};

struct prediction_point {
    double value;
    double low, high; /* infinite: the interval is not known */
    const char *method;
    bool extrapolated;
    double measured; /* of a test: the measured response, and (value - measured) / |measured| */
    double error;    /* NaN where nothing was measured, or 0 */
};

/* The errors of a map on a table of other measurements. */
struct map_test {
    const char *path;    /* NULL: there is no such table */
    double mean, median; /* of |error|; NaN: every measured response is 0 */
    double coverage;     /* share of measured responses within their intervals; NaN: no intervals */
    size_t repeated;     /* configurations that the map was fitted to as well */
};

struct prediction {
    const char *response;
    const char *method, *scale;
    double confidence;
    size_t column_count;
    const char **columns; /* [column_count] */
    size_t count;
    const char **cells; /* [count][column_count] */
    struct prediction_point *points;
    bool of_query;              /* the query's configurations; false: all combinations of levels
                                   that were not measured */
    size_t measured, map_count; /* measured configurations, and maps that were made from them */
    struct map_score *scores;   /* the scores that `auto` chose from, the chosen one first; may be
                                   empty */
    size_t score_count;
    double widening;      /* factor of the method's own intervals, by cross-validation; 0: none */
    double noise_percent; /* mean relative error of a measured response; NaN: not known */
    struct map_test test;
    const char *notes; /* sentences, one on each line; "" */
};

struct map_validation {
    const char *response;
    struct map_score *scores;
    size_t score_count;
    size_t measured, map_count;
    const char *chosen; /* the method that "auto" chose; NULL: "auto" was not requested */
    const char *notes;
};

#endif
