/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions for the rows of a query, or for the combinations of levels that were not measured. */
#ifndef CUPEL_STAT_MAP_PREDICTION_H
#define CUPEL_STAT_MAP_PREDICTION_H

#include "stat/map/candidates.h"

#define UNMEASURED_MAX 1000000

/* The places where a response is to be predicted. */
struct places {
    size_t count;
    struct design_place *place; /* [count] */
    uint32_t *map;              /* [count] */
    uint32_t *line;             /* [count], number of the place's line in the query; or NULL */
    size_t column_count;
    /* names of the columns and texts of the cells, as in struct prediction */
    const char **columns, **cells;
    struct table query;
    const double *measured; /* [count], response measured in a test; or NULL */
    const char *path;       /* file name of the test's table */
};

/* Reads the rows of a file, in which every factor and every column of maps_by has a level.
   ERR_USAGE: a row is wrong; the message names line and column. ERR_MACHINE: there is no memory.
   The caller releases *p with places_free, which also accepts a struct of zeros. */
int places_of_query(struct places *p, const struct configurations *c, const char *path,
                    struct err *e);

/* Makes a place of each combination of levels that was not measured, in each map. ERR_USAGE: there
   are more than UNMEASURED_MAX. */
int places_unmeasured(struct places *p, const struct configurations *c, struct err *e);

/* Makes places of the configurations of another table, `test`, read by the same request, with their
   responses. `test` must outlive `p`. ERR_USAGE: the map lacks a level of `test`. ERR_MACHINE:
   there is no memory. */
int places_of_test(struct places *p, const struct configurations *c,
                   const struct configurations *test, const char *path, struct err *e);

void places_free(struct places *p);

struct prediction_request {
    double confidence;
    uint64_t seed;
    const struct map_observer *observer;
};

/*
 * Chooses a method if the candidates are "auto", fits a map to each group of configurations, and
 * predicts. Names and cells point into `c` and `places`. The caller releases *p with
 * prediction_free.
 */
int prediction_make(struct prediction *p, struct configurations *c, const struct places *places,
                    const struct candidates *candidates, const struct prediction_request *request,
                    struct err *e);
void prediction_free(struct prediction *p);

struct run_plan_request {
    struct configurations *sd; /* standard deviations, from the same table as the means */
    /* length of runs per configuration, in seconds; NULL: every run takes run_seconds */
    struct configurations *seconds;
    double run_seconds; /* NaN: not known */
    double width, confidence;
    double budget_seconds; /* 0: no budget */
    const char *methods;   /* names of methods, as candidates_parse accepts them */
    uint64_t seed;
    const struct map_observer *observer;
};

/*
 * Computes the number of runs that each place needs until the full width of Student's interval of
 * the mean is `width` of the mean, from measured or predicted means and standard deviations. Also
 * chooses places to measure next within the budget: those whose standard deviation is least
 * certain. Errors: ERR_USAGE, ERR_MACHINE. The caller releases *p with run_plan_free.
 */
int run_plan_make(struct run_plan *p, struct configurations *mean, const struct places *places,
                  const struct run_plan_request *request, struct err *e);
void run_plan_free(struct run_plan *p);

struct convergence_wish {
    /* required full width of the interval over the response, and the confidence of the interval */
    double width, confidence;
    uint64_t seed;
    const struct map_observer *observer;
};

/*
 * Computes how many of its runs each configuration needs until the interval of the response has the
 * width in the request (stat/convergence). The response must be mean, sd or a percentile between 0
 * and 100. Names and cells point into `c`. ERR_USAGE: the response is another statistic.
 * ERR_MACHINE: there is no memory. The caller releases *m with map_convergence_free.
 */
int map_convergence_make(struct map_convergence *m, struct configurations *c,
                         const struct convergence_wish *wish, struct err *e);
void map_convergence_free(struct map_convergence *m);

#endif
