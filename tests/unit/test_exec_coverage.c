/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts how often the 95 % interval of an index contains the truth when a session of cupel exec
 * stops by itself: programs with different kinds of noise, with the command line's minimum number
 * of rounds. Prints the shares. The seeds are fixed, so a failure is a change of the code and not
 * bad luck.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/exec/exec_options.h"
#include "cmd/options/options.h"
#include "program/exec/exec.h"
#include "program/exec/internal.h"
#include "run/plan/plan.h"
#include "simulated.h"
#include "simulations.h"
#include "stat/judge.h"

enum { SESSIONS = 200, ROUNDS_MAX = 600 };

static struct exec_plan plan_of(const char *preset, bool wps)
{
    static struct exec_options o;
    char *words[] = {"--preset", (char *)preset, "--wps",         "-w",
                     "1,100",    "--",           "%WORK_AMOUNT%", NULL};
    char *plain[] = {"--preset", (char *)preset, "--", "true", NULL};
    struct option_set set;
    struct err e = {0};
    CHECK_INT(options_scan(&set, exec_option_rows, wps ? words : plain, wps ? 7 : 4, &e), 0);
    CHECK_INT(exec_options_read(&set, &o, &e), 0);
    return o.exec;
}

static void test_minimum(void)
{
    CHECK_INT(plan_of("quick", false).config.minimum_readings, 10);
    CHECK_INT(plan_of("normal", false).config.minimum_readings, 30);
    CHECK_INT(plan_of("strict", false).config.minimum_readings, 50);
    CHECK_INT(plan_of("normal", true).config.minimum_readings, 60);
}

/* ---- coverage ---- */

enum noise { NORMAL, SLOW_IN_TEN, LOGNORMAL, CORRELATED };

static double next_round(enum noise noise, double *state, uint64_t *seed)
{
    double z = simulated_normal(seed);
    switch (noise) {
    case SLOW_IN_TEN:
        return (simulated_uniform(seed) < 0.1 ? 2 : 1) + 0.01 * z;
    case LOGNORMAL:
        return exp(0.3 * z);
    case CORRELATED:
        *state = 0.6 * *state + 0.8 * z;
        return 1 + 0.1 * *state;
    default:
        return 1 + 0.05 * z;
    }
}

static void test_coverage(void)
{
    static const struct {
        const char *name;
        enum noise noise;
        double truth, min;
    } cases[] = {{"normal, sd 5 %", NORMAL, 1, 0.95},
                 {"one round in ten twice as slow", SLOW_IN_TEN, 1.1, 0.92},
                 {"lognormal, sigma .3", LOGNORMAL, 1.0460278599, 0.94},
                 {"autocorrelated .6, sd 10 %", CORRELATED, 1, 0.90}};
    const struct exec_plan plan = plan_of("normal", false);
    const struct exec_index index = {.type = INDEX_DURATION,
                                     .better = METRIC_BETTER_LOWER,
                                     .target_width = plan.config.target_width};
    static double values[ROUNDS_MAX];
    struct judge_config config = plan.config;
    struct judging judging = {0};
    struct err e;
    const int sessions = simulation_runs(SESSIONS);
    config.stopping = true;
    CHECK_INT(judging_reserve(&judging, ROUNDS_MAX, 1, &e), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t held = 0, rounds = 0;
        for (uint64_t session = 0; session < (uint64_t)sessions; session++) {
            uint64_t seed = 1000 * i + session * 7919 + 3;
            double state = simulated_normal(&seed);
            struct execution_index judged = {0};
            size_t n = 0;
            while (n < ROUNDS_MAX && !judged.enough) {
                values[n++] = next_round(cases[i].noise, &state, &seed);
                if (n >= 10 && (n < 100 || n % 10 == 0))
                    index_judge(&judging, 0, &index, &config, values, n, &judged);
            }
            held += judged.low <= cases[i].truth && cases[i].truth <= judged.high;
            rounds += n;
        }
        double share = (double)held / sessions;
        printf("%-32s held %.3f in %.0f rounds\n", cases[i].name, share, (double)rounds / sessions);
        check_that(COUNTED(share >= cases[i].min - simulation_slack(cases[i].min, sessions)),
                   __FILE__, __LINE__, cases[i].name);
    }
    judging_free(&judging);
}

