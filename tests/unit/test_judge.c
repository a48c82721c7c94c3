/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judging pipeline on series with known phases, the stop rule, and the sample size that it
   expects. */
#include "stat/judge.h"

#include "base/random.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/internal.h"
#include "stat/estimate/stop_rule.h"
#include "tables/presets.h"
#include "tests/unit/check.h"
#include "tests/unit/simulated.h"

#define COUNT_MAX 20000

static struct arena arena;
static double x[COUNT_MAX];

static struct judge_config normal_config(void)
{
    return (struct judge_config){.changepoint = CHANGEPOINT_PELT,
                                 .estimate = {INTERVAL_SPECTRAL, 0.95, 0.2},
                                 .target_width = 0.10,
                                 .minimum_subsessions = 50,
                                 .higher_is_better = true,
                                 .stopping = true};
}

/* Returns the sum of twelve uniform numbers, less 6: nearly normal, standard deviation 1. */
static double noise(struct random *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(r);
    return sum;
}

static void fill(size_t begin, size_t end, double mean, double sd, uint64_t seed)
{
    struct random r;
    random_seed(&r, seed, begin);
    for (size_t i = begin; i < end; i++)
        x[i] = mean + sd * noise(&r);
}

static void test_flat(void)
{
    struct judge_config config = normal_config();
    fill(0, 1000, 100, 5, 1);
    struct judgement j = judge(x, 1000, &config, &arena);
    CHECK_INT(j.phase, PHASE_FLAT);
    CHECK_INT(j.changepoint_count, 0);
    CHECK_INT(j.stable_begin, 0);
    CHECK_INT(j.stable_end, 1000);
    CHECK(j.enough);
    CHECK_NEAR(j.required_n, 1000, 0);
    /* At the stop the wider interval, on which the rule decided, is reported. */
    struct estimate plain = estimate_mean(x, 1000, &config.estimate, &arena);
    CHECK_NEAR(j.estimate.high - j.estimate.low,
               (plain.high - plain.low) * sqrt(1 + 6 / plain.effective_n + 4.0 / 100), 1e-12);

    /* With a number of readings fixed beforehand, and for Pilot's interval, nothing is widened. */
    config.stopping = false;
    j = judge(x, 1000, &config, &arena);
    CHECK(j.enough);
    CHECK_NEAR(j.estimate.high - j.estimate.low, plain.high - plain.low, 0);
    config.stopping = true;
    config.estimate.method = INTERVAL_PILOT;
    plain = estimate_mean(x, 1000, &config.estimate, &arena);
    j = judge(x, 1000, &config, &arena);
    CHECK(j.enough);
    CHECK_NEAR(j.estimate.high - j.estimate.low, plain.high - plain.low, 0);
}

/* A slow swing whose interval is narrow enough, but which is too slow to be recognised: only a
   session that can continue waits for it. */
static void test_held_back(void)
{
    struct judge_config config = normal_config();
    fill(0, 1000, 100, 5, 1);
    for (size_t i = 0; i < 1000; i++)
        x[i] += sin((double)i * 6.28318 / 500);
    struct judgement j = judge(x, 1000, &config, &arena);
    CHECK_INT(j.doubt, LEVEL_DOUBT_SLOW_END);
    CHECK(j.held_back && !j.enough && j.required_n > 1000);
    const struct estimate plain = estimate_mean(x, 1000, &config.estimate, &arena);
    CHECK(j.estimate.high - j.estimate.low > plain.high - plain.low);
    const struct estimate decided = judge_decided(&j, &config); /* widened once */
    CHECK_NEAR(decided.high - decided.low, j.estimate.high - j.estimate.low, 0);
    config.target_width = 1e-4; /* it needs more than that */
    j = judge(x, 1000, &config, &arena);
    CHECK(!j.held_back && !j.enough);
    config = normal_config();
    config.stopping = false;
    j = judge(x, 1000, &config, &arena);
    CHECK(j.enough && !j.held_back);
}

