/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configurations that a table holds: combinations of levels of factors, and a response of each.
 *
 * The response is a column of the table, or a statistic of the runs of a configuration (mean, sd,
 * variance, cv, median, any percentile) out of a column with one value a run. Where a column is the
 * response and a configuration stands in several rows, their mean counts, and a note says so.
 *
 * A factor is a column of numbers, or of texts, whose levels have no order. Columns that divide the
 * configurations into maps are factors, too: the last ones.
 *
 * Owner: configurations_free, of zeros too. One thread.
 */
#ifndef CUPEL_MAP_CONFIGURATIONS_H
#define CUPEL_MAP_CONFIGURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "table/table.h"

#define FACTORS_MAX 32

enum response_kind {
    RESPONSE_COLUMN,
    RESPONSE_MEAN,
    RESPONSE_SD,       /* divisor n - 1 */
    RESPONSE_VARIANCE, /* its square */
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
    double *number;     /* [level_count], ascending; of texts: their place in the list */
    const char **words; /* [level_count], as a cell has them */
};

struct configurations {
    size_t n;
    size_t factor_count; /* factors of a model; those of maps come after them */
    size_t map_factor_count;
    struct factor factors[FACTORS_MAX];
    size_t stride;     /* factor_count + map_factor_count */
    uint32_t *level;   /* [n][stride] */
    double *value;     /* [n], the response */
    double *noise;     /* [n], the response's relative standard error for the runs are few; NaN:
                          not known */
    double *run_count; /* [n]; NaN: not known */
    size_t *run_begin; /* [n + 1], into runs */
    double *runs;      /* those of a configuration in ascending order; where the response is a
                          column, the values of its rows */
    uint32_t *row;     /* [n], the first of its rows in the table */
    size_t map_count;
    uint32_t *map; /* [n], which map it is in, from 0 */
    double
        mean_noise; /* mean |relative error| of the response for the runs are few; NaN: unknown */
    struct response response;
    struct text notes; /* what was left out or put together, a sentence a line */
    struct pool pool;
};

struct configurations_request {
    const char *const *factors; /* names, ended by NULL */
    const char *const *maps_by; /* likewise; NULL: one map */
    const char *response;
    const char *value;  /* the column of runs; NULL: the only one that can be it */
    const char *runs;   /* of a summary: the column with the number of runs; NULL: "n" if there */
    uint64_t seed;      /* of the bootstrap of `noise` */
    bool with_controls; /* control runs of a sweep count as the others do */
};

/* Read the file and group its rows. ERR_USAGE with line and column, ERR_MACHINE; `c` is then empty.
 */
int configurations_read(struct configurations *c, const char *path,
                        const struct configurations_request *request, struct err *e);
void configurations_free(struct configurations *c);

/* The place of a cell's text among the levels of a factor, SIZE_MAX: it is none. */
size_t factor_level_of(const struct factor *f, const char *words);

/* A statistic of ascending runs; NaN where they are too few. */
double response_of_runs(const struct response *r, const double runs[], size_t n);

#endif
