/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that does nothing but sleep for a moment, again and again, and so knows when the program
 * was away: stopped by a signal or a frozen group, in a virtual machine that was paused, on a
 * machine that slept. It touches neither the target nor the record, so a target that answers
 * nothing does not delay it; and where it waited because others had the processors, the kernel says
 * so (run delay), and that is no suspension.
 *
 * Time up to heartbeat_vouched is known: every gap that begins before it is in `gaps`. One writer,
 * the thread; any reader.
 */
#ifndef CUPEL_RUN_HEARTBEAT_H
#define CUPEL_RUN_HEARTBEAT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

/* As often as the collector looks: what it waits for is vouched for by then. */
#define HEARTBEAT_NS 20000000u

/*
 * A machine that is awake wakes a sleeper within milliseconds, once the time is taken off that it
 * waited for a processor; hypervisors and firmware take some tens. A stop shorter than this cannot
 * be told from these, and counts as a stall.
 */
#define SUSPENSION_LEAST_NS 100000000u

#define HEARTBEAT_GAPS 64

/* One look at all clocks. */
struct heartbeat_beat {
    uint64_t begin, end; /* ticks: before and after the look */
    /* in which this thread waited for a processor, so far: before and after the look; 0: not told
     */
    uint64_t run_delay_ns, run_delay_end_ns;
    int64_t machine_slept_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
};

/* The program was away between two beats, for `seconds` of them. */
struct heartbeat_gap {
    uint64_t begin, end; /* ticks: of the two beats */
    uint64_t waited;     /* ticks: at its end the thread may have waited so long for a processor */
    double seconds;
};

struct heartbeat {
    const struct clock *clock;
    pthread_t thread;
    bool started;
    atomic_bool quit;
    int schedstat;                             /* the thread's own, or -1 */
    struct heartbeat_gap gaps[HEARTBEAT_GAPS]; /* a later one than these prolongs the last */
    atomic_uint gap_count;
    _Atomic uint64_t vouched;    /* ticks */
    atomic_bool clock_went_back; /* the cycle counter did not survive the machine's sleep */
};

/* `clock` stays the caller's. On -1 nothing runs. */
int heartbeat_start(struct heartbeat *h, const struct clock *clock, struct err *e);
void heartbeat_stop(struct heartbeat *h);

/* Is there a suspension between two beats that were to be HEARTBEAT_NS apart? */
bool heartbeat_is_gap(const struct clock *clock, const struct heartbeat_beat *before,
                      const struct heartbeat_beat *after, struct heartbeat_gap *gap);

static inline uint64_t heartbeat_vouched(const struct heartbeat *h)
{
    return atomic_load_explicit(&h->vouched, memory_order_acquire);
}

/* Sleep until all time up to now is vouched for. */
void heartbeat_wait(const struct heartbeat *h);

#endif
