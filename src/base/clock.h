/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time: the processor's cycle counter, calibrated against CLOCK_MONOTONIC_RAW.
 *
 * A tick is one step of the counter: on x86 a cycle of the TSC; on aarch64 a step of CNTVCT, 1 to
 * 100 ns. CNTFRQ_EL0 states the rate of the latter, and the calibration only checks it. Where the
 * counter is not invariant (it would stop or change its rate with the processor's frequency), or
 * --clock raw asks for it, a tick is one nanosecond read by clock_gettime. A struct clock is filled
 * by clock_calibrate and improved by clock_refine at the end of a run (the longer the baseline, the
 * smaller the residual); any thread may read it meanwhile.
 */
#ifndef CUPEL_BASE_CLOCK_H
#define CUPEL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct clock {
    bool counter;        /* ticks come from the cycle counter, not from clock_gettime */
    uint64_t multiplier; /* ns = ticks * multiplier / 2^32 */
    double hertz;        /* ticks per second; 1e9 / hertz is the resolution in ns */
    /* disagreement of two measurements of the rate, in parts per million. After clock_calibrate:
       between the two halves of the calibration. After clock_refine: between the calibration and
       the whole time since. For a rate that the processor states: between the stated and the
       measured rate. */
    double residual_ppm;
    double cost_ns;        /* ns that one reading of the clock takes */
    const char *name;      /* the clock: "TSC", "CNTVCT" or "clock_gettime" */
    const char *why;       /* reason why the counter is not used; "" if it is used */
    uint64_t origin_ticks; /* first instant of the calibration, on both clocks */
    uint64_t origin_ns;
};

/* Measures the rate of the counter for about `milliseconds` (20 to 100 are enough to convert
   latencies). */
void clock_calibrate(struct clock *c, unsigned milliseconds, bool force_clock_gettime);

/* Measures hertz, multiplier and residual again, over the whole time since clock_calibrate. */
void clock_refine(struct clock *c);

static inline uint64_t clock_raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#else
    return clock_raw_ns();
#endif
}

/* Returns the present instant in ticks. Loops may call it often: the branch on `c->counter` always
   goes the same way. */
static inline uint64_t clock_ticks(const struct clock *c)
{
    return __builtin_expect(c->counter, 1) ? clock_counter() : clock_raw_ns();
}

/* Converts a duration in ticks to ns. The relative error is at most 2^-32, for durations up to 2^64
   ns. */
static inline uint64_t clock_ns(const struct clock *c, uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * c->multiplier) >> 32);
}

/* Returns the time of the kernel's clock `which`, in seconds. */
static inline double seconds_of_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t clock_ticks_of_ns(const struct clock *c, uint64_t ns);

/* Sleeps until the instant `until` (ticks); returns at once if this instant has passed. Like every
   sleep it ends somewhat late. Returns false when a signal came first. */
bool clock_sleep_until(const struct clock *c, uint64_t until);

#endif
