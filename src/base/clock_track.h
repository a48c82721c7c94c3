/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ticks as ns since a round's begin, right for hours: a straight line from one to the other that is
 * bent a little every second, so that it follows CLOCK_MONOTONIC_RAW.
 *
 * A calibration of some tens of ms is wrong by some parts in a million, which makes tens of us in
 * seconds. So both clocks are looked at again in quiet moments: the rate comes from the whole time
 * since the calibration began, and what the line is off by is made up for little by little. The
 * line never jumps and never goes back.
 *
 * Ticks are those of the struct clock, less an offset that is the caller's (the skew of the
 * processor). Owner: one thread.
 */
#ifndef CUPEL_BASE_CLOCK_TRACK_H
#define CUPEL_BASE_CLOCK_TRACK_H

#include "base/clock.h"

struct clock_track {
    const struct clock *clock;
    uint64_t base_ticks, base_ns; /* where the present piece of the line begins */
    uint64_t ns_per_tick;         /* of the line, in 2^-32 */
    uint64_t ticks_per_ns;
    uint64_t zero_raw_ns; /* CLOCK_MONOTONIC_RAW at time 0 */
    uint64_t next_look;   /* ticks: from then on a look is worth its while */
    uint64_t look_every;  /* ns, longer from look to look */
    double rate;          /* ns per tick, measured since the calibration began */
    int64_t error_ns;     /* of the line, at the last look */
};

/* Time 0 is the instant `zero_ticks`, about now. What was learnt of the rate since clock_track_init
   is kept. */
void clock_track_init(struct clock_track *t, const struct clock *clock);
void clock_track_begin(struct clock_track *t, uint64_t zero_ticks, int64_t offset_ticks);

/* Read both clocks (less than a microsecond) and correct the line. */
void clock_track_look(struct clock_track *t, int64_t offset_ticks);

/* The same for an instant that was read: pure. `within_ns`: how well the two belong together. */
void clock_track_correct(struct clock_track *t, uint64_t ticks, int64_t offset_ticks,
                         uint64_t raw_ns, uint64_t within_ns);

/* By how many parts in a million the calibration was wrong, as far as is known. */
double clock_track_drift_ppm(const struct clock_track *t);

/* ns since time 0; 0 for instants before it. One multiplication. */
static inline uint64_t clock_track_ns(const struct clock_track *t, uint64_t ticks)
{
    if (__builtin_expect(ticks >= t->base_ticks, 1))
        return t->base_ns +
               (uint64_t)(((unsigned __int128)(ticks - t->base_ticks) * t->ns_per_tick) >> 32);
    uint64_t before =
        (uint64_t)(((unsigned __int128)(t->base_ticks - ticks) * t->ns_per_tick) >> 32);
    return before < t->base_ns ? t->base_ns - before : 0;
}

/* The first tick that is not before the instant; UINT64_MAX when that is years away. */
static inline uint64_t clock_track_ticks(const struct clock_track *t, uint64_t ns)
{
    if (__builtin_expect(ns < t->base_ns, 0))
        return t->base_ticks -
               (uint64_t)(((unsigned __int128)(t->base_ns - ns) * t->ticks_per_ns) >> 32);
    if (ns - t->base_ns > UINT64_MAX / 64)
        return UINT64_MAX;
    return t->base_ticks + 1 +
           (uint64_t)(((unsigned __int128)(ns - t->base_ns) * t->ticks_per_ns) >> 32);
}

#endif
