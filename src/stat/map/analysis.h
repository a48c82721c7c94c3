/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses of configurations without a model: how much each factor matters (variance), the response
   over two factors (heat map), the order of a factor's levels (ranking), and changes between
   campaigns (drift). */
#ifndef CUPEL_STAT_MAP_ANALYSIS_H
#define CUPEL_STAT_MAP_ANALYSIS_H

#include "facts/map_analysis.h"
#include "stat/map/configurations.h"

/*
 * Analysis of variance (stat/anova). If the response is a column or a mean, each row or run is an
 * observation; for any other statistic each configuration is an observation. `logarithmic`: uses
 * the logarithms of the observations. Errors: ERR_USAGE, ERR_MACHINE. The caller releases *v with
 * variance_free.
 */
int variance_make(struct variance_analysis *v, const struct configurations *c, bool interactions,
                  bool logarithmic, double confidence, struct err *e);
void variance_free(struct variance_analysis *v);

/* What to map. Each text may be "", except `axes`. */
struct heat_map_request {
    const char *axes;   /* two factors, "x,y" */
    bool one_axis;      /* "x" is enough */
    const char *at;     /* other factors fixed at levels, "threads=4,bs=4k" */
    const char *change; /* "threads=64,256": how much higher the response is at the second level
                           than at the first, over configurations that were measured at both */
    const char *per;    /* factor of numbers above 0, by whose level each response is divided */
};

/* Maps the response over factors. Errors: ERR_USAGE, ERR_MACHINE. The caller releases *h with
   heat_map_free. */
int heat_map_make(struct heat_map *h, const struct configurations *c,
                  const struct heat_map_request *request, struct err *e);
void heat_map_free(struct heat_map *h);

/*
 * Ranks the levels of a factor, or of a factor of maps, by the mean of the response (the geometric
 * mean where all responses are above 0). Errors: ERR_USAGE, ERR_MACHINE. The caller releases *r
 * with ranking_free.
 */
int ranking_make(struct map_ranking *r, const struct configurations *c, const char *factor,
                 double confidence, struct err *e);
void ranking_free(struct map_ranking *r);

/*
 * Computes how responses changed between campaigns. The campaigns are the maps of `c`, which one
 * column must define. ERR_USAGE: there is only one campaign, or a response is not above 0.
 * ERR_MACHINE: there is no memory. The caller releases *d with drift_free.
 */
int drift_make(struct map_drift *d, const struct configurations *c, double confidence,
               struct err *e);
void drift_free(struct map_drift *d);

#endif
