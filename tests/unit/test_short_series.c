/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fewer than 60 readings through the whole judgement: obvious steps and trends are found at their
 * place, and noise of many kinds gives none, counted over simulated series.
 */
#include "stat/judge.h"

#include "tests/unit/check.h"
#include "tests/unit/simulated.h"

#define READINGS_MAX 59
#define SERIES       2000

static struct arena arena;
static double x[READINGS_MAX];

static const struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                           .estimate = {INTERVAL_SPECTRAL, 0.95, 0.1},
                                           .target_width = 0.1,
                                           .minimum_subsessions = 50,
                                           .higher_is_better = true};

static struct judgement judge_first(size_t n)
{
    return judge(x, n, &config, &arena);
}

/* ---- cases whose right answer is known ---- */

/* Returns small noise that is the same in every run. */
static double scatter(size_t i)
{
    return sin((double)i * (double)i);
}

static void fill(size_t begin, size_t end, double level)
{
    for (size_t i = begin; i < end; i++)
        x[i] = level + scatter(i);
}

static void test_steps(void)
{
    fill(0, 13, 100);
    fill(13, 26, 50);
    struct judgement j = judge_first(26);
    CHECK_INT(j.changepoint_count, 1);
    CHECK_INT(j.changepoints[0], 13);
    CHECK_INT(j.phase, PHASE_NO_STEADY_STATE);
    CHECK(!j.shift.found && !j.enough);
    CHECK_INT(j.search, CHANGE_SEARCH_PLAIN);

    fill(0, 6, 50);
    fill(6, 30, 100);
    j = judge_first(30);
    CHECK_INT(j.phase, PHASE_WARMUP);
    CHECK_INT(j.stable_begin, 6);
    CHECK_INT(j.stable_end, 30);
    CHECK_NEAR(j.estimate.mean, 100, 0.5);

    fill(0, 24, 100);
    fill(24, 30, 50);
    j = judge_first(30);
    CHECK_INT(j.phase, PHASE_SLOWDOWN);
    CHECK_INT(j.stable_end, 24);

    /* A level in the middle, and three levels. */
    fill(0, 30, 100);
    fill(10, 20, 50);
    j = judge_first(30);
    CHECK_INT(j.changepoint_count, 2);
    CHECK(j.changepoints[0] == 10 && j.changepoints[1] == 20);
    CHECK_INT(j.phase, PHASE_NO_STEADY_STATE);
    fill(0, 12, 100);
    fill(12, 24, 50);
    fill(24, 36, 200);
    j = judge_first(36);
    CHECK_INT(j.changepoint_count, 2);
    CHECK(j.changepoints[0] == 12 && j.changepoints[1] == 24);

    /* A single outlier hides no step, and is none. */
    fill(0, 13, 100);
    fill(13, 26, 50);
    x[20] = 500;
    j = judge_first(26);
    CHECK_INT(j.changepoint_count, 1);
    CHECK_INT(j.changepoints[0], 13);
    fill(0, 26, 100);
    x[20] = 500;
    CHECK_INT(judge_first(26).phase, PHASE_FLAT);

    /* Levels without any noise. */
    for (size_t i = 0; i < 26; i++)
        x[i] = i < 13 ? 100 : 50;
    CHECK_INT(judge_first(26).changepoint_count, 1);
}

static void test_trends(void)
{
    for (size_t i = 0; i < 40; i++)
        x[i] = (double)i + 1;
    struct judgement j = judge_first(40);
    CHECK_INT(j.phase, PHASE_NO_STEADY_STATE);
    CHECK_INT(j.changepoint_count, 0);
    CHECK(j.shift.found && j.shift.begin == 0 && j.shift.end == 40);
    CHECK_NEAR(j.shift.slope, 1, 1e-12);
    CHECK_NEAR(j.shift.change, 40, 1e-10);
    CHECK(!j.enough);
    for (size_t i = 0; i < 20; i++)
        x[i] = 100 - 2 * (double)i + scatter(i);
    CHECK(judge_first(20).shift.found);
    /* A total change of less than one per cent of the level is ignored. */
    for (size_t i = 0; i < 20; i++)
        x[i] = 1000 + 0.2 * (double)i;
    j = judge_first(20);
    CHECK(!j.shift.found);
    CHECK_INT(j.phase, PHASE_FLAT);
}

/* A series that was not searched is not called searched. */
static void test_search(void)
{
    fill(0, 5, 50);
    fill(5, 11, 100);
    struct judgement j = judge_first(11);
    CHECK_INT(j.search, CHANGE_SEARCH_NONE);
    CHECK_INT(j.phase, PHASE_FLAT);
    CHECK_INT(changepoint_search(CHANGEPOINT_PELT, 12), CHANGE_SEARCH_PLAIN);
    CHECK_INT(changepoint_search(CHANGEPOINT_PELT, 60), CHANGE_SEARCH_FULL);
    CHECK_INT(changepoint_search(CHANGEPOINT_EDM, 59), CHANGE_SEARCH_NONE);
    CHECK_INT(changepoint_search(CHANGEPOINT_EDM, 60), CHANGE_SEARCH_FULL);
    CHECK_INT(changepoint_search(CHANGEPOINT_NONE, 1000), CHANGE_SEARCH_NONE);
    /* Constant readings, and readings near the ends of what a double holds. */
    for (size_t i = 0; i < 30; i++)
        x[i] = 7;
    CHECK_INT(judge_first(30).phase, PHASE_FLAT);
    for (size_t i = 0; i < 30; i++)
        x[i] = i < 12 ? 1e300 : 1e299;
    CHECK_INT(judge_first(30).changepoint_count, 1);
}

