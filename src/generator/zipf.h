/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks 1..n with P(k) proportional to k^-theta, theta > 0, for any n up to 2^53: rejection-
 * inversion (Hormann and Derflinger, "Rejection-inversion to generate variates from monotone
 * discrete distributions", ACM TOMACS 6(3), 1996). No table; at most 1.02 tries a number were
 * measured (theta .01 to 20).
 */
#ifndef CUPEL_GENERATOR_ZIPF_H
#define CUPEL_GENERATOR_ZIPF_H

#include "base/random.h"

struct zipf {
    double theta;
    double last;  /* n */
    double upper; /* H(n + 1/2) */
    double lower; /* H(3/2) - h(1) */
    double sure;  /* within it of its integer, an x needs no test */
};

void zipf_init(struct zipf *z, uint64_t n, double theta);

/* A rank from 0, the most frequent, to n - 1. */
uint64_t zipf_rank(const struct zipf *z, struct random *r);

/*
 * A one-to-one mapping of [0, n) to itself that looks random: neighbouring ranks land apart. The
 * same key gives the same mapping.
 */
struct scatter {
    uint64_t n, mask, multiplier[2], offset;
    unsigned shift;
};

void scatter_init(struct scatter *s, uint64_t n, struct random *key);
uint64_t scatter_of(const struct scatter *s, uint64_t rank);

#endif