/* 60 readings of warm-up, 300 stable ones, 40 slower ones at the end. */
static void test_phases(void)
{
    struct judge_config config = normal_config();
    fill(0, 60, 50, 4, 2);
    fill(60, 360, 100, 4, 2);
    fill(360, 400, 70, 4, 2);
    struct judgement j = judge(x, 400, &config, &arena);
    CHECK_INT(j.changepoint_count, 2);
    CHECK(j.stable_begin >= 58 && j.stable_begin <= 62);
    CHECK(j.stable_end >= 358 && j.stable_end <= 362);
    CHECK_INT(j.phase, PHASE_WARMUP);
    CHECK_INT(j.estimate.n, j.stable_end - j.stable_begin);
    CHECK(j.estimate.low < 100 && 100 < j.estimate.high);
    CHECK(j.enough);

    fill(0, 300, 100, 4, 3);
    fill(300, 400, 60, 4, 3);
    j = judge(x, 400, &config, &arena);
    CHECK_INT(j.phase, PHASE_SLOWDOWN);
    config.higher_is_better = false;
    j = judge(x, 400, &config, &arena);
    CHECK_INT(j.phase, PHASE_WARMUP);
}

/* Without a steady state it never stops, however narrow the interval is. */
static void test_no_steady_state(void)
{
    struct judge_config config = normal_config();
    config.target_width = 1000;
    config.minimum_subsessions = 1;
    for (size_t step = 0; step < 4; step++)
        fill(500 * step, 500 * (step + 1), 100 - 20 * (double)step, 2, 4);
    struct judgement j = judge(x, 2000, &config, &arena);
    CHECK_INT(j.phase, PHASE_NO_STEADY_STATE);
    CHECK_INT(j.stable_begin, 0);
    CHECK_INT(j.stable_end, 2000);
    CHECK(!j.enough);
    CHECK(j.required_n > 2000);
    config.changepoint = CHANGEPOINT_NONE;
    j = judge(x, 2000, &config, &arena);
    CHECK_INT(j.phase, PHASE_FLAT);
    CHECK_INT(j.changepoint_count, 0);
    CHECK(j.enough);
}

/* More change points than the judgement keeps: the stable segment still follows from all of them.
 */
/* A random walk has no level, and one reading of it does not predict the next ones. Readings that
   resemble each other only over a part of the series have one. */
static void test_slow_movement(void)
{
    struct judge_config config = normal_config();
    struct random r;
    random_seed(&r, 11, 0);
    for (int walks = 1; walks >= 0; walks--) {
        double at = 0;
        for (size_t i = 0; i < 1000; i++) {
            at = (walks ? 1 : 0.9) * at + noise(&r);
            x[i] = 100 + at;
        }
        struct judgement j = judge(x, 1000, &config, &arena);
        CHECK_INT(j.phase, PHASE_FLAT);
        CHECK_INT(j.level, walks ? LEVEL_CYCLES : LEVEL_HOLDS);
        CHECK(!j.enough || !walks);
        CHECK_INT(judge_predicts(&j), !walks);
    }
}

/* After a step the prediction for the next session starts from the new level; if that level was
   there first, it lasts. */
static void test_prediction_after_a_step(void)
{
    struct judge_config config = normal_config();
    fill(0, 700, 100, 2, 21);
    fill(700, 1000, 80, 2, 22);
    struct judgement j = judge(x, 1000, &config, &arena);
    CHECK_INT(j.stable_end, 700);
    CHECK(!judge_predicts(&j));
    fill(700, 1000, 120, 2, 23);
    j = judge(x, 1000, &config, &arena);
    CHECK(!judge_predicts(&j));
    fill(0, 300, 120, 2, 24);
    fill(300, 1000, 100, 2, 25);
    j = judge(x, 1000, &config, &arena);
    CHECK_INT(j.stable_begin, 300);
    CHECK(judge_predicts(&j));
}

static void test_many_changepoints(void)
{
    static size_t all[COUNT_MAX];
    struct judge_config config = normal_config();
    config.changepoints = all;
    config.changepoint_capacity = COUNT_MAX;
    for (size_t i = 0; i < COUNT_MAX; i++) /* stairs of 40 readings, without an end */
        x[i] = (double)(i - i % 40) / 40;
    struct judgement j = judge(x, COUNT_MAX, &config, &arena);
    CHECK_INT(j.changepoint_count, JUDGE_MAX_CHANGEPOINTS);
    CHECK(j.changepoints_found > JUDGE_MAX_CHANGEPOINTS);
    CHECK_INT(j.phase, PHASE_NO_STEADY_STATE);
    for (size_t i = 0; i < j.changepoints_found; i++)
        CHECK(all[i] > (i > 0 ? all[i - 1] : 0) && all[i] < COUNT_MAX);
    for (size_t i = 0; i < j.changepoint_count; i++)
        CHECK_INT(j.changepoints[i], all[i]);
    config.changepoint_capacity = 3;
    all[3] = 12345;
    judge(x, COUNT_MAX, &config, &arena);
    CHECK_INT(all[3], 12345);
}

