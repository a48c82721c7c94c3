/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work per second in the library: rounds of different work, pushed by the caller or made by a
   callback. */
#include "include/cupel.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "stat/wps/work_rate.h"
#include "tests/unit/check.h"

#define SESSIONS   200
#define ROUNDS_MAX 500
#define SETUP      0.5
#define SPEED      1000.0

static double noise(struct random *r)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += random_unit(r);
    return sum;
}

static struct cupel_session *session_of(uint64_t max, const char *width)
{
    struct cupel_error error = {0};
    struct cupel_session *s = cupel_session_new(&error);
    CHECK_INT(cupel_set(s, "min-samples", "30", &error), 0);
    CHECK_INT(cupel_set(s, "ci", width, &error), 0);
    CHECK_INT(cupel_work_range(s, 10, max, 0.1, 0, &error), 0);
    CHECK_STR(error.message, "");
    return s;
}

/* A program's own loop, whose rounds take SETUP + work / SPEED seconds with noise. */
static size_t run_until_enough(struct cupel_session *s, struct random *random,
                               struct work_round rounds[ROUNDS_MAX])
{
    size_t n = 0;
    while (n < ROUNDS_MAX && cupel_enough(s, NULL) == 0) {
        uint64_t work = cupel_next_work(s);
        double seconds = fmax(SETUP + (double)work / SPEED + 0.05 * noise(random), 0);
        CHECK(work >= 10);
        CHECK_INT(cupel_push_round(s, work, seconds, NULL), 0);
        rounds[n++] = (struct work_round){(double)work, seconds};
    }
    return n;
}

static void test_own_loop(void)
{
    static struct work_round rounds[ROUNDS_MAX];
    struct random random;
    struct cupel_speed speed;
    struct cupel_overhead cost;
    random_seed(&random, 1, 0);
    struct cupel_session *s = session_of(1000000, "5%");
    CHECK_INT(cupel_speed(s, &speed, NULL), 0);
    CHECK(speed.next_low <= 0 && isinf(speed.next_high));
    double none, none_low, none_high;
    CHECK_INT(cupel_duration_of(s, 5, &none, &none_low, &none_high, NULL), 0);
    CHECK(isnan(none) && isinf(none_low) && isinf(none_high));
    CHECK(isnan(speed.speed) && isinf(speed.high) && isinf(speed.width) && !speed.bounded);
    CHECK_STR(speed.note, "no rounds");
    size_t n = run_until_enough(s, &random, rounds);
    CHECK(n < ROUNDS_MAX);
    CHECK_INT(cupel_speed(s, &speed, NULL), 0);
    CHECK_INT(speed.enough, 1);
    CHECK_INT(speed.bounded, 1);
    CHECK_INT(speed.rounds, n);
    CHECK(speed.used >= 30 && speed.used <= n);
    CHECK(speed.low < SPEED && speed.high > SPEED && speed.width <= 0.05);
    CHECK(speed.next_low < speed.low && speed.next_high > speed.high);
    CHECK_NEAR(1 / speed.next_low - 1 / speed.speed, sqrt(2.0) * (1 / speed.low - 1 / speed.speed),
               1e-12);
    CHECK_NEAR(speed.width, (speed.high - speed.low) / speed.speed, 1e-9);
    CHECK(speed.setup_low < SETUP && speed.setup_high > SETUP);
    double seconds, low, high;
    CHECK_INT(cupel_duration_of(s, 500, &seconds, &low, &high, NULL), 0);
    CHECK(low < SETUP + 500 / SPEED && SETUP + 500 / SPEED < high && high - low < 0.1 * seconds);
    CHECK_INT(cupel_duration_of(s, 0, &seconds, &low, &high, NULL), -1);
    CHECK_NEAR(speed.rounds_left, 0, 0);
    CHECK_NEAR(speed.confidence, 0.95, 0);
    CHECK_STR(speed.note, "");
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += rounds[i].seconds;
    CHECK_INT(cupel_overhead(s, &cost, NULL), 0);
    CHECK_NEAR(cost.rounds_seconds, sum, 1e-6);
    cupel_session_free(s);
}

/* The interval at which a session stops contains the true speed as often as stated. */
static void test_coverage(void)
{
    static struct work_round rounds[ROUNDS_MAX];
    int covered = 0;
    for (uint64_t seed = 0; seed < SESSIONS; seed++) {
        struct random random;
        struct cupel_speed speed;
        random_seed(&random, seed, 3);
        struct cupel_session *s = session_of(100000, "5%");
        CHECK(run_until_enough(s, &random, rounds) < ROUNDS_MAX);
        CHECK_INT(cupel_speed(s, &speed, NULL), 0);
        covered += speed.low <= SPEED && speed.high >= SPEED;
        cupel_session_free(s);
    }
    CHECK(covered >= SESSIONS * 93 / 100); /* 95 % are asked for */
}

/* Rounds whose duration does not depend on their work show no speed. */
static void test_unbounded(void)
{
    struct random random;
    struct cupel_speed speed;
    random_seed(&random, 4, 0);
    struct cupel_session *s = session_of(1000, "5%");
    for (int i = 0; i < 60; i++) {
        uint64_t work = cupel_next_work(s);
        CHECK_INT(cupel_push_round(s, work, SETUP + 0.05 * noise(&random), NULL), 0);
        CHECK_INT(cupel_enough(s, NULL), 0);
    }
    CHECK_INT(cupel_speed(s, &speed, NULL), 0);
    CHECK_INT(speed.bounded, 0);
    CHECK(isinf(speed.high) && speed.low >= 0 && isinf(speed.width));
    CHECK(strstr(speed.note, "unbounded") != NULL);
    cupel_session_free(s);
}

