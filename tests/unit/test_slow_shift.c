/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A gradually moving level: found where it moves, not in autocorrelated noise, and not taken for
 * one step. Simulated series through the whole judgement.
 */
#include "stat/change/slow_shift.h"

#include "check.h"
#include "simulated.h"
#include "simulations.h"
#include "stat/judge.h"

#define READINGS 1000
#define SERIES   SIMULATED_RUNS(300)

static struct arena arena;
static double x[READINGS];

static const struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                           .estimate = {INTERVAL_SPECTRAL, 0.95, 0.1},
                                           .target_width = 0.1,
                                           .minimum_subsessions = 50,
                                           .higher_is_better = true};

/* About 100, standard deviation 5. */
static void make_noise(double autocorrelation, size_t n, uint64_t *state)
{
    simulated_ar1(x, n, autocorrelation, state);
    double sd = 5 * sqrt(1 - autocorrelation * autocorrelation);
    for (size_t i = 0; i < n; i++)
        x[i] = 100 + sd * x[i];
}

/* Returns numbers that look like noise and are the same on every machine. */
static double scatter(size_t i)
{
    return sin((double)i * (double)i);
}

/* R: i <- 0:199; coef(lm(50 - .05 * i + sin(i^2) ~ i)) */
static void check_line(void)
{
    for (size_t i = 0; i < 200; i++)
        x[i] = 50 - 0.05 * (double)i + scatter(i);
    struct slow_shift s = slow_shift_of(x, 200, NULL, 0, (struct segment){0, 200}, &arena);
    CHECK(s.found && s.begin == 0 && s.end == 200);
    CHECK_NEAR(s.slope, -0.04960525452616475, 1e-9);
    CHECK_NEAR(s.change, 200 * s.slope, 1e-12);
    CHECK(s.low < -0.05 && s.high > -0.05 && s.high - s.low < 0.01);
    s = slow_shift_of(x, 100, NULL, 0, (struct segment){0, 100}, &arena);
    CHECK(!s.found && s.slope >= 0 && s.low >= 0);
    for (size_t i = 0; i < 200; i++)
        x[i] = 7;
    s = slow_shift_of(x, 200, NULL, 0, (struct segment){0, 200}, &arena);
    CHECK(!s.found);
}

/* Several steps that make up a rise are one movement; the level after a single step is a level of
   its own. */
static void check_stretch(void)
{
    static const size_t stairs[] = {100, 200, 300};
    for (size_t i = 0; i < 400; i++)
        x[i] = 10 + 0.01 * (double)i + 0.3 * scatter(i);
    struct slow_shift s = slow_shift_of(x, 400, stairs, 3, (struct segment){100, 200}, &arena);
    CHECK(s.found && s.begin == 0 && s.end == 400);
    for (size_t i = 0; i < 400; i++)
        x[i] = (i < 100 ? 5 : 10) + 0.3 * scatter(i);
    s = slow_shift_of(x, 400, stairs, 1, (struct segment){100, 400}, &arena);
    CHECK(!s.found && s.begin == 100 && s.end == 400);
    /* A warm-up, then a level that rises. */
    for (size_t i = 100; i < 400; i++)
        x[i] += 0.01 * (double)i;
    s = slow_shift_of(x, 400, stairs, 2, (struct segment){200, 400}, &arena);
    CHECK(s.found && s.begin == 100);
}

/* A fall to nothing is one by 100 %, though the fitted line ends below 0; the text states what was
   seen, and extrapolates nothing to an hour. */
static void check_words(void)
{
    char words[LEVEL_SHIFT_WORDS];
    for (size_t i = 0; i < 240; i++)
        x[i] = 1000 * exp(-(double)i / 30);
    struct slow_shift s = slow_shift_fit(x, (struct segment){0, 240}, &arena);
    struct level_shift share = slow_shift_share(&s);
    CHECK_INT(share.readings, 240);
    CHECK(share.share >= -1 && share.share < -0.9 && share.low >= -1);
    for (size_t i = 0; i < 200; i++)
        x[i] = 50 - 0.05 * (double)i;
    s = slow_shift_fit(x, (struct segment){0, 200}, &arena);
    share = slow_shift_share(&s);
    CHECK_NEAR(share.share, -0.2, 0.01);
    CHECK_STR(
        level_shift_words(words, sizeof words, &(struct level_shift){true, 9, -0.5, -0.6, -0.4}),
        "falls by 50 % (40 to 60 %)");
    CHECK_STR(
        level_shift_words(words, sizeof words, &(struct level_shift){true, 9, 1.5, 1.25, 1.75}),
        "rises by 150 % (125 to 175 %)");
    CHECK_STR(level_shift_words(words, sizeof words, &(struct level_shift){true, 9, 19, 17, 21}),
              "rises to 20 times its first level (18 to 22)");
    CHECK_STR(
        level_shift_words(words, sizeof words,
                          &(struct level_shift){true, 9, (double)NAN, (double)NAN, (double)NAN}),
        "moves away from 0");
}

struct row {
    double autocorrelation, drift; /* in standard deviations of a reading, over the whole series */
    double min_found, max_found;
    double max_step; /* a step of that size, at six tenths of the series, is called a step */
};

static void check_row(const struct row *row, uint64_t *state)
{
    size_t found = 0, step = 0;
    for (int series = 0; series < SERIES; series++) {
        make_noise(row->autocorrelation, READINGS, state);
        for (size_t i = 0; i < READINGS; i++)
            x[i] += 5 * row->drift * (double)i / READINGS;
        found += judge(x, READINGS, &config, &arena).shift.found;
        make_noise(row->autocorrelation, READINGS, state);
        for (size_t i = READINGS * 6 / 10; i < READINGS; i++)
            x[i] += 5 * row->drift;
        step += judge(x, READINGS, &config, &arena).shift.found;
    }
    printf("AR(1) %.1f, drift %.1f sd: found %.3f; a step of it: %.3f\n", row->autocorrelation,
           row->drift, (double)found / SERIES, (double)step / SERIES);
    CHECK_COUNT((double)found >= row->min_found * SERIES &&
                (double)found <= row->max_found * SERIES);
    CHECK_COUNT((double)step <= row->max_step * SERIES);
}

int main(void)
{
    struct err e;
    CHECK(arena_init(&arena, judge_scratch_bytes(READINGS), &e) == 0);
    check_line();
    check_stretch();
    check_words();
    static const struct row rows[] = {{0, 0, 0, 0.02, 0.02},   {0.6, 0, 0, 0.02, 0.02},
                                      {0.9, 0, 0, 0.02, 0.02}, {0, 2, 0.95, 1, 0.03},
                                      {0.6, 4, 0.95, 1, 0.03}, {0.9, 4, 0.85, 1, 0.1}};
    uint64_t state = 8;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i], &state);
    arena_free(&arena);
    return check_result();
}