/* Numbers near both ends of a double's range: the same judgement as in another unit. */
static void test_extreme_units(void)
{
    static const double units[] = {1e-300, 1e-310, 1e300, 1.5e306};
    static double plain[400];
    struct judge_config config = normal_config();
    fill(0, 100, 50, 4, 8);
    fill(100, 400, 100, 4, 8);
    memcpy(plain, x, sizeof plain);
    struct judgement one = judge(plain, 400, &config, &arena);
    CHECK_INT(one.changepoint_count, 1);
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 400; i++)
            x[i] = plain[i] * units[k];
        struct judgement j = judge(x, 400, &config, &arena);
        CHECK_INT(j.stable_begin, one.stable_begin);
        CHECK_INT(j.enough, one.enough);
        CHECK_NEAR(j.estimate.mean, one.estimate.mean * units[k], 1e-9);
        CHECK_NEAR(j.estimate.low, one.estimate.low * units[k], 1e-9);
        CHECK_NEAR(j.estimate.high, one.estimate.high * units[k], 1e-9);
        CHECK_NEAR(j.estimate.sd, one.estimate.sd * units[k], 1e-9);
        CHECK_NEAR(j.estimate.effective_n, one.estimate.effective_n, 1e-6);
    }
}

/* Only zeros: certain, and without a relative width. */
static void test_all_zero(void)
{
    struct judge_config config = normal_config();
    memset(x, 0, 400 * sizeof x[0]);
    struct judgement j = judge(x, 400, &config, &arena);
    CHECK_INT(j.phase, PHASE_FLAT);
    CHECK_NEAR(j.estimate.high - j.estimate.low, 0, 0);
    CHECK(!j.enough);
    CHECK(isinf(j.required_n));
}

/* A single dip belongs to the level around it, and counts in the mean. */
static void test_dip(void)
{
    struct judge_config config = normal_config();
    uint64_t seed = 3;
    size_t flat = 0, held = 0, stepped = 0;
    for (size_t run = 0; run < 100; run++) {
        for (size_t i = 0; i < 500; i++)
            x[i] = (i >= 200 && i < 240 ? 60 : 100) + 4 * simulated_normal(&seed);
        struct judgement j = judge(x, 500, &config, &arena);
        flat += j.phase == PHASE_FLAT && j.changepoints_found == 2;
        held += j.estimate.low < 100 - 40 * 40 / 500.0 && j.estimate.high > 100;
        for (size_t i = 240; i < 500; i++)
            x[i] += 10;
        j = judge(x, 500, &config, &arena);
        stepped += j.stable_begin == 0 && j.stable_end == 500 && j.phase != PHASE_NO_STEADY_STATE;
    }
    CHECK(flat >= 98);
    CHECK(held >= 98);
    CHECK_INT(stepped, 0);
}

/* The mean of a few periods of an oscillation predicts little: a session continues until there are
   enough of them. */
static void test_periods(void)
{
    struct judge_config config = normal_config();
    size_t few = 0, ended = 0, many = 0, held = 0;
    uint64_t seed = 28;
    for (size_t run = 0; run < 20; run++) {
        for (size_t i = 0; i < 6000; i++)
            x[i] = ((i + run * 15) % 300 < 30 ? 70 : 100) + 4 * simulated_normal(&seed);
        const struct judgement brief = judge(x, 1200, &config, &arena);
        few += brief.level == LEVEL_CYCLES;
        ended += brief.enough;
        const struct judgement whole = judge(x, 6000, &config, &arena);
        many += whole.enough && whole.level == LEVEL_HOLDS && whole.period.found &&
                fabs(whole.period.readings - 300) < 3;
        held += whole.estimate.low < 97 && whole.estimate.high > 97;
    }
    printf("4 periods: %zu of 20 are too few; 20 periods: %zu of 20 suffice, %zu hold\n", few, many,
           held);
    CHECK(few >= 18);
    CHECK_INT(ended, 0);
    CHECK(many >= 16);
    CHECK(held >= 17);
}

/* A level after a step may be one of several: it has to last four times as long as everything
   before it. */
static void test_level_after_a_step(void)
{
    struct judge_config config = normal_config();
    fill(0, 150, 80, 4, 28);
    fill(150, 2000, 100, 4, 28);
    CHECK(!judge(x, 500, &config, &arena).enough);
    CHECK(!judge(x, 700, &config, &arena).enough);
    CHECK(judge(x, 2000, &config, &arena).enough);
    config.stopping = false; /* the number of readings was fixed beforehand */
    CHECK(judge(x, 500, &config, &arena).enough);
}

