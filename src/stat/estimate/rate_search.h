/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the highest rate of requests at which a limit holds, by probes at one rate each.
 *
 * A sequential test (sequential.h) decides whether the limit holds or fails in a probe, or the
 * probe is given up undecided. The search places each probe by the results of earlier ones:
 * ln(measured value / limit) is fitted as a straight line over -ln(1 - rate / saturation), since
 * the response time of a queue is such a line; the probes nearest to the limit count most. A
 * probe keeps some distance, a part of the required width, from the rate at which the line meets
 * the limit, because no test decides at the limit itself.
 *
 * The whole answer has one chance of error, alpha. The value that is limited grows with the rate,
 * so there is one rate below which the limit holds and above which it fails, and a probe's
 * verdict is right or wrong by the side on which the probe lies. The answer is the highest rate
 * that held and the lowest one that failed; it is wrong only if one of these two verdicts is
 * wrong. It is not known beforehand which probes these two will be, so each probe gets its own
 * part of alpha, and the parts add up to alpha: however the search uses the results, the chance
 * that any verdict is wrong stays below alpha. Most searches end after a handful of probes, so
 * the first eight get a tenth of alpha each, and the other twelve share the remaining two tenths.
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
    /* ln(measured / limit), above 0 when the limit is exceeded; NaN or infinite: unknown */
    double margin;
};

struct rate_search {
    double saturation; /* rough maximum number of requests per second that the target completes */
    /* required width of the range `holds` .. `fails`, as a share of its middle */
    double width;
    double alpha;
    struct rate_probe probe[RATE_PROBES_MAX];
    size_t count;
};

struct rate_answer {
    double holds; /* the highest rate at which the limit held; 0: it held at no rate */
    double fails; /* the lowest rate at which the limit failed; infinite: it failed at no rate */
    /* the lowest rate that this machine could not issue; infinite: it could issue every rate */
    double ceiling;
    /* width of the range `holds` .. `fails` over its middle; infinite if one end is missing */
    double width;
    bool narrow; /* the answer is as narrow as required */
    bool none;   /* the limit fails even at the lowest rate that is tried */
    /* this machine bounds the answer: the limit holds at about all rates that it can issue */
    bool machine;
};

/* Returns the chance of error of probe `index` (from 0), its part of `alpha`. */
double rate_search_alpha(double alpha, size_t index);

/* Sets *rate to the rate of the next probe. Returns false if further probes would not improve the
   answer. Needs saturation > 0. */
bool rate_search_next(const struct rate_search *search, double *rate);

/* Adds a probe's result, also an undecided one. Returns false if there is no room. */
bool rate_search_add(struct rate_search *search, const struct rate_probe *probe);

struct rate_answer rate_search_answer(const struct rate_search *search);

/* Returns the rate at which the fitted line meets the limit; NaN without a probe of known
   margin. */
double rate_search_estimate(const struct rate_search *search);

#endif
