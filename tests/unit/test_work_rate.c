/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work per second from rounds of different work amounts: numbers that R computed (lm, confint,
 * hatvalues), rounds that are not on the line, and simulated sessions whose speed is known.
 */
#include "stat/wps/work_rate.h"

#include "cases.h"
#include "check.h"
#include "simulated.h"
#include "simulations.h"
#include "stat/wps/work_amount.h"
#include "stat/wps/work_session.h"

#define SESSIONS   SIMULATED_RUNS(600)
#define ROUNDS_MAX 400

static struct arena arena;

/* R: m <- lm(t ~ w); coef(m); confint(m); 1 / confint(m)[2,] */
static const struct work_round known[] = {{500, 7.13}, {250, 4.41}, {750, 9.72},  {125, 3.22},
                                          {375, 5.93}, {625, 8.41}, {875, 10.87}, {62, 2.71},
                                          {188, 3.71}, {312, 5.28}};

static void check_plain(void)
{
    struct work_rate r = work_rate_plain(known, 10, 0.95, &arena);
    CHECK_NEAR(r.setup.value, 1.96429891004730472, 1e-9);
    CHECK_NEAR(r.setup.low, 1.814339388965824362, 1e-9);
    CHECK_NEAR(r.setup.high, 2.11425843112878509, 1e-9);
    CHECK_NEAR(r.slope.value, 0.01027745221554086, 1e-9);
    CHECK_NEAR(r.slope.low, 0.009966385894434949, 1e-9);
    CHECK_NEAR(r.slope.high, 0.01058851853664677, 1e-9);
    CHECK_NEAR(r.speed.low, 94.44191805860362, 1e-9);
    CHECK_NEAR(r.speed.high, 100.33727477463842, 1e-9);
    CHECK(r.bounded && r.rounds == 10 && r.degrees > 7.9 && r.degrees < 8.1);
    CHECK_NEAR(work_rate_seconds(&r, 100), 2.992044131601390, 1e-9);
    CHECK_NEAR(work_rate_width(&r), (100.33727477463842 - 94.44191805860362) * 0.01027745221554086,
               1e-9);
    /* Rounds with less work than W give the setup in a round of W. */
    struct work_round less[10];
    for (size_t i = 0; i < 10; i++)
        less[i] = (struct work_round){known[i].work - 400, known[i].seconds};
    struct work_rate at = work_rate_duration(known, 10, 400, 0.95, false, &arena);
    struct work_rate shifted = work_rate_of(less, 10, 0.95, &arena);
    CHECK_NEAR(at.setup.value, shifted.setup.value, 1e-9);
    CHECK_NEAR(at.setup.high, shifted.setup.high, 1e-9);
    CHECK_NEAR(at.setup.value, work_rate_seconds(&r, 400), 1e-9);
    struct work_rate wider = work_rate_duration(known, 10, 400, 0.95, true, &arena);
    CHECK_NEAR(wider.setup.high - wider.setup.value,
               sqrt(1 + 6.0 / 8) * (at.setup.high - at.setup.value), 1e-9);

    r = work_rate_plain(known, 10, 0.9, &arena);
    CHECK_NEAR(r.slope.high, 0.01052829424922318, 1e-9);

    /* Amounts far from 0 keep their digits. */
    struct work_round far[10];
    for (size_t i = 0; i < 10; i++)
        far[i] = (struct work_round){known[i].work + 1e9, known[i].seconds};
    r = work_rate_plain(far, 10, 0.95, &arena);
    CHECK_NEAR(r.slope.value, 0.01027745221554086, 1e-7);
    CHECK_NEAR(r.slope.low, 0.009966385894434949, 1e-7);
}

