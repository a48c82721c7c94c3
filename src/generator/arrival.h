/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gaps between arrivals, each kind with a mean of exactly 1: the phases (generator/phases.h) make
 * times of them. Lengths of time (think times) too.
 */
#ifndef CUPEL_GENERATOR_ARRIVAL_H
#define CUPEL_GENERATOR_ARRIVAL_H

#include "base/random.h"
#include "generator/workload_spec.h"

struct arrival {
    enum arrival_kind kind;
    double scale;    /* what the kind's variable is multiplied by */
    double spread;   /* normal: sd over mean; pareto: -1/shape */
    unsigned burst;  /* requests in a burst, */
    unsigned others; /* ... and how many of them are still to come */
};

void arrival_init(struct arrival *a, const struct arrival_spec *spec);

/* Time 0 begins again: a burst that was not over is forgotten. */
void arrival_begin(struct arrival *a);

/* Kinds whose first gap is not random: copies are set apart by the caller. */
static inline bool arrival_is_even(const struct arrival *a)
{
    return a->kind == ARRIVAL_UNIFORM;
}

double arrival_gap(struct arrival *a, struct random *r);

/* Exponential with a mean of 1. */
double random_exponential(struct random *r);

uint64_t duration_draw(const struct duration_spec *duration, struct random *r);

#endif
