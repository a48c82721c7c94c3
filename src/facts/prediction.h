/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Predictions of a variability map, and the errors of maps. Plain data: src/stat/map fills it,
 * src/report prints it. Names and cells belong to the code that fills it.
 */
#ifndef CUPEL_FACTS_PREDICTION_H
#define CUPEL_FACTS_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>

/* A method's prediction error, from cross-validation or from splits. */
struct map_score {
    const char *method; /* "lr", "lsp", ...; or "auto", "constant", "noise_floor" */
    const char *scale;  /* "log", "raw"; "": the method has no scale */
    const char *scheme; /* how configurations are left out: "random", "leave-level-out" */
    double share;       /* share of the configurations that the method is fitted to */
    /* mean of |predicted - measured| / measured, in percent; NaN: the method could not be fitted */
    double are_percent;
    /* share of the measured values that lie within their intervals; NaN: no intervals */
    double coverage;
    /* factor by which intervals must be widened to reach their confidence, at least 1; 0: not
       known */
    double widening;
    size_t splits;
    char problem[160]; /* why the method could not be fitted; "": it was fitted */
};

struct prediction_point {
    double value;
    double low, high; /* prediction interval; infinite: not known */
    const char *method;
    bool extrapolated;
    double measured; /* measured response, in a test; NaN: not a test */
    double error;    /* (value - measured) / |measured|; NaN: not measured, or `measured` is 0 */
};

/* The errors of a map on a table of measurements that it was not fitted to. */
struct map_test {
    const char *path; /* path of the table; NULL: there is none */
    /* mean and median of |prediction_point.error|; NaN: every measured response is 0 */
    double mean, median;
    double coverage; /* share of measured responses within their intervals; NaN: no intervals */
    size_t repeated; /* number of configurations in the table that the map was fitted to as well */
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
    /* true: configurations are those of the query; false: all unmeasured combinations of levels */
    bool of_query;
    /* number of measured configurations, and of maps that were fitted to them */
    size_t measured, map_count;
    /* [score_count], scores from which "auto" chose, the chosen one first */
    struct map_score *scores;
    size_t score_count;
    /* factor by which cross-validation widened the method's intervals; 0: not widened */
    double widening;
    /* mean relative error of a measured response, in percent; NaN: not known */
    double noise_percent;
    struct map_test test;
    const char *notes; /* sentences, one on each line, or "" */
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
