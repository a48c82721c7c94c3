/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/map. */
#ifndef CUPEL_STAT_MAP_INTERNAL_H
#define CUPEL_STAT_MAP_INTERNAL_H

#include "stat/map/configurations.h"

/* Returns the index of the factor, or of the factor that divides maps, with that name. If there is
   none, the result is SIZE_MAX and the error ERR_USAGE. */
size_t configurations_factor(const struct configurations *c, struct span name, struct err *e);

/* ---- factor_levels.c ---- */

/*
 * Makes the levels of c->factors[factor] from a column, and writes each row's level to levels[row *
 * c->stride + factor]. Rows with used[row] false are skipped. ERR_USAGE: a cell is empty.
 */
int factor_levels(struct configurations *c, size_t factor, const struct table *t, size_t column,
                  const bool used[], uint32_t levels[], struct err *e);
void factor_free(struct factor *f);

/* ---- response.c ---- */

/* Parses the name of a statistic, such as "sd" or "p99". Returns false for an unknown name. */
bool response_parse(const char *name, struct response *r);

/*
 * Computes the response of each configuration from its runs, which are sorted, and its noise by the
 * bootstrap. Fills c->value, noise and mean_noise.
 */
void response_compute(struct configurations *c, uint64_t seed, double room[]);

#endif
