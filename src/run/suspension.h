/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a suspension of this program does to a round: the intervals that it reaches into are void,
 * and so are those after it whose I/O had begun before its end, for their times contain it, and
 * those in which nothing completed before such I/O did.
 *
 * The heartbeat finds gaps; a gap is a suspension only if no worker completed an I/O in it. Of a
 * target that stalls the heartbeat sees nothing: that is measured. The collector's own, which asks
 * before it makes a batch of an interval.
 */
#ifndef CUPEL_RUN_SUSPENSION_H
#define CUPEL_RUN_SUSPENSION_H

#include "run/heartbeat.h"
#include "run/measurement.h"
#include "run/worker.h"

struct suspension {
    const struct heartbeat *heartbeat; /* NULL: nothing is ever void */
    /* Called for each suspension by the collector; may be NULL. */
    void (*tell)(void *context, const struct heartbeat_gap *gap);
    void *context;
    bool ends_round;      /* nothing after the first one counts */
    bool all_vouched;     /* all that workers have handed over was vouched for */
    uint64_t begin_ticks; /* of the round */
    unsigned next;        /* gap of the heartbeat to be looked at */
    bool active;          /* there is a gap that later intervals may depend on: */
    struct heartbeat_gap gap;
    unsigned count;      /* suspensions in the round */
    uint64_t void_ticks; /* of the round's intervals that are void, ... */
    uint64_t void_end;   /* ... the last one up to here */
};

void suspension_begin_round(struct suspension *s, const struct round_order *order);

/* The interval of the round that ends at `end`: is it known whether it is void? Workers have handed
   over what they have to say of it. */
bool suspension_is_settled(struct suspension *s, struct worker workers[], unsigned count,
                           uint64_t end);

/* Is the interval void that is settled and has become this batch? */
bool suspension_voids(struct suspension *s, uint64_t begin, uint64_t end, const struct batch *b);

#endif