/* ---- counted ---- */

enum kind {
    NORMAL,
    LOGNORMAL,
    BIMODAL,
    RARE_LEVEL,
    TWO_VALUES,
    STUDENT_3,
    AR_3,
    AR_6,
    AR_8,
    KINDS
};

static void make(enum kind kind, size_t n, uint64_t *state)
{
    static const double rho[KINDS] = {[AR_3] = 0.3, [AR_6] = 0.6, [AR_8] = 0.8};
    if (rho[kind] > 0) {
        simulated_ar1(x, n, rho[kind], state);
        for (size_t i = 0; i < n; i++)
            x[i] = 100 + 5 * sqrt(1 - rho[kind] * rho[kind]) * x[i];
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double share = kind == RARE_LEVEL ? 0.2 : 0.5, square = 0;
        bool other = simulated_uniform(state) < share;
        for (int k = 0; k < 3 && kind == STUDENT_3; k++)
            square += pow(simulated_normal(state), 2);
        x[i] = kind == NORMAL       ? 100 + 5 * simulated_normal(state)
               : kind == LOGNORMAL  ? exp(simulated_normal(state))
               : kind == TWO_VALUES ? other
               : kind == STUDENT_3  ? 100 + simulated_normal(state) / sqrt(square / 3)
                                    : 100 + (other ? 50 : 0) + 4 * simulated_normal(state);
    }
}

static void test_false_alarms(uint64_t *state)
{
    static const struct {
        const char *name;
        double max; /* permitted share of series in which a change is found */
    } rows[KINDS] = {
        [NORMAL] = {"normal", 0.01},      [LOGNORMAL] = {"lognormal", 0.01},
        [BIMODAL] = {"two levels", 0.01}, [RARE_LEVEL] = {"two levels, one rare", 0.01},
        [TWO_VALUES] = {"0 and 1", 0.01}, [STUDENT_3] = {"Student's t(3)", 0.01},
        [AR_3] = {"AR(1) .3", 0.01},      [AR_6] = {"AR(1) .6", 0.05},
        [AR_8] = {"AR(1) .8", 0.25}};
    static const size_t lengths[] = {12, 16, 20, 26, 40, 59};
    for (int kind = 0; kind < KINDS; kind++) {
        printf("%-22s", rows[kind].name);
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            int found = 0;
            for (int series = 0; series < SERIES; series++) {
                make((enum kind)kind, lengths[k], state);
                struct judgement j = judge_first(lengths[k]);
                found += j.changepoint_count > 0 || j.shift.found;
            }
            printf("  n %zu: %.4f", lengths[k], (double)found / SERIES);
            CHECK(found <= rows[kind].max * SERIES);
        }
        printf("\n");
    }
}

/* A step of so many standard deviations in the middle, and a line that rises by as many. */
static void test_power(uint64_t *state)
{
    static const struct {
        size_t n;
        double size, rho, min_step, min_line;
    } rows[] = {{12, 6, 0, 0.85, 0.6},
                {26, 4, 0, 0.9, 0.6},
                {40, 3.5, 0, 0.95, 0.7},
                {59, 3, 0, 0.95, 0.8},
                {40, 4, 0.6, 0.95, 0.8}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const size_t n = rows[k].n;
        int step = 0, line = 0;
        for (int series = 0; series < SERIES / 4; series++) {
            simulated_ar1(x, n, rows[k].rho, state);
            double sd = 1 / sqrt(1 - rows[k].rho * rows[k].rho);
            for (size_t i = 0; i < n; i++)
                x[i] += 10 + sd * rows[k].size * (i >= n / 2);
            struct judgement j = judge_first(n);
            step += j.phase == PHASE_NO_STEADY_STATE || j.changepoint_count > 0;
            simulated_ar1(x, n, rows[k].rho, state);
            for (size_t i = 0; i < n; i++)
                x[i] += 10 + sd * rows[k].size * (double)i / (double)n;
            j = judge_first(n);
            line += j.phase != PHASE_FLAT;
        }
        printf("n %zu, AR(1) %.1f, %.1f sd: a step is seen in %.3f, a line in %.3f\n", n,
               rows[k].rho, rows[k].size, 4.0 * step / SERIES, 4.0 * line / SERIES);
        CHECK(4 * step >= rows[k].min_step * SERIES);
        CHECK(4 * line >= rows[k].min_line * SERIES);
    }
}

int main(void)
{
    struct err e;
    uint64_t state = 20260728;
    CHECK(arena_init(&arena, judge_scratch_bytes(READINGS_MAX), &e) == 0);
    test_steps();
    test_trends();
    test_search();
    test_false_alarms(&state);
    test_power(&state);
    arena_free(&arena);
    return check_result();
}
