/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What configurations show without a model: which factors matter, where, in what order, since when.
 */
#ifndef CUPEL_MAP_ANALYSIS_H
#define CUPEL_MAP_ANALYSIS_H

#include "facts/map_analysis.h"
#include "map/configurations.h"

/*
 * Analysis of variance (stat/anova). Of a column or a mean each row or run is an observation, of
 * another statistic each configuration. `logarithmic`: of the logarithms of the observations.
 * ERR_USAGE, ERR_MACHINE. Owner: variance_free.
 */
int variance_make(struct variance_analysis *v, const struct configurations *c, bool interactions,
                  bool logarithmic, double confidence, struct err *e);
void variance_free(struct variance_analysis *v);

/*
 * The response by the factors `axes`, "x,y". `at` holds other factors at levels, "threads=4,bs=4k";
 * `change` is "threads=64,256": how much higher the response is at the second level than at the
 * first, over configurations that were measured at both. Both may be "". ERR_USAGE, ERR_MACHINE.
 * Owner: heat_map_free.
 */
int heat_map_make(struct heat_map *h, const struct configurations *c, const char *axes,
                  const char *at, const char *change, struct err *e);
void heat_map_free(struct heat_map *h);

/*
 * The levels of a factor, or of a factor of maps, by the mean of the response; geometric where all
 * are above 0. ERR_USAGE, ERR_MACHINE. Owner: ranking_free.
 */
int ranking_make(struct map_ranking *r, const struct configurations *c, const char *factor,
                 double confidence, struct err *e);
void ranking_free(struct map_ranking *r);

/*
 * How responses changed between campaigns, which are the maps of `c`: made by one column.
 * ERR_USAGE: there is one campaign, or a response is not above 0; ERR_MACHINE. Owner: drift_free.
 */
int drift_make(struct map_drift *d, const struct configurations *c, double confidence,
               struct err *e);
void drift_free(struct map_drift *d);

#endif
