/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a variability map predicts, and how good maps are. Plain data: src/map fills them,
 * src/report prints them. Names and cells point into what the filler keeps.
 */
#ifndef CUPEL_FACTS_PREDICTION_H
#define CUPEL_FACTS_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>

/* A method's error under cross-validation or in splits. */
struct map_score {
    const char *method; /* lr, lsp ...; "auto", "constant", "noise_floor" */
    const char *scale;  /* "log", "raw"; "" where it has none */
    const char *scheme; /* "random", "leave-level-out" */
    double share;       /* of the configurations that it was fitted to */
    double are_percent; /* mean |predicted - measured| / measured; NaN: it could not be fitted */
    double coverage;    /* share of configurations within their intervals; NaN: there are none */
    size_t splits;
    char problem[160]; /* why it could not be fitted; "" otherwise */
};

struct prediction_point {
    double value;
    double low, high; /* infinite: no interval is known */
    const char *method;
    bool extrapolated;
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
    bool of_query;              /* otherwise of the combinations of levels that were not measured */
    size_t measured, map_count; /* configurations that were measured, and maps made of them */
    struct map_score *scores;   /* what `auto` chose from, the chosen one first; may be empty */
    size_t score_count;
    double noise_percent; /* mean relative error of a measured response; NaN: not known */
    const char *notes;    /* sentences, one a line; "" */
};

struct map_validation {
    const char *response;
    struct map_score *scores;
    size_t score_count;
    size_t measured, map_count;
    const char *chosen; /* what "auto" stands for; NULL: it was not asked for */
    const char *notes;
};

#endif