/* The expected width of what a limit leaves: close to the stop it is the width decided on, and
   where the rule is expected to fire it is the requested one. */
static void test_expected_width(void)
{
    struct stop_rule rule = {INTERVAL_SPECTRAL, 0.10, 50, 0, 0};
    struct estimate e = {.n = 400, .mean = 100, .low = 85, .high = 115, .effective_n = 200};
    struct estimate wide = stop_widened(&e, &rule);
    CHECK_NEAR(stop_expected_width(&e, &rule, 400), relative_width(&wide), 1e-12);
    CHECK_NEAR(stop_expected_width(&e, &rule, stop_required_n(&e, &rule)), 0.10, 1e-3);
    CHECK(stop_expected_width(&e, &rule, 1600) < relative_width(&wide) / 2);
    e.high = INFINITY;
    CHECK(isinf(stop_expected_width(&e, &rule, 1600)));
}

static void test_stop_rule(void)
{
    struct stop_rule rule = {INTERVAL_SPECTRAL, 0.10, 50, 0, 0};
    struct estimate e = {.mean = 100, .low = 96, .high = 104, .n = 1000, .effective_n = 800};
    CHECK_NEAR(relative_width(&e), 0.08, 1e-12);
    CHECK(stop_now(&e, &rule));
    CHECK_NEAR(stop_required_n(&e, &rule), 1000, 0);

    e.mean = -100, e.low = -104, e.high = -96; /* a width is never negative */
    CHECK(stop_now(&e, &rule));

    e.effective_n = 49; /* precise, but too few independent readings */
    CHECK(!stop_now(&e, &rule));
    CHECK_NEAR(stop_required_n(&e, &rule), ceil(1000.0 * 50 / 49), 0);

    e.effective_n = 200, e.n = 249; /* too few to know that they are independent */
    CHECK(!stop_now(&e, &rule));
    CHECK_NEAR(stop_required_n(&e, &rule), 250, 0);
    rule.minimum_subsessions = 200;
    CHECK_INT(stop_min_n(&rule), 800);

    e.mean = 0, e.low = -1, e.high = 1, e.n = 1000;
    CHECK(isinf(relative_width(&e)));
    CHECK(!stop_now(&e, &rule));
    CHECK(isinf(stop_required_n(&e, &rule)));
}

/* Just inside the target without the correction for stopping, and just outside with it. */
static void test_stop_is_decided_on_the_wider_interval(void)
{
    struct stop_rule rule = {INTERVAL_SPECTRAL, 0.10, 50, 0, 0};
    struct estimate e = {.mean = 100, .low = 95.1, .high = 104.9, .n = 1000, .effective_n = 100};
    CHECK(relative_width(&e) < rule.target_width);
    CHECK(!stop_now(&e, &rule));
    struct estimate wide = stop_widened(&e, &rule);
    CHECK_NEAR(relative_width(&wide), 0.098 * sqrt(1 + 0.06 + 0.04), 1e-12);
    CHECK_NEAR(wide.mean, 100, 0);

    /* At the required size, with the same variance, the rule is just met. */
    double n = stop_required_n(&e, &rule), shrink = sqrt(1000 / n);
    CHECK(n > 1000 && n < 1100);
    struct estimate later = {.mean = 100,
                             .low = 100 - 4.9 * shrink,
                             .high = 100 + 4.9 * shrink,
                             .n = (size_t)n,
                             .effective_n = n / 10};
    CHECK(stop_now(&later, &rule));
    wide = stop_widened(&later, &rule);
    CHECK_NEAR(relative_width(&wide), 0.10, 1e-3);
}

/* h = ceil(var_q (t / (w / 2))^2) subsessions, without a correction or another minimum of readings.
 */
