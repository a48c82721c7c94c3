/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a judged series shows of its level, and when a session gives up. */
#include "stat/level_seen.h"

#include <math.h>

#include "tests/unit/check.h"

enum { READINGS = 1000 };

static const struct stop_rule rule = {INTERVAL_SPECTRAL, 0.10, 50, 0, 0};

static struct estimate estimate_with(double half, double memory)
{
    return (struct estimate){.mean = 100,
                             .low = 100 - half,
                             .high = 100 + half,
                             .confidence = 0.95,
                             .n = READINGS,
                             .effective_n = 200,
                             .memory = memory,
                             .sd = 10};
}

/* Returns the claim without judging: takes the range from the stable segment, as judge() does. */
static struct level_claim seen(const double x[], struct judgement *j, const struct estimate *e,
                               double limit_n)
{
    estimate_take_parts(&j->estimate, x + j->stable_begin, NULL, j->stable_end - j->stable_begin);
    return level_seen(x, j, e, 5000, &rule, 0.01, limit_n);
}

static void check_range_and_movement(void)
{
    static double x[READINGS];
    struct estimate e = estimate_with(10, 0.3);
    struct judgement j = {.stable_end = READINGS, .level = LEVEL_WANDERS};
    for (size_t i = 0; i < READINGS; i++)
        x[i] = (double)(i / 100) + 1; /* the tenths are at 1 to 10 */
    struct level_claim c = seen(x, &j, &e, 6000);
    CHECK_INT(c.state, LEVEL_WANDERS);
    CHECK_NEAR(c.memory, 0.3, 1e-12);
    CHECK_NEAR(c.low, 1, 1e-12);
    CHECK_NEAR(c.high, 10, 1e-12);
    CHECK_NEAR(c.needed_readings, 5000, 1e-12);
    CHECK(c.change > 0.3 && c.change < 1);
    CHECK_INT(c.change_readings, READINGS / 3);
    CHECK_NEAR(c.limit_width, stop_expected_width(&e, &rule, 6000), 1e-12);
    CHECK(isnan(seen(x, &j, &e, 0).limit_width));
    /* A detected shift is reported as the movement. */
    j.shift = (struct slow_shift){.found = true, .end = 500, .change = -2, .first = 10};
    c = seen(x, &j, &e, 6000);
    CHECK_NEAR(c.change, -0.2, 1e-12);
    CHECK_INT(c.change_readings, 500);
    /* Only the stable segment counts. */
    j.stable_begin = 500;
    CHECK_NEAR(seen(x, &j, &e, 6000).low, 6, 1e-12);
    j.stable_begin = READINGS - 5;
    CHECK(isnan(seen(x, &j, &e, 6000).low));
}

static void check_out_of_reach(void)
{
    struct level_claim c = level_claim_unknown();
    c.memory = 0.3;
    c.needed_readings = 5000;
    CHECK(!level_out_of_reach(&c, 2000)); /* not far enough beyond the limit */
    CHECK(level_out_of_reach(&c, 1500));
    c.memory = 0; /* without memory more time helps, so the session continues */
    CHECK(!level_out_of_reach(&c, 1500));
    c.memory = 0.3;
    c.state = LEVEL_MOVES; /* a warm-up ends */
    CHECK(!level_out_of_reach(&c, 1500));
    c.state = LEVEL_CYCLES;
    CHECK(!level_out_of_reach(&c, 1500));
    c.state = LEVEL_WANDERS;
    c.needed_readings = 0;
    CHECK(level_out_of_reach(&c, 2000));
    c.state = LEVEL_HOLDS;
    c.needed_readings = NAN;
    CHECK(!level_out_of_reach(&c, 2000));
}

/* Judges once a second; returns when the session gives up. `not_at`: at this second there is hope.
 */
static double gives_up_after(double from, double not_at)
{
    struct level_looks looks = {0};
    for (double t = 1; t < 600; t++)
        if (level_gives_up(&looks, t >= from && t != not_at, t))
            return t;
    return INFINITY;
}

static void check_giving_up(void)
{
    CHECK_NEAR(gives_up_after(1, 0), 21, 1e-12);
    CHECK_NEAR(gives_up_after(4, 0), 24, 1e-12);
    CHECK_NEAR(gives_up_after(4, 9), 30, 1e-12);  /* a judgement with hope restarts the time */
    CHECK_NEAR(gives_up_after(30, 0), 60, 1e-12); /* a share of the measured time */
    CHECK_NEAR(gives_up_after(200, 0), 400, 1e-12);
    CHECK(isinf(gives_up_after(1000, 0)));
}

int main(void)
{
    check_range_and_movement();
    check_out_of_reach();
    check_giving_up();
    return check_result();
}