/* `known` has no autocorrelation: the same line, with the error of HC3 where that is larger. */
static void check_robust(void)
{
    const double hc3 = 0.0001586396412576468, t8 = 2.306004135204172;
    struct work_rate r = work_rate_of(known, 10, 0.95, &arena);
    CHECK_NEAR(r.slope.value, 0.01027745221554086, 1e-9);
    CHECK_NEAR(r.slope.high - r.slope.low, 2 * t8 * hc3, 1e-9);
    CHECK(r.autocorrelation <= 0 && !r.proportional && r.bend <= 0);
    struct work_rate wide = work_rate_widened(&r);
    CHECK_NEAR(wide.slope.high - r.slope.value, sqrt(1 + 6.0 / 8) * t8 * hc3, 1e-9);
    CHECK_NEAR(wide.speed.low, 1 / wide.slope.high, 1e-12);
    /* Rounds worth 3 independent ones: the wider correction is used. */
    r.independent = 3;
    wide = work_rate_widened(&r);
    CHECK_NEAR(wide.slope.high - r.slope.value, sqrt(2) * t8 * hc3, 1e-9);
}

static void check_edges(void)
{
    struct work_round same[4] = {{10, 1}, {10, 2}, {10, 3}, {10, 2}};
    struct work_rate r = work_rate_of(same, 4, 0.95, &arena);
    CHECK(isnan(r.slope.value) && !r.bounded && isinf(r.speed.high));
    CHECK(isinf(work_rate_width(&r)));
    struct work_round shorter[4] = {{10, 4}, {20, 3.5}, {30, 2}, {40, 1}};
    r = work_rate_of(shorter, 4, 0.95, &arena); /* a speed below 0 is none */
    CHECK(r.slope.value < 0 && !r.bounded && isinf(r.speed.value) && r.speed.value > 0);
    r = work_rate_of(same, 0, 0.95, &arena);
    CHECK(isnan(r.speed.value) && r.rounds == 0);
    r = work_rate_of(known, 2, 0.95, &arena); /* a line, no interval */
    CHECK_NEAR(r.slope.value, (7.13 - 4.41) / 250, 1e-9);
    CHECK(isinf(r.slope.high) && !r.bounded && r.speed.low <= 0);

    /* The slope's interval contains 0: no upper end; if more work takes less time, no speed. */
    struct work_round flat[] = {{1, 5}, {2, 6}, {3, 5}, {4, 6}, {5, 5.6}};
    r = work_rate_of(flat, 5, 0.95, &arena);
    CHECK(!r.bounded && isinf(r.speed.high) && r.speed.low > 0 && isinf(work_rate_width(&r)));
    struct work_round falling[] = {{1, 5}, {2, 4}, {3, 3.1}, {4, 2}, {5, 1.1}};
    r = work_rate_of(falling, 5, 0.95, &arena);
    CHECK(!r.bounded && isinf(r.speed.high) && r.speed.low <= 0);

    /* Without any noise the interval is a point. */
    struct work_round exact[20];
    for (size_t i = 0; i < 20; i++)
        exact[i] = (struct work_round){100 + 10 * (double)i, 3 + (100 + 10 * (double)i) / 8};
    r = work_rate_of(exact, 20, 0.95, &arena);
    CHECK_NEAR(r.speed.value, 8, 1e-9);
    CHECK(work_rate_width(&r) < 1e-9 && r.bounded && r.autocorrelation <= 0);
}

/* Amounts as the sessions of work_amount.h have them. */
static void simulate(struct work_round round[], size_t n, double autocorrelation, double noise,
                     uint64_t *state)
{
    double u[ROUNDS_MAX];
    simulated_ar1(u, n, autocorrelation, state);
    for (size_t i = 0; i < n; i++) {
        double work = 100 + 900 * work_midpoint(i + 1);
        round[i] = (struct work_round){work, 2 + work / 100 + noise * u[i]};
    }
}

