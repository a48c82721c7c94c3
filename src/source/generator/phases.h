/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rate that changes with time. Arrivals of a process of rate 1 are transformed to it: arrival s
 * of that process takes place at the instant t where the integral of the rate from 0 to t is s
 * ("operational time": Cinlar, Introduction to Stochastic Processes, 1975). In each phase the rate
 * is a straight line, so that the inverse is exact.
 *
 * Pure; times in ns since the workload's beginning.
 */
#ifndef CUPEL_SOURCE_GENERATOR_PHASES_H
#define CUPEL_SOURCE_GENERATOR_PHASES_H

#include "source/generator/workload_spec.h"

/* Returns the length of all phases together in ns; 0: without end. */
uint64_t phases_length(const struct phases *phases);

/* Returns the integral of the rate over [from, to): the mean number of requests due in that
   time. */
double phases_requests(const struct phases *phases, uint64_t from_ns, uint64_t to_ns);

/* A position in the phases that only moves forward. */
struct phase_walk {
    const struct phases *phases;
    unsigned phase;
    uint64_t begin_ns; /* beginning of the current phase */
    double total;      /* number of requests of the current phase; INFINITY: without end */
    double done;       /* number of requests since the beginning of the phase */
};

void phase_walk_begin(struct phase_walk *w, const struct phases *phases);

/* Moves forward by that number of requests; *at_ns becomes the instant that is reached. Returns
   false if the phases end earlier. */
bool phase_walk_on(struct phase_walk *w, double requests, uint64_t *at_ns);

#endif
