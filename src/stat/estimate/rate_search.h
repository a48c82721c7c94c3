/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The highest rate of requests at which a limit holds, found by probes at one rate each.
 *
 * A probe holds the limit or fails it, decided by a sequential test (sequential.h), or it is given
 * up undecided. The search places each probe by what those before it showed: the logarithm of what
 * was measured over its limit is fitted as a straight line over -ln(1 - rate / saturation), in
 * which the response time of a queue is one, the probes nearest to the limit counting most. A
 * probe stands a part of the wanted width beside the rate at which the line meets the limit, never
 * on it: on the limit itself no test decides.
 *
 * One chance of error, alpha, for the whole answer. What the limit is about grows with the rate, so
 * there is one rate below which it holds and above which it fails, and every verdict is right or
 * wrong by the side of it on which the probe lies. The answer is the highest rate that held and
 * the lowest one that failed; it misses only if one of these two verdicts is wrong. Which probes
 * will be these two is not known beforehand, so each probe gets a part of alpha of its own, and
 * the parts add up to alpha: whatever the search does next with what it saw, the chance that any
 * verdict is wrong stays below. Most searches are over after a handful of probes, so the first
 * eight get a tenth each, and the twelve others share the rest.
 *
 * Pure, no allocation, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_RATE_SEARCH_H
#define CUPEL_STAT_ESTIMATE_RATE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/result.h"

#define RATE_PROBES_MAX 20

struct rate_probe {
    double rate;
    enum rate_verdict verdict;
    double margin; /* ln(measured / limit), above 0 when it is broken; NaN or infinite: unknown */
};

struct rate_search {
    double saturation; /* requests per second that the target completes at most, roughly */
    double width;      /* of the answer over its middle: narrow enough */
    double alpha;
    struct rate_probe probe[RATE_PROBES_MAX];
    size_t count;
};

struct rate_answer {
    double holds;   /* the highest rate that held; 0: none */
    double fails;   /* the lowest rate that failed; infinite: none */
    double ceiling; /* the lowest rate that could not be issued; infinite: all could */
    double width;   /* of holds .. fails over their middle; infinite while one is missing */
    bool narrow;    /* as narrow as asked */
    bool none;      /* it fails at the lowest rate that is worth asking for */
    bool machine;   /* it holds close to the rate that cannot be issued any more */
};

/* The chance of error that probe `index` (from 0) may have, of `alpha` for all. */
double rate_search_alpha(double alpha, size_t index);

/* Where the next probe goes. False: the answer is as good as it gets. `saturation` > 0. */
bool rate_search_next(const struct rate_search *search, double *rate);

/* Add what a probe showed. Undecided ones count as well. False: there is no room. */
bool rate_search_add(struct rate_search *search, const struct rate_probe *probe);

struct rate_answer rate_search_answer(const struct rate_search *search);

/* The rate at which the fitted line meets the limit; NaN without a probe of known margin. */
double rate_search_estimate(const struct rate_search *search);

#endif
