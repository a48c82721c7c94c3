/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work amounts of a session: the sequence of the paper's figure 3, its equation 5, trial
 * rounds, and whole sessions with a simulated program whose set-up and speed are known.
 */
#include "stat/wps/work_amount.h"

#include "check.h"
#include "simulated.h"

#define ROUNDS_MAX 500

static struct arena arena;

static void check_midpoints(void)
{
    static const double first[] = {0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875, 0.0625};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        CHECK_NEAR(work_midpoint(i + 1), first[i], 1e-15);
}

/* n rounds of s, s + k, s + 2k ... take t seconds in all. */
static void check_slice(void)
{
    double k = work_slice_seconds(60, 1, 10), sum = 0;
    CHECK_NEAR(k, 100.0 / 90, 1e-12);
    for (int i = 0; i < 10; i++)
        sum += 1 + i * k;
    CHECK_NEAR(sum, 60, 1e-12);
    /* s >= t / n: equation 5 alone would give rounds that are not longer, or even shorter. */
    CHECK_NEAR(work_slice_seconds(60, 1.2, 50), 1.2 / 49, 1e-12);
    CHECK_NEAR(work_slice_seconds(60, 100, 50), 100.0 / 49, 1e-12);
}

/* A program: set-up, speed, noise of one round. */
struct program {
    double setup, speed, noise;
};

struct session {
    struct work_plan plan;
    struct work_round all[ROUNDS_MAX], used[ROUNDS_MAX];
    size_t rounds, used_count;
    struct work_rate rate;
    bool enough;
    uint64_t state;
};

static double seconds_of(const struct program *p, double work, uint64_t *state)
{
    return fmax(p->setup + work / p->speed + p->noise * simulated_normal(state), 0.0001);
}

static void run_round(struct session *s, const struct program *p)
{
    struct work_round now = {s->plan.next, 0};
    now.seconds = seconds_of(p, now.work, &s->state);
    s->all[s->rounds++] = now;
    s->used_count = 0;
    for (size_t i = 0; i < s->rounds; i++)
        if (work_plan_uses(&s->plan, &s->all[i]))
            s->used[s->used_count++] = s->all[i];
    s->rate = work_rate_of(s->used, s->used_count, 0.95, &arena);
    work_plan_add(&s->plan, now.seconds, &s->rate);
    s->enough = work_plan_enough(&s->plan, &s->rate);
}

static void run_session(struct session *s, const struct program *p, double min, double max,
                        uint64_t seed)
{
    struct work_limits limits = {min, max, 1, 60, 50, 0.1, 20};
    s->rounds = 0;
    s->state = seed;
    work_plan_start(&s->plan, &limits);
    do
        run_round(s, p);
    while (!s->enough && s->rounds < ROUNDS_MAX);
}

static struct session session;

/* 1,000 units a second, no set-up: 1, 2, 4 ... 1024 take less than a second or just one. */
static void check_doubling(void)
{
    struct program p = {0, 1000, 0};
    run_session(&session, &p, 1, 1e9, 1);
    for (size_t i = 0; i <= 10; i++)
        CHECK_NEAR(session.all[i].work, (double)(1 << i), 1e-12);
    CHECK_NEAR(session.plan.low, 1024, 1e-12);
    /* k = (120 - 2 x 1.024 x 50) / 2450 seconds; 49 of them at 1,000 a second above 1,024. */
    double high = 1024 + 49 * 1000 * (120 - 102.4) / 2450;
    CHECK_NEAR(session.all[11].work, round(1024 + (high - 1024) / 2), 0.35);
    for (size_t i = 0; i < session.rounds; i++) {
        CHECK(session.all[i].work <= 1e9);
        CHECK(session.all[i].work >= 1);
    }
    CHECK(session.enough);
    CHECK_NEAR(session.rate.speed.value, 1000, 1e-6);
}

/* A setup of 2 s at 1,000 units/s: `a` rises towards 2,000, and smaller amounts are not used. */
static void check_setup(void)
{
    struct program p = {2, 1000, 0.2};
    int holding = 0, bounded = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        run_session(&session, &p, 1, 1e9, seed);
        struct work_rate wide = work_rate_widened(&session.rate);
        holding += wide.speed.low <= 1000 && 1000 <= wide.speed.high;
        bounded += session.enough && wide.bounded;
        CHECK(session.plan.low > 1000 && session.plan.low < 4000);
        for (size_t i = 0; i < session.used_count; i++)
            CHECK(session.used[i].work >= session.plan.low * 0.5);
    }
    CHECK_INT(bounded, 60);
    CHECK(holding >= 53);
}

/* Rounds that cannot be long enough: all of them count, with a note. */
static void check_too_short(void)
{
    struct program p = {0.05, 1e5, 0.002};
    run_session(&session, &p, 1000, 10000, 5);
    CHECK(session.plan.too_short && session.enough);
    CHECK_NEAR(session.plan.limits.min, 1000, 1e-12);
    for (size_t i = 0; i < session.rounds; i++)
        CHECK(work_plan_uses(&session.plan, &session.all[i]) ==
              (session.all[i].work >= session.plan.low));

    /* A setup longer than the work of any amount. */
    p = (struct program){30, 1000, 0.01};
    run_session(&session, &p, 100, 10000, 5);
    CHECK(session.plan.setup_dominates && session.plan.low <= 5050);
}

/* The duration does not depend on the work: the range grows to its whole, and there is no speed. */
static void check_no_speed(void)
{
    struct program p = {1.5, 1e12, 0.2};
    run_session(&session, &p, 1, 1000, 7);
    CHECK(!session.enough && !session.rate.bounded);
    CHECK_NEAR(session.plan.high, 1000, 1e-12);
    CHECK(isnan(work_plan_forecast(&session.plan, &session.rate).rounds) ||
          work_plan_forecast(&session.plan, &session.rate).rounds > 1000);
}

/* The forecast after 25 rounds compared with the time that the session then takes. */
static void check_forecast(void)
{
    struct program p = {0.5, 1000, 0.4};
    double forecast = 0, actual = 0, seconds = 0, actual_seconds = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct work_limits limits = {100, 50000, 1, 60, 50, 0.04, 30};
        session.rounds = 0;
        session.state = seed;
        work_plan_start(&session.plan, &limits);
        while (session.rounds < 25)
            run_round(&session, &p);
        struct work_forecast f = work_plan_forecast(&session.plan, &session.rate);
        CHECK(f.rounds > 0 && f.seconds > f.rounds);
        forecast += f.rounds;
        seconds += f.seconds;
        while (!session.enough && session.rounds < ROUNDS_MAX) {
            run_round(&session, &p);
            actual_seconds += session.all[session.rounds - 1].seconds;
        }
        actual += (double)session.rounds - 25;
        CHECK(work_plan_forecast(&session.plan, &session.rate).rounds <= 0);
    }
    printf("forecast after 25 rounds: %.1f rounds, %.0f s; it took %.1f rounds, %.0f s\n",
           forecast / 30, seconds / 30, actual / 30, actual_seconds / 30);
    CHECK(forecast > 0.6 * actual && forecast < 1.6 * actual);
    CHECK(seconds > 0.5 * actual_seconds && seconds < 2 * actual_seconds);
}

int main(void)
{
    struct err e;
    CHECK(arena_init(&arena, work_rate_scratch_bytes(ROUNDS_MAX), &e) == 0);
    check_midpoints();
    check_slice();
    check_doubling();
    check_setup();
    check_too_short();
    check_no_speed();
    check_forecast();
    arena_free(&arena);
    return check_result();
}
