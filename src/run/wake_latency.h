/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How late a thread wakes up that sleeps until an instant, and how long before a due instant it
 * must therefore be awake: the pre-spin (paper 004, section 5.2). Pure: the sleeping is the
 * caller's.
 *
 * It remembers the last WAKE_SAMPLES sleeps. One thread at a time.
 */
#ifndef CUPEL_RUN_WAKE_LATENCY_H
#define CUPEL_RUN_WAKE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#define WAKE_SAMPLES 128

#define PRE_SPIN_LEAST_NS 20000u
#define PRE_SPIN_MOST_NS  2000000u

struct wake_latency {
    uint64_t count;                 /* of all sleeps */
    uint64_t reviewed;              /* of them, when wake_latency_is_news was last true */
    uint32_t late_ns[WAKE_SAMPLES]; /* of the last ones */
};

/* One sleep that ended so late. */
void wake_latency_add(struct wake_latency *w, uint64_t late_ns);

/* True when there are enough new sleeps since the last time for the pre-spin to be looked at. */
static inline bool wake_latency_is_news(struct wake_latency *w)
{
    if (w->count < w->reviewed + WAKE_SAMPLES / 2)
        return false;
    w->reviewed = w->count;
    return true;
}

/* The nearest rank of `share`, of those remembered; 0: none. */
uint64_t wake_latency_percentile(const struct wake_latency *w, double share);

/*
 * Twice what 97 of 100 sleeps would have ended in time with, but no more than four times what half
 * of them needed, and a little more; PRE_SPIN_MOST_NS at most. Sleeps that the machine disturbed
 * say nothing: being awake for longer does not help when others have the processor.
 */
uint64_t wake_latency_pre_spin(const struct wake_latency *w);

#endif
