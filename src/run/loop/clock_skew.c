/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the skew of two processors' counters by round trips of one cache line. */
#include "run/loop/clock_skew.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread.h"

#define ROUND_TRIPS 4000

/* Time limit of all round trips; it is reached only if a thread does not get its processor. */
#define GIVE_UP_NS 100000000u

/* Data that the two threads share. It is the asker's turn when `turn` is even. */
struct exchange {
    const struct clock *clock;
    int asker, answerer; /* processors */
    uint64_t end;        /* when to give up, in raw ns */
    _Alignas(64) atomic_uint turn;
    uint64_t answer; /* ticks, written before `turn` */
    /* the result, written by the asker */
    _Alignas(64) uint64_t round_trip; /* shortest round trip, in ticks; UINT64_MAX: none */
    int64_t ahead;                    /* ticks that the answerer was ahead in that round trip */
};

static bool pin(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return !sched_setaffinity(0, sizeof one, &one);
}

/*
 * Waits for this thread's turn. Returns false if it took too long; all later turns then fail, too.
 */
static bool wait_turn(struct exchange *x, unsigned turn)
{
    for (unsigned i = 1; atomic_load_explicit(&x->turn, memory_order_acquire) != turn; i++)
        if (i % 1024 == 0 && clock_raw_ns() > x->end)
            return false;
    return true;
}

static void *answer(void *argument)
{
    struct exchange *x = argument;
    if (!pin(x->answerer))
        return NULL;
    for (unsigned i = 0; i < ROUND_TRIPS && wait_turn(x, 2 * i + 1); i++) {
        x->answer = clock_ticks(x->clock);
        atomic_store_explicit(&x->turn, 2 * i + 2, memory_order_release);
    }
    return NULL;
}

static void *ask(void *argument)
{
    struct exchange *x = argument;
    if (!pin(x->asker))
        return NULL;
    for (unsigned i = 0; i < ROUND_TRIPS; i++) {
        uint64_t asked = clock_ticks(x->clock);
        atomic_store_explicit(&x->turn, 2 * i + 1, memory_order_release);
        if (!wait_turn(x, 2 * i + 2))
            break;
        uint64_t took = clock_ticks(x->clock) - asked;
        if (took < x->round_trip) {
            x->round_trip = took;
            x->ahead = (int64_t)(x->answer - asked - took / 2);
        }
    }
    return NULL;
}

void clock_skew_measure(const struct clock *clock, const int cpus[], unsigned n, int64_t skew_ns[],
                        uint64_t within_ns[])
{
    for (unsigned i = 0; i < n; i++) {
        bool same = cpus[i] == cpus[0] || !clock->counter;
        skew_ns[i] = 0;
        within_ns[i] = same ? 0 : SKEW_UNKNOWN;
        if (same || cpus[0] < 0 || cpus[i] < 0)
            continue;
        struct exchange x = {.clock = clock,
                             .asker = cpus[0],
                             .answerer = cpus[i],
                             .end = clock_raw_ns() + GIVE_UP_NS,
                             .round_trip = UINT64_MAX};
        pthread_t asker, answerer;
        if (thread_start(&answerer, 0, answer, &x))
            continue;
        if (!thread_start(&asker, 0, ask, &x))
            pthread_join(asker, NULL);
        pthread_join(answerer, NULL);
        if (x.round_trip == UINT64_MAX)
            continue;
        uint64_t size_ns = clock_ns(clock, (uint64_t)(x.ahead < 0 ? -x.ahead : x.ahead));
        skew_ns[i] = x.ahead < 0 ? -(int64_t)size_ns : (int64_t)size_ns;
        within_ns[i] = clock_ns(clock, x.round_trip) / 2 + 1;
    }
}

int64_t clock_skew_correction(const struct clock *clock, int64_t skew_ns, uint64_t within_ns)
{
    uint64_t size = skew_ns < 0 ? (uint64_t)-skew_ns : (uint64_t)skew_ns;
    if (within_ns == SKEW_UNKNOWN || size <= within_ns)
        return 0;
    int64_t ticks = (int64_t)clock_ticks_of_ns(clock, size);
    return skew_ns < 0 ? -ticks : ticks;
}
