/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock: its calibration agrees with the system's clock, and so does the fallback. */
#include "check.h"

#include "base/clock.h"

static double seconds_of(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return seconds_of(t);
}

/* Returns 20 ms measured by the clock under test, divided by the same by the system's clock. */
static double ratio_to_system(const struct clock *c)
{
    uint64_t raw = clock_raw_ns(), ticks = clock_ticks(c);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    uint64_t ns = clock_ns(c, clock_ticks(c) - ticks);
    raw = clock_raw_ns() - raw;
    CHECK(ns >= 19990000);
    return (double)ns / (double)raw;
}

/* On a busy machine a pair of readings may be interrupted for long: the best of several counts. */
static void check_against_system(const struct clock *c)
{
    double best = 0;
    for (int i = 0; i < 10 && fabs(best - 1) > 1e-4; i++) {
        double ratio = ratio_to_system(c);
        if (fabs(ratio - 1) < fabs(best - 1))
            best = ratio;
    }
    CHECK_NEAR(best, 1, 1e-3);
}

static void check_conversions(const struct clock *c)
{
    uint64_t ticks = clock_ticks_of_ns(c, 1000000000);
    double within = fmax(1e-8, 1.01 / c->hertz); /* a tick */
    CHECK_NEAR((double)ticks, c->hertz, within);
    CHECK_NEAR((double)clock_ns(c, ticks), 1e9, within);
    CHECK_INT(clock_ns(c, 0), 0);
    /* A year does not overflow, and is converted back exactly. */
    uint64_t year = 31557600000000000u;
    CHECK_NEAR((double)clock_ns(c, clock_ticks_of_ns(c, year)), (double)year, 1e-8);
}

int main(void)
{
    struct clock c;
    double before = processor_seconds();
    clock_calibrate(&c, 40, false);
    double used = processor_seconds() - before;
    CHECK(used < 0.02); /* it sleeps and does not spin */
    CHECK(c.name && *c.name);
    CHECK(c.hertz > 1e6);
    CHECK(c.cost_ns > 0 && c.cost_ns < 5000);
    CHECK(c.residual_ppm >= 0 && c.residual_ppm < 500);
    CHECK(c.counter ? !*c.why : *c.why != '\0');
    check_conversions(&c);
    check_against_system(&c);

    double first = c.hertz;
    clock_refine(&c);
    CHECK_NEAR(c.hertz, first, 1e-3);
    check_conversions(&c);

    struct clock system;
    clock_calibrate(&system, 1, true);
    CHECK(!system.counter);
    CHECK_STR(system.name, "clock_gettime");
    CHECK_STR(system.why, "asked for");
    CHECK_INT(clock_ns(&system, 123456789), 123456789);
    check_conversions(&system);
    check_against_system(&system);
    clock_refine(&system);
    CHECK_NEAR(system.hertz, 1e9, 1e-12);
    return check_result();
}
