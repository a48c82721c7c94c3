/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line from ticks to ns stays correct for hours even if the calibration was wrong, and never
   goes backwards. */
#include "base/random.h"
#include "check.h"
#include "run/loop/internal.h"

/* A simulated counter of 2.1 GHz whose calibration is wrong by `ppm`. */
struct machine {
    struct clock clock;
    double true_hertz;
};

#define ORIGIN_TICKS 1000000000000u
#define ORIGIN_NS    500000000000u

static struct machine machine_of(double ppm)
{
    struct machine m = {.true_hertz = 2.1e9};
    m.clock = (struct clock){.counter = true,
                             .hertz = m.true_hertz * (1 + ppm * 1e-6),
                             .origin_ticks = ORIGIN_TICKS,
                             .origin_ns = ORIGIN_NS};
    m.clock.multiplier = (uint64_t)(1e9 / m.clock.hertz * 0x1p32 + .5);
    return m;
}

static uint64_t ticks_at(const struct machine *m, double seconds)
{
    return ORIGIN_TICKS + (uint64_t)(seconds * m->true_hertz);
}

static uint64_t raw_at(double seconds)
{
    return ORIGIN_NS + (uint64_t)(seconds * 1e9);
}

/*
 * Simulates `hours` of readings of both clocks, each when the track asks for it or up to `delay`
 * seconds later, with the noise of reading two clocks. Time 0 is 3 s after the calibration.
 */
static void check_drift(double ppm, double hours, double delay, int64_t offset)
{
    struct machine m = machine_of(ppm);
    struct clock_track t;
    struct random random;
    random_seed(&random, 1, (uint64_t)offset);
    clock_track_init(&t, &m.clock);
    t.zero_raw_ns = raw_at(3);
    t.base_ticks = ticks_at(&m, 3) - (uint64_t)offset;
    t.look_every = 20000000;
    uint64_t last_ns = 0;
    double worst_first_second = 0, worst = 0;
    for (double at = 3.02; at < 3 + hours * 3600;) {
        uint64_t ticks = ticks_at(&m, at);
        double before = (double)clock_track_ns(&t, ticks - (uint64_t)offset) - (at - 3) * 1e9;
        uint64_t noise = random_below(&random, 80);
        clock_track_correct(&t, ticks, offset, raw_at(at) + noise - 40, 40);
        uint64_t ns = clock_track_ns(&t, ticks - (uint64_t)offset);
        double after = (double)ns - (at - 3) * 1e9;
        CHECK(fabs(after - before) <= 1); /* no jump */
        CHECK(ns >= last_ns);
        last_ns = ns;
        double *w = at < 4 ? &worst_first_second : &worst;
        *w = fmax(*w, fabs(before));
        at += (double)(t.next_look - (ticks - (uint64_t)offset)) / m.true_hertz +
              random_unit(&random) * delay;
    }
    /* At most 20 ms at the wrong rate, and then only the noise of the readings. */
    CHECK(worst_first_second <= fabs(ppm) * 1e-6 * 20e6 + 300);
    CHECK(worst < 700);
    CHECK_NEAR(clock_track_drift_ppm(&t), ppm, .01 + 1e-3 * fabs(ppm));
}

/* From ns to ticks and back; due times are never early. */
static void check_conversions(void)
{
    struct machine m = machine_of(0);
    struct clock_track t;
    struct random random;
    random_seed(&random, 2, 0);
    clock_track_init(&t, &m.clock);
    t.base_ticks = ORIGIN_TICKS;
    t.base_ns = 7000000000;
    for (int i = 0; i < 100000; i++) {
        uint64_t ns = random_below(&random, 100000000000000);
        uint64_t back = clock_track_ns(&t, clock_track_ticks(&t, ns));
        uint64_t tolerance = 1 + ns / 2000000000; /* 2^-32 of the value, in both directions */
        CHECK(back + tolerance >= ns && back <= ns + tolerance);
    }
    for (uint64_t ns = t.base_ns; ns < t.base_ns + 10000; ns++)
        CHECK(clock_track_ns(&t, clock_track_ticks(&t, ns)) >= ns);
    CHECK(clock_track_ticks(&t, UINT64_MAX) == UINT64_MAX);
    CHECK_INT(clock_track_ns(&t, 0), 0); /* before time 0 */
    CHECK(clock_track_ticks(&t, 0) < t.base_ticks);
    CHECK_NEAR((double)(t.base_ticks - clock_track_ticks(&t, 0)), 7e9 * 2.1, 1e-6);
}

/* A pair of readings with an interrupt between them is ignored. */
static void check_bad_look(void)
{
    struct machine m = machine_of(0);
    struct clock_track t;
    clock_track_init(&t, &m.clock);
    t.zero_raw_ns = raw_at(1);
    t.base_ticks = ticks_at(&m, 1);
    t.look_every = 1000000000;
    uint64_t slope = t.ns_per_tick;
    clock_track_correct(&t, ticks_at(&m, 2), 0, raw_at(2) + 50000, 60000);
    CHECK_INT(t.ns_per_tick, slope);
    CHECK_INT(t.base_ticks, ticks_at(&m, 1));
    CHECK(t.next_look > ticks_at(&m, 2));
    /* After a jump of the clock the track follows slowly, never backwards. */
    clock_track_correct(&t, ticks_at(&m, 3), 0, raw_at(3) - 1500000000, 40);
    CHECK(t.ns_per_tick > 0);
    CHECK(clock_track_ns(&t, ticks_at(&m, 4)) > clock_track_ns(&t, ticks_at(&m, 3)));
}

/* This machine's clocks, for a short time. */
static void check_real(bool clock_gettime)
{
    struct clock clock;
    struct clock_track t;
    clock_calibrate(&clock, 20, clock_gettime);
    clock_track_init(&t, &clock);
    uint64_t zero = clock_ticks(&clock), zero_raw = clock_raw_ns();
    clock_track_begin(&t, zero, 0);
    CHECK_INT(clock_track_ns(&t, zero), 0);
    uint64_t raw, looks = 0;
    while ((raw = clock_raw_ns()) - zero_raw < 200000000)
        if (clock_ticks(&clock) >= t.next_look) {
            clock_track_look(&t, 0);
            looks++;
        }
    CHECK(looks >= 1 && looks < 10);
    double best = INFINITY; /* the best of several, since a reading may be interrupted */
    for (int i = 0; i < 100; i++) {
        uint64_t ns = clock_track_ns(&t, clock_ticks(&clock));
        best = fmin(best, fabs((double)ns - (double)(clock_raw_ns() - zero_raw)));
    }
    CHECK(best < 20000);
    CHECK(fabs(clock_track_drift_ppm(&t)) < 2000);
}

int main(void)
{
    check_drift(50, 2, 0, 0);
    check_drift(-30, 2, .5, 0);
    check_drift(0, 1, 0, 12345678);
    check_drift(100, .1, 2, -987654);
    check_conversions();
    check_bad_look();
    check_real(false);
    check_real(true);
    return check_result();
}
