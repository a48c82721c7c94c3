/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/map share. */
#ifndef CUPEL_MAP_INTERNAL_H
#define CUPEL_MAP_INTERNAL_H

#include "map/configurations.h"

/* The factor, or factor of maps, of that name. ERR_USAGE and SIZE_MAX: there is none. */
size_t configurations_factor(const struct configurations *c, struct span name, struct err *e);

/* ---- levels.c ---- */

/*
 * The levels of a column become those of a factor, and each row's level goes into
 * level[row * stride]. Rows with used[row] false are left alone. ERR_USAGE: a cell is missing.
 */
int factor_levels(struct factor *f, const struct table *t, size_t column, const bool used[],
                  uint32_t level[], size_t stride, struct pool *pool, struct err *e);
void factor_free(struct factor *f);

/* ---- response.c ---- */

/* "sd", "p99" and so on; false: no such statistic. */
bool response_parse(const char *name, struct response *r);

/*
 * The response of each configuration out of runs, which become sorted, with its noise by the
 * bootstrap; c->value, noise and mean_noise are filled.
 */
void response_compute(struct configurations *c, uint64_t seed, double room[]);

#endif
