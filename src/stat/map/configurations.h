/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configurations in a table: combinations of levels of factors, each with a response.
 *
 * The response is a column of the table, or a statistic (mean, sd, variance, cv, median, any
 * percentile) of the runs of a configuration, from a column with one value for each run. When a
 * column is the response and a configuration has several rows, their mean is used, and a note
 * says so.
 *
 * A factor is a column of numbers, or of texts, whose levels have no order. Columns that divide
 * the configurations into maps are also factors, after all others.
 *
 * The caller releases the struct with configurations_free, which also accepts a struct of zeros.
 * One thread.
 */
#ifndef CUPEL_STAT_MAP_CONFIGURATIONS_H
#define CUPEL_STAT_MAP_CONFIGURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table/table.h"
#include "base/text.h"

#define FACTORS_MAX 32

enum response_kind {
    RESPONSE_COLUMN,
    RESPONSE_MEAN,
    RESPONSE_SD,       /* divisor n - 1 */
    RESPONSE_VARIANCE, /* variance: the square of RESPONSE_SD */
    RESPONSE_CV,       /* sd over mean */
    RESPONSE_PERCENTILE,
};

struct response {
    enum response_kind kind;
    double percentile; /* 0 to 100 */
    const char *name;
};

struct factor {
    const char *name;
    bool is_text;
    size_t level_count;
    /* [level_count], ascending; for a factor of texts: index of the level in the list */
    double *number;
    const char **words; /* [level_count], each level as it is spelled in the table */
};

struct configurations {
    size_t n;
    /* number of factors of a model; the factors that divide maps come after them */
    size_t factor_count;
    size_t map_factor_count;
    struct factor factors[FACTORS_MAX];
    size_t stride;   /* number of all factors: factor_count + map_factor_count */
    uint32_t *level; /* [n][stride] */
    double *value;   /* [n], the response */
    /* [n], relative standard error of the response due to the limited number of runs; NaN: not
       known */
    double *noise;
    double *run_count; /* [n], number of runs; NaN: not known */
    size_t *run_begin; /* [n + 1], index in `runs` of each configuration's first run */
    /* runs of each configuration, ascending; when the response is a column, the values of its
       rows */
    double *runs;
    uint32_t *row; /* [n], index of the configuration's first row in the table */
    size_t map_count;
    uint32_t *map;     /* [n], index of the configuration's map */
    double mean_noise; /* mean |relative error| of the response due to the limited number of runs;
                          NaN: not known */
    struct response response;
    struct text notes; /* what was left out or combined, one sentence on each line */
    struct pool pool;
};

struct configurations_request {
    const char *const *factors; /* names of the factors; NULL at the end */
    /* names of the columns that divide maps, NULL at the end; NULL instead of a list: one map */
    const char *const *maps_by;
    const char *response;
    const char *value; /* name of the column with the runs; NULL: the only column that can be it */
    /* for a summary: name of the column with the number of runs; NULL: "n", if it exists */
    const char *runs;
    uint64_t seed;      /* seed of the bootstrap that estimates `noise` */
    bool with_controls; /* the control runs of a sweep count like other runs */
};

/* Reads the file and groups its rows. ERR_USAGE: the file is wrong; the message names line and
   column. ERR_MACHINE: there is no memory. After an error `c` is empty. */
int configurations_read(struct configurations *c, const char *path,
                        const struct configurations_request *request, struct err *e);
void configurations_free(struct configurations *c);

/* Returns the index of a cell's text among the levels of a factor; SIZE_MAX: not a level. */
size_t factor_level_of(const struct factor *f, const char *words);

/* Computes a statistic of ascending runs; NaN when there are too few. */
double response_of_runs(const struct response *r, const double runs[], size_t n);

#endif