/* A cache takes the first 300 units at ten times the speed. */
static void check_bend(void)
{
    struct work_round round[64];
    uint64_t state = 3;
    size_t found = 0, near = 0;
    for (int session = 0; session < 40; session++) {
        simulate(round, 40, 0, 0.1, &state);
        for (size_t i = 0; i < 40; i++)
            round[i].seconds -= 9 * fmin(round[i].work, 300) / 1000;
        struct work_rate r = work_rate_of(round, 40, 0.95, &arena);
        found += r.bend > 0;
        near += r.slope.low <= 0.01 && 0.01 <= r.slope.high;
    }
    CHECK_INT(found, 40);
    CHECK(near >= 35);
}

struct sessions {
    double autocorrelation;
    bool proportional;
    size_t n;
    double min_coverage;
};

/* Warm-up noise: set-up takes a different time in every round. */
static void check_coverage(const struct sessions *s, uint64_t *state)
{
    struct work_round round[ROUNDS_MAX];
    size_t holding = 0, bends = 0;
    for (int session = 0; session < SESSIONS; session++) {
        simulate(round, s->n, s->autocorrelation, 0.3, state);
        for (size_t i = 0; i < s->n && s->proportional; i++) {
            double expected = 2 + round[i].work / 100;
            round[i].seconds = expected + (round[i].seconds - expected) * expected / 10;
        }
        struct work_rate r = work_rate_of(round, s->n, 0.95, &arena);
        holding += r.slope.low <= 0.01 && 0.01 <= r.slope.high;
        bends += r.bend > 0;
    }
    double coverage = (double)holding / SESSIONS;
    printf("AR(1) %.1f%s, %zu rounds: coverage %.3f, bends %.4f\n", s->autocorrelation,
           s->proportional ? ", noise proportional to the duration" : "", s->n, coverage,
           (double)bends / SESSIONS);
    CHECK_COUNT(coverage >= s->min_coverage);
    CHECK_COUNT(bends <= SESSIONS / 100);
}

/* Cases from CUPEL_CASES, in seconds and nanoseconds (R: lm, confint). */
static void check_cases(const char *folder)
{
    static struct cases c;
    struct expected_row row;
    bool found = cases_open(&c, folder);
    while (found && cases_next(&c, &row)) {
        if (strncmp(row.name, "wps", 3) != 0 || !cases_load(&c, &row))
            continue;
        struct work_round round[ROUNDS_MAX];
        size_t n = c.n / 2;
        for (size_t i = 0; i < n; i++)
            round[i] = (struct work_round){c.x[2 * i], c.x[2 * i + 1] * 1e-9};
        struct work_rate r = work_rate_plain(round, n, 0.95, &arena);
        bool exact = work_rate_width(&r) < 1e-9; /* the interval is rounding alone */
        if (cases_is(&row, "alpha_s,inv_v,v")) {
            CHECK_NEAR(r.setup.value, row.value[0], 1e-9);
            CHECK_NEAR(r.slope.value, row.value[1], 1e-9);
            CHECK_NEAR(r.speed.value, row.value[2], 1e-9);
        } else if (cases_is(&row, "ci95(inv_v)")) {
            CHECK_NEAR(r.slope.low, row.value[0], exact ? 1e-8 : 1e-9);
            CHECK_NEAR(r.slope.high, row.value[1], exact ? 1e-8 : 1e-9);
        } else if (cases_is(&row, "ci95(v)")) {
            CHECK(r.bounded == (row.count == 2));
            if (row.count == 2)
                CHECK_NEAR(r.speed.high, row.value[1], exact ? 1e-8 : 1e-9);
        }
    }
}

/* ---- sessions of rounds that are not alike ---- */

enum disturbance { EVEN, ONE_IN_TEN, ONE_IN_TWENTY, WANDERING, DISTURBANCES };

static const struct disturbed {
    const char *name;
    double mean;       /* of the factor by which the work takes longer */
    double max_rounds; /* after which a session of even rounds has ended; 0: not judged */
    int max_wrong;     /* of DISTURBED_SESSIONS: precise, and the speed lies outside */
} disturbed[DISTURBANCES] = {
    [EVEN] = {"even rounds, noise 5 %", 1, 120, 3},
    [ONE_IN_TEN] = {"one round in ten 1.5 times as long", 1.05, 0, 3},
    [ONE_IN_TWENTY] = {"one round in twenty twice as long", 1.05, 0, 4},
    [WANDERING] = {"noise 5 %, AR(1) .9", 1, 0, 4},
};