static void test_pilots_stop_rule(void)
{
    struct stop_rule rule = {INTERVAL_PILOT, 0.10, 50, 0, 0};
    struct judge_config config = normal_config();
    config.estimate.method = INTERVAL_PILOT;
    config.estimate.autocorrelation_limit = 0.2;
    config.stopping = true;
    uint64_t seed = 5;
    for (size_t n = 100; n <= 400; n += 50) {
        simulated_ar1(x, n, 0.3, &seed);
        for (size_t i = 0; i < n; i++)
            x[i] = 100 + 25 * x[i];
        struct estimate e = estimate_mean(x, n, &config.estimate, &arena);
        struct subsessions all = subsessions_of(x, n, e.mean, &arena);
        struct subsession s = subsession_at(&all, subsession_size_pilot(&all, 0.2));
        double t = student_t_quantile(0.975, (double)(s.count - 1));
        double half = 0.10 * fabs(e.mean) / 2;
        double required = fmax(50, ceil(s.variance * (t / half) * (t / half)));
        CHECK_INT(stop_now(&e, &rule), (double)s.count >= required);
        if ((double)s.count < required)
            CHECK_NEAR(stop_required_n(&e, &rule), fmax((double)n + 1, required * (double)s.size),
                       (double)s.size);
        struct judgement j = judge(x, n, &config, &arena);
        if (j.phase == PHASE_FLAT) { /* reported unchanged: not widened */
            CHECK_NEAR(j.estimate.low, e.low, 0);
            CHECK_INT(j.enough, (double)s.count >= required);
        }
    }
    arena_reset(&arena, 0);
    CHECK_INT(stop_min_n(&rule), 50);
    struct estimate unknown = {.mean = 100, .low = -INFINITY, .high = INFINITY, .n = 60};
    CHECK(!stop_now(&unknown, &rule));
    CHECK_NEAR(stop_required_n(&unknown, &rule), 61, 0);
}

/* Too few readings for an interval: only the minimum number of readings is known. */
static void test_first_readings(void)
{
    struct judge_config config = normal_config();
    x[0] = 100, x[1] = 101;
    for (size_t n = 0; n <= 2; n++) {
        struct judgement j = judge(x, n, &config, &arena);
        CHECK(!j.enough);
        CHECK_INT(j.phase, PHASE_FLAT);
        CHECK_NEAR(j.required_n, 250, 0);
        CHECK_INT(j.stable_end, n);
    }
}

/* From 500 readings the size for 2 % is predicted within a third: sd/mean .3, AR(1) 0 and .6. */
static void test_required_n_is_reached(void)
{
    const double phi[] = {0, 0.6};
    struct judge_config config = normal_config();
    config.changepoint = CHANGEPOINT_NONE;
    config.target_width = 0.02;
    for (size_t k = 0; k < 2; k++) {
        struct random r;
        double state = 0, scale = 30 * sqrt(1 - phi[k] * phi[k]);
        random_seed(&r, 6, k);
        for (size_t i = 0; i < COUNT_MAX; i++)
            x[i] = 100 + (state = phi[k] * state + scale * noise(&r));
        double needed = pow(2 * 1.96 * 30 / 2, 2) * (1 + phi[k]) / (1 - phi[k]);
        struct judgement j = judge(x, 500, &config, &arena);
        CHECK(!j.enough);
        CHECK_NEAR(j.required_n, needed, 0.33);
        j = judge(x, (size_t)(1.33 * needed), &config, &arena);
        CHECK(j.enough);
    }
}

static void test_names_and_presets(void)
{
    CHECK_STR(phase_name(PHASE_FLAT), "flat");
    CHECK_STR(phase_name(PHASE_WARMUP), "warmup");
    CHECK_STR(phase_name(PHASE_SLOWDOWN), "slowdown");
    CHECK_STR(phase_name(PHASE_NO_STEADY_STATE), "no_steady_state");
    CHECK_INT(PRESET_COUNT, 3);
    for (size_t i = 1; i < PRESET_COUNT;
         i++) { /* each is at least as demanding as the previous one */
        CHECK(presets[i].target_width <= presets[i - 1].target_width);
        CHECK(presets[i].autocorrelation_limit < presets[i - 1].autocorrelation_limit);
        CHECK(presets[i].minimum_subsessions > presets[i - 1].minimum_subsessions);
        CHECK(presets[i].minimum_seconds > presets[i - 1].minimum_seconds);
    }
}

int main(void)
{
    CHECK_INT(arena_init(&arena, judge_scratch_bytes(COUNT_MAX), NULL), 0);
    test_flat();
    test_held_back();
    test_phases();
    test_no_steady_state();
    test_slow_movement();
    test_prediction_after_a_step();
    test_many_changepoints();
    test_extreme_units();
    test_all_zero();
    test_dip();
    test_periods();
    test_level_after_a_step();
    test_stop_rule();
    test_expected_width();
    test_pilots_stop_rule();
    test_stop_is_decided_on_the_wider_interval();
    test_first_readings();
    test_required_n_is_reached();
    test_names_and_presets();
    CHECK_INT(arena.used, 0);
    arena_free(&arena);
    return check_result();
}