struct worker {
    uint64_t calls, least, most;
    int fail_at;
};

static uint64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Uses a processor for 500 us plus 2.5 us per unit of work, which other programs do not lengthen.
 */
static int work_for(void *context, const struct cupel_round *round)
{
    struct worker *x = context;
    uint64_t end = processor_ns() + 500000 + 2500 * round->work;
    while (processor_ns() < end)
        ;
    CHECK_INT(round->trial, 0);
    CHECK_INT(round->number, x->calls);
    x->calls++;
    x->least = x->least && x->least < round->work ? x->least : round->work;
    x->most = x->most > round->work ? x->most : round->work;
    return x->fail_at && x->calls == (uint64_t)x->fail_at ? 4 : 0;
}

static void test_measured(void)
{
    struct cupel_error error = {0};
    struct cupel_speed speed;
    struct worker x = {0};
    struct cupel_session *s = cupel_session_new(NULL);
    CHECK_INT(cupel_set(s, "min-samples", "20", NULL), 0);
    CHECK_INT(cupel_set(s, "ci", "90%", NULL), 0);
    CHECK_INT(cupel_set(s, "min-time", "0", NULL), 0);
    CHECK_INT(cupel_work_range(s, 1, 2000, 0.001, CUPEL_PROCESSOR_TIME, NULL), 0);
    CHECK_INT(cupel_measure(s, work_for, &x, &error), 0);
    CHECK_STR(error.message, "");
    CHECK_INT(cupel_speed(s, &speed, NULL), 0);
    CHECK_INT(speed.rounds, x.calls);
    CHECK(x.least == 1 && x.most > 100 && x.most <= 2000);
    CHECK(speed.bounded && speed.low > 0 && speed.low < speed.speed && speed.speed < speed.high);

    x = (struct worker){.fail_at = 3};
    CHECK_INT(cupel_measure(s, work_for, &x, &error), 0); /* it is enough already */
    cupel_session_free(s);

    /* Rounds that fail, and rounds that reach the limit, by the clock. */
    s = cupel_session_new(NULL);
    CHECK_INT(cupel_set(s, "ci", "0.1%", NULL), 0);
    CHECK_INT(cupel_work_range(s, 1, 2000, 0.001, 0, NULL), 0);
    CHECK_INT(cupel_measure(s, work_for, &x, &error), -1);
    CHECK_INT(error.code, CUPEL_FAILED);
    x.calls = 0;
    x.fail_at = 0;
    CHECK_INT(cupel_set(s, "limit", "0.2s", NULL), 0);
    CHECK_INT(cupel_measure(s, work_for, &x, &error), -1);
    CHECK_INT(error.code, CUPEL_UNDECIDED);
    CHECK(strstr(error.message, "of the speed") != NULL);
    cupel_session_free(s);
}

static void test_refusals(void)
{
    struct cupel_error error = {0};
    struct cupel_speed speed;
    struct cupel_session *s = cupel_session_new(NULL);
    CHECK_INT(cupel_next_work(s), 0);
    CHECK_INT(cupel_next_work(NULL), 0);
    CHECK_INT(cupel_speed(s, &speed, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    CHECK_INT(cupel_push_round(s, 1, 1, &error), -1);
    CHECK_INT(cupel_work_range(s, 0, 5, 0, 0, &error), -1);
    CHECK_INT(cupel_work_range(s, 5, 5, 0, 0, &error), -1);
    CHECK_INT(cupel_work_range(s, 1, (uint64_t)1 << 53, 0, 0, &error), -1);
    CHECK_INT(cupel_work_range(s, 1, 5, -1, 0, &error), -1);
    CHECK_INT(cupel_work_range(s, 1, 5, NAN, 0, &error), -1);
    CHECK_INT(cupel_work_range(s, 1, 5, 0, CUPEL_TIMED, &error), -1);
    CHECK_INT(cupel_work_range(s, 2, 50, 0, CUPEL_PROCESSOR_TIME, &error), 0);
    CHECK_INT(cupel_work_range(s, 2, 50, 0, 0, &error), -1); /* once */
    CHECK_INT(cupel_metric(s, "rate", CUPEL_TIMED, &error), -1);
    CHECK(strstr(error.message, "cupel_speed") != NULL);
    CHECK_INT(cupel_metric(s, "rate", 0, &error), 0);
    CHECK_INT(cupel_next_work(s), 2);
    CHECK_INT(cupel_push_round(s, 1, 1, &error), -1);
    CHECK_INT(cupel_push_round(s, 51, 1, &error), -1);
    CHECK_INT(cupel_push_round(s, 2, NAN, &error), -1);
    CHECK_INT(cupel_push_round(s, 2, -1, &error), -1);
    CHECK_INT(cupel_speed(s, &speed, &error), 0);
    CHECK_INT(speed.rounds, 0);
    cupel_session_free(s);

    s = cupel_session_new(NULL);
    CHECK_INT(cupel_metric(s, "rate", CUPEL_TIMED, &error), 0);
    CHECK_INT(cupel_work_range(s, 1, 5, 0, 0, &error), -1);
    cupel_session_free(s);
}

int main(void)
{
    test_own_loop();
    test_coverage();
    test_unbounded();
    test_measured();
    test_refusals();
    return check_result();
}