enum { DISTURBED_SESSIONS = SIMULATED_RUNS(16), DISTURBED_ROUNDS = 240 };

static double disturbed_seconds(enum disturbance kind, double work, double *level, uint64_t *state)
{
    double noise = simulated_normal(state), chance = simulated_uniform(state);
    switch (kind) {
    case ONE_IN_TEN:
        return 1 + work / 10 * (chance < 0.1 ? 1.5 : 1) * (1 + 0.02 * noise);
    case ONE_IN_TWENTY:
        return 1 + work / 10 * (chance < 0.05 ? 2 : 1) * (1 + 0.02 * noise);
    case WANDERING:
        *level = 0.9 * *level + sqrt(1 - 0.81) * noise;
        return (1 + work / 10) * (1 + 0.05 * *level);
    default:
        return (1 + work / 10) * (1 + 0.05 * noise);
    }
}

/* The speed was inside in .66, .48 and .71 of the sessions before tails, the number of independent
   rounds and memory were considered (with at least 10 rounds). */
static void check_disturbed(enum disturbance kind)
{
    const struct disturbed *of = &disturbed[kind];
    const struct work_limits limits = {.min = 1,
                                       .max = 1000,
                                       .shortest = 1,
                                       .quick_seconds = 60,
                                       .quick_rounds = 50,
                                       .width = 0.1,
                                       .min_rounds = 60};
    int ended = 0, wrong = 0;
    double rounds = 0;
    for (uint64_t session = 0; session < DISTURBED_SESSIONS; session++) {
        uint64_t state = 7919 * session + (uint64_t)kind;
        struct work_session w = {0};
        double level = simulated_normal(&state);
        struct err e;
        work_session_begin(&w, &limits);
        while (w.count < DISTURBED_ROUNDS && !w.enough) {
            struct work_round round = {w.plan.next, 0};
            round.seconds = disturbed_seconds(kind, round.work, &level, &state);
            CHECK_INT(work_session_add(&w, &round, 0.95, &e), 0);
            if (w.count < 70 || w.count % 20 == 0)
                work_session_judge(&w, 0.95);
        }
        struct work_rate wide = work_rate_widened(&w.rate);
        double speed = 10 / of->mean;
        ended += w.enough;
        wrong += w.enough && !(wide.speed.low <= speed && speed <= wide.speed.high);
        rounds += (double)w.count / DISTURBED_SESSIONS;
        work_session_free(&w);
    }
    printf("%s: %d of %d sessions end after %.0f rounds, %d wrong\n", of->name, ended,
           DISTURBED_SESSIONS, rounds, wrong);
    CHECK_COUNT(wrong <= of->max_wrong);
    if (of->max_rounds > 0) {
        CHECK_COUNT(ended == DISTURBED_SESSIONS);
        CHECK_COUNT(rounds <= of->max_rounds);
    }
}

int main(void)
{
    struct err e;
    CHECK(arena_init(&arena, work_rate_scratch_bytes(ROUNDS_MAX), &e) == 0);
    check_plain();
    check_robust();
    check_edges();
    check_bend();
    static const struct sessions all[] = {
        {0, false, 30, 0.93}, {0.6, false, 30, 0.92}, {0.6, false, 80, 0.93}, {0, true, 40, 0.93}};
    uint64_t state = 20;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_coverage(&all[i], &state);
    for (int kind = 0; kind < DISTURBANCES; kind++)
        check_disturbed((enum disturbance)kind);
    const char *elsewhere = cases_elsewhere();
    if (elsewhere)
        check_cases(elsewhere);
    arena_free(&arena);
    return check_result();
}