/* ---- unit readings ---- */

/* Adds a round with a warm-up, autocorrelated readings, and a level of its own. */
static void add_unit_round(struct unit_session *u, const struct judge_config *config,
                           double between, uint64_t *seed)
{
    enum { READINGS = 300, WARMUP = 60 };
    double values[READINGS], state = simulated_normal(seed);
    double level = 100 + between * simulated_normal(seed);
    struct err e;
    for (size_t i = 0; i < READINGS; i++) {
        state = 0.6 * state + 0.8 * simulated_normal(seed);
        values[i] = level + 5 * state - (i < WARMUP ? 30 : 0);
    }
    const struct execution_units units = {
        .round = u->rounds + 1, .values = values, .n = READINGS, .merged = 1};
    CHECK_INT(unit_session_add(u, config, &units, &e), 0);
}

static void test_unit_coverage(void)
{
    static const double between[] = {0, 3, 10};
    enum { UNIT_SESSIONS = 60, UNIT_MAX = 120 };
    const int sessions = simulation_runs(UNIT_SESSIONS);
    struct judge_config config = plan_of("normal", false).config;
    config.stopping = true;
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        size_t held = 0, rounds = 0;
        for (uint64_t session = 0; session < (uint64_t)sessions; session++) {
            uint64_t seed = 500 * i + session * 104729 + 11;
            struct unit_session u = {.index_count = 1};
            struct err e;
            u.indices[0] = (struct exec_index){
                .name = "x", .op = "all", .better = METRIC_BETTER_HIGHER, .target_width = 0.1};
            do {
                for (int k = 0; k < 5; k++)
                    add_unit_round(&u, &config, between[i], &seed);
                CHECK_INT(unit_session_judge(&u, &config, 30, &e), 0);
            } while (!unit_session_is_precise(&u) && u.rounds < UNIT_MAX);
            held += u.judged[0].low <= 100 && 100 <= u.judged[0].high;
            rounds += u.rounds;
            CHECK(u.rounds >= 30);
            unit_session_free(&u);
        }
        double share = (double)held / sessions;
        printf("unit readings, rounds differ by %2.0f %% held %.3f in %.0f rounds\n", between[i],
               share, (double)rounds / sessions);
        CHECK_COUNT(share >= 0.93 - simulation_slack(0.93, sessions));
    }
}

/* ---- quantities that cannot be negative ---- */

static struct execution_index judged_as(const char *unit, enum index_type type,
                                        const double values[], size_t n)
{
    struct exec_plan plan = plan_of("normal", false);
    struct exec_index index = {.type = type, .better = METRIC_BETTER_HIGHER};
    struct judging judging = {0};
    struct execution_index judged;
    struct err e;
    snprintf(index.unit, sizeof index.unit, "%s", unit);
    CHECK_INT(judging_reserve(&judging, n, 1, &e), 0);
    plan.config.stopping = false;
    index_judge(&judging, 0, &index, &plan.config, values, n, &judged);
    judging_free(&judging);
    judged.values = NULL;
    judged.changepoints = NULL;
    return judged;
}

static void test_cut_at_zero(void)
{
    static const double wide[] = {1, 2000, 3, 4}, signs[] = {-1, 2000, 3, 4};
    static const char *const amounts[] = {"s", "ns", "B", "1/s", "MB/s", "requests/min", "iops"};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        struct execution_index a = judged_as(amounts[i], INDEX_ORDINARY, wide, 4);
        CHECK(a.cut && a.low == 0 && a.high > a.value);
        CHECK(judged_as(amounts[i], INDEX_ORDINARY, signs, 4).low < 0);
    }
    CHECK(judged_as("", INDEX_DURATION, wide, 4).cut);
    struct execution_index plain = judged_as("C", INDEX_ORDINARY, wide, 4);
    CHECK(!plain.cut && plain.low < 0); /* degrees may be below 0 */
    CHECK(judged_as("m/s2", INDEX_ORDINARY, wide, 4).low < 0);
    static const double narrow[] = {10, 11, 10, 11};
    struct execution_index holds = judged_as("s", INDEX_DURATION, narrow, 4);
    CHECK(!holds.cut && holds.low > 0);
}

int main(void)
{
    test_minimum();
    test_coverage();
    test_unit_coverage();
    test_cut_at_zero();
    return check_result();
}
