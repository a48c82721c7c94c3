/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrivals of a stream: gaps carried over to the workload's phases. Private to src/generator.
 */
#ifndef CUPEL_GENERATOR_ARRIVALS_H
#define CUPEL_GENERATOR_ARRIVALS_H

#include "generator/arrival.h"
#include "generator/phases.h"
#include "generator/stream.h"

struct arrivals {
    const struct phases *phases;
    struct arrival gaps;
    struct phase_walk walk;
    double scale; /* requests of the whole workload that pass in a mean gap */
    double first; /* equal gaps: the part of one before the first arrival; below 0: any gap */
    bool begun;
};

/* ERR_USAGE: there are no phases. */
int arrivals_init(struct arrivals *a, const struct stream *s, const struct phases *phases,
                  struct err *e);

void arrivals_begin(struct arrivals *a);

/* False: no more. */
bool arrivals_next(struct arrivals *a, struct random *r, uint64_t *at_ns);

#endif
