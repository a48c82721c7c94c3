/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrates the cycle counter, and falls back to clock_gettime where the counter cannot be
   trusted. */
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define BRACKETS          32
#define COST_READINGS     256
#define COST_REPEATS      8
#define STEADY_WITHIN_PPM 500.0

/* One instant on both clocks. */
struct instant {
    uint64_t ticks;
    uint64_t ns;
};

/* Reads the counter between two readings of the clock. The tightest of many attempts is used,
   because no interrupt came into it. */
static struct instant read_both(void)
{
    struct instant best = {0};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < BRACKETS; i++) {
        uint64_t before = clock_raw_ns();
        uint64_t ticks = clock_counter();
        uint64_t after = clock_raw_ns();
        if (after - before < tightest) {
            tightest = after - before;
            best.ticks = ticks;
            best.ns = before + (after - before) / 2;
        }
    }
    return best;
}

static void wait_ns(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    nanosleep(&t, NULL);
}

static double hertz_between(struct instant from, struct instant to)
{
    return to.ns > from.ns ? (double)(to.ticks - from.ticks) * 1e9 / (double)(to.ns - from.ns) : 0;
}

#if defined(__x86_64__)
/* Returns true if the kernel does not offer the TSC as a clock source: the kernel removes a TSC
   that it finds unstable, or out of step between processors, from the list of available sources. */
static bool kernel_distrusts_tsc(void)
{
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    if (!f)
        return false;
    char word[64];
    bool seen = false;
    while (!seen && fscanf(f, "%63s", word) == 1)
        seen = !strcmp(word, "tsc");
    fclose(f);
    return !seen;
}
#endif

/* Returns why the counter of this processor cannot be used as a clock, or "". */
static const char *counter_fault(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8)))
        return "the processor does not say that its TSC is invariant";
    if (kernel_distrusts_tsc())
        return "the kernel does not list the TSC among its clock sources";
    return "";
#elif defined(__aarch64__)
    return "";
#else
    return "no cycle counter is known for this architecture";
#endif
}

/* Returns the rate in Hz that the processor states for its counter, which is the same on every
   core; 0 when the processor states no rate. Firmware sets the register (CNTFRQ_EL0), so the caller
   checks the rate. */
static double stated_hertz(void)
{
#if defined(__aarch64__)
    uint64_t hertz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return (double)(uint32_t)hertz;
#else
    return 0;
#endif
}

static void set_hertz(struct clock *c, double hertz)
{
    c->hertz = hertz;
    c->multiplier = (uint64_t)(1e9 / hertz * 4294967296.0 + 0.5);
}

static void use_clock_gettime(struct clock *c, const char *why)
{
    c->counter = false;
    c->name = "clock_gettime";
    c->why = why;
    c->residual_ppm = 0;
    c->origin_ns = c->origin_ticks = clock_raw_ns();
    set_hertz(c, 1e9);
}

static void calibrate_counter(struct clock *c, unsigned milliseconds)
{
    uint64_t half = (uint64_t)(milliseconds ? milliseconds : 1) * 500000u;
    struct instant first = read_both();
    wait_ns(half);
    struct instant middle = read_both();
    wait_ns(half);
    struct instant last = read_both();

    double hertz = hertz_between(first, last);
    double disagreement =
        fabs(hertz_between(first, middle) - hertz_between(middle, last)) / hertz * 1e6;
    if (!(hertz > 1e6 && disagreement < STEADY_WITHIN_PPM)) {
        use_clock_gettime(c, "the counter did not run at a steady rate while it was calibrated");
        return;
    }
    double stated = stated_hertz();
    if (stated > 0) {
        disagreement = fabs(hertz - stated) / stated * 1e6;
        if (!(disagreement < STEADY_WITHIN_PPM)) {
            use_clock_gettime(c, "the counter does not run at the rate that CNTFRQ_EL0 states");
            return;
        }
        hertz = stated;
    }
    c->counter = true;
#if defined(__aarch64__)
    c->name = "CNTVCT";
#else
    c->name = "TSC";
#endif
    c->why = "";
    c->residual_ppm = disagreement;
    c->origin_ticks = first.ticks;
    c->origin_ns = first.ns;
    set_hertz(c, hertz);
}

void clock_calibrate(struct clock *c, unsigned milliseconds, bool force_clock_gettime)
{
    *c = (struct clock){0};
    const char *fault = force_clock_gettime ? "asked for" : counter_fault();
    if (*fault)
        use_clock_gettime(c, fault);
    else
        calibrate_counter(c, milliseconds);
    /* Uses the fastest of a few series of readings, because interrupts slow down others. */
    c->cost_ns = INFINITY;
    for (int r = 0; r < COST_REPEATS; r++) {
        volatile uint64_t sink;
        uint64_t begin = clock_raw_ns();
        for (int i = 0; i < COST_READINGS; i++)
            sink = clock_ticks(c);
        uint64_t took = clock_raw_ns() - begin;
        (void)sink;
        c->cost_ns = fmin(c->cost_ns, (double)took / COST_READINGS);
    }
}

void clock_refine(struct clock *c)
{
    if (!c->counter)
        return;
    struct instant origin = {.ticks = c->origin_ticks, .ns = c->origin_ns};
    double hertz = hertz_between(origin, read_both());
    if (!(hertz > 0))
        return;
    c->residual_ppm = fabs(hertz - c->hertz) / hertz * 1e6;
    if (!(stated_hertz() > 0))
        set_hertz(c, hertz);
}

uint64_t clock_ticks_of_ns(const struct clock *c, uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << 32) / c->multiplier);
}

bool clock_sleep_until(const struct clock *c, uint64_t until)
{
    /* The kernel's second may be shorter than this clock's: in that case the thread wakes up too
       early and sleeps again. */
    for (uint64_t now; (now = clock_ticks(c)) < until;) {
        uint64_t left = clock_ns(c, until - now);
        struct timespec t = {.tv_sec = (time_t)(left / 1000000000u),
                             .tv_nsec = (long)(left % 1000000000u)};
        if (nanosleep(&t, NULL))
            return false;
    }
    return true;
}
