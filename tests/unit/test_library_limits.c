/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits, slow shifts and the cost of judging in the library. */
#include "include/cupel.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tests/unit/check.h"
#include "tests/unit/simulations.h"

#define COUNT    2000
#define SESSIONS SIMULATED_RUNS(20)

static double noise(struct random *r)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += random_unit(r);
    return sum;
}

static struct cupel_session *session_of(unsigned flags, const char *limits)
{
    struct cupel_error error = {0};
    struct cupel_session *s = cupel_session_new(&error);
    CHECK_INT(cupel_metric(s, "time", flags, &error), 0);
    CHECK_INT(cupel_set_limits(s, 0, limits, &error), 0);
    CHECK_STR(error.message, "");
    return s;
}

static void push_normal(struct cupel_session *s, double mean, double sd, int count, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed, 0);
    for (int i = 0; i < count; i++) {
        double x = mean + sd * noise(&random);
        CHECK_INT(cupel_push(s, 0, &x, 1, NULL), 0);
    }
}

static void test_verdicts(void)
{
    struct cupel_limit l[CUPEL_LIMITS_MAX];
    struct cupel_session *s = session_of(CUPEL_LOWER_IS_BETTER, "mean<110, p99 < 100, p50<100");
    CHECK_INT(cupel_limits(s, 0, l, 1, NULL), 3);
    CHECK_INT(l[0].verdict, CUPEL_LIMIT_OPEN);
    CHECK(isnan(l[0].value) && isinf(l[0].more));
    CHECK_STR(l[0].note, "no readings");
    push_normal(s, 100, 5, COUNT, 1);
    CHECK_INT(cupel_limits(s, 0, l, CUPEL_LIMITS_MAX, NULL), 3);
    CHECK_INT(l[0].verdict, CUPEL_LIMIT_KEPT);
    CHECK_STR(l[0].text, "mean<110");
    CHECK_NEAR(l[0].value, 100, .5);
    CHECK_NEAR(l[0].limit, 110, 0);
    CHECK_NEAR(l[0].more, 0, 0);
    CHECK_INT(l[1].verdict, CUPEL_LIMIT_BROKEN);
    CHECK_STR(l[1].text, "p99<100");
    CHECK_NEAR(l[1].value, 111.6, 1);
    CHECK_INT(l[2].verdict, CUPEL_LIMIT_OPEN); /* it is the limit */
    CHECK(l[2].more > COUNT);
    CHECK_INT(cupel_enough(s, NULL), 0); /* though the mean is precise */

    /* Other limits in their place are judged on the same readings; also none at all. */
    CHECK_INT(cupel_set_limits(s, 0, "mean<110, p99<100", NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 1);
    CHECK_INT(cupel_set_limits(s, 0, "", NULL), 0);
    CHECK_INT(cupel_limits(s, 0, l, 1, NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 1);
    cupel_session_free(s);
}

/* A level that was not the last one passes no limit, but a limit that it exceeded is failed. */
static void test_other_level(void)
{
    struct cupel_limit l[2];
    struct cupel_session *s = session_of(CUPEL_LOWER_IS_BETTER, "mean<200, p50<90");
    push_normal(s, 100, 5, COUNT, 2);
    push_normal(s, 150, 5, 200, 3);
    CHECK_INT(cupel_limits(s, 0, l, 2, NULL), 2);
    CHECK_INT(l[0].verdict, CUPEL_LIMIT_OPEN);
    CHECK_STR(l[0].note, "ends at another level");
    CHECK_INT(l[1].verdict, CUPEL_LIMIT_BROKEN);
    cupel_session_free(s);
}

/* Each session's limit equals the truth, and it is judged after each reading: either verdict is
   wrong. */
static void test_error_rate(void)
{
    int decided = 0;
    for (uint64_t seed = 0; seed < SESSIONS; seed++) {
        struct cupel_session *s = session_of(0, seed % 2 ? "p50<100" : "mean>100");
        struct random random;
        random_seed(&random, seed, 9);
        int enough = 0;
        for (int i = 0; i < 1000 && !enough; i++) {
            double x = 100 + 5 * noise(&random);
            CHECK_INT(cupel_push(s, 0, &x, 1, NULL), 0);
            enough = cupel_enough(s, NULL);
        }
        decided += enough;
        cupel_session_free(s);
    }
    CHECK_COUNT(decided <= SESSIONS / 20); /* 5 % */
}

static void test_refusals(void)
{
    static const char *const wrong[] = {"p99", "iops>5", "p101<5", "mean<5us",
                                        "mean<5 per 1s in 9%"};
    struct cupel_error error;
    struct cupel_limit l;
    struct cupel_session *s = session_of(CUPEL_PROPORTION, "mean<0.5");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error = (struct cupel_error){0};
        CHECK_INT(cupel_set_limits(s, 0, wrong[i], &error), -1);
        CHECK_INT(error.code, CUPEL_USAGE);
        CHECK(strstr(error.message, "limits of \"time\": ") == error.message);
    }
    CHECK_INT(cupel_set_limits(s, 0, "mean<2", &error), -1); /* of a proportion */
    CHECK_INT(cupel_set_limits(s, 1, "mean<2", &error), -1);
    CHECK_INT(cupel_limits(s, 0, &l, 1, NULL), 1);
    CHECK_STR(l.text, "mean<0.5"); /* the earlier limits are kept */
    cupel_session_free(s);
}

static int push_slowly(void *context, const struct cupel_round *round)
{
    double x = 100 + 5 * noise(context);
    volatile uint64_t sink = 0;
    for (uint64_t i = 0; i < 1000 * round->work; i++)
        sink = sink + i;
    return cupel_push(round->session, 0, &x, 1, NULL);
}

static void test_measured(void)
{
    struct cupel_error error = {0};
    struct random random;
    struct cupel_limit l;
    random_seed(&random, 5, 0);
    struct cupel_session *s = session_of(0, "mean>99");
    CHECK_INT(cupel_set(s, "min-time", "0", NULL), 0);
    CHECK_INT(cupel_set(s, "ci", "0.1%", NULL), 0); /* the limit replaces it */
    CHECK_INT(cupel_measure(s, push_slowly, &random, &error), 0);
    CHECK_INT(cupel_limits(s, 0, &l, 1, NULL), 1);
    CHECK_INT(l.verdict, CUPEL_LIMIT_KEPT);

    struct cupel_overhead cost;
    struct cupel_result r;
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_INT(cupel_overhead(s, &cost, NULL), 0);
    CHECK(cost.rounds_seconds > 0 && cost.judging_seconds > 0);
    CHECK_NEAR(cost.share * (cost.judging_seconds + cost.rounds_seconds), cost.judging_seconds,
               1e-9);
    CHECK(cost.empty_round_seconds >= 0 && cost.empty_round_seconds < cost.rounds_seconds);

    CHECK_INT(cupel_set_limits(s, 0, "mean>100", NULL), 0);
    CHECK_INT(cupel_set(s, "limit", "0.1s", NULL), 0);
    CHECK_INT(cupel_measure(s, push_slowly, &random, &error), -1);
    CHECK_INT(error.code, CUPEL_UNDECIDED);
    CHECK(strstr(error.message, "leaves mean>100 open") != NULL);
    cupel_session_free(s);
}

static void test_shift(void)
{
    struct cupel_shift shift;
    struct cupel_session *s = session_of(0, "");
    CHECK_INT(cupel_slow_shift(s, 0, &shift, NULL), 0);
    CHECK_INT(shift.found, 0);
    push_normal(s, 100, 5, COUNT, 6);
    CHECK_INT(cupel_slow_shift(s, 0, &shift, NULL), 0);
    CHECK_INT(shift.found, 0);
    CHECK(shift.low < 0 && shift.high > 0);
    cupel_session_free(s);

    s = session_of(0, "");
    struct random random;
    random_seed(&random, 7, 0);
    for (int i = 0; i < COUNT; i++) {
        double x = 100 + 5 * noise(&random) + 0.005 * i;
        CHECK_INT(cupel_push(s, 0, &x, 1, NULL), 0);
    }
    CHECK_INT(cupel_slow_shift(s, 0, &shift, NULL), 0);
    CHECK_INT(shift.found, 1);
    CHECK(shift.low < 0.005 && shift.high > 0.005 && shift.low > 0.003);
    CHECK_NEAR(shift.change, shift.slope * (double)(shift.end - shift.begin), 0.05);
    CHECK(shift.end <= COUNT && shift.begin < shift.end);
    cupel_session_free(s);
}

/* An absolute width replaces the relative one, until it is 0. */
static void test_width(void)
{
    struct cupel_error error = {0};
    struct cupel_session *s = session_of(0, "");
    struct cupel_result wide, narrow;
    CHECK_INT(cupel_set(s, "ci", "5%", NULL), 0);
    push_normal(s, 1000, 50, COUNT, 2);
    CHECK_INT(cupel_enough(s, NULL), 1);
    CHECK_INT(cupel_set_width(s, 0, .1, NULL), 0); /* .01 % */
    CHECK_INT(cupel_enough(s, NULL), 0);
    CHECK_INT(cupel_result(s, 0, &narrow, NULL), 0);
    CHECK(!narrow.enough && narrow.required > 100.0 * COUNT);
    CHECK_INT(cupel_set_width(s, 0, 0, NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 1);
    CHECK_INT(cupel_set(s, "ci", "0.01%", NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 0);
    CHECK_INT(cupel_set_width(s, 0, 50, NULL), 0); /* 5 % */
    CHECK_INT(cupel_enough(s, NULL), 1);
    CHECK_INT(cupel_result(s, 0, &wide, NULL), 0);
    CHECK(wide.enough && wide.high - wide.low <= 50);
    CHECK_INT(cupel_set_width(s, 0, -1, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    CHECK(strstr(error.message, "a width of -1") != NULL);
    CHECK_INT(cupel_set_width(s, 1, 1, NULL), -1); /* no such metric */
    cupel_session_free(s);
}

int main(void)
{
    test_width();
    test_verdicts();
    test_other_level();
    test_error_rate();
    test_refusals();
    test_measured();
    test_shift();
    return check_result();
}
