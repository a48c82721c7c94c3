/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library's sessions, compared with the pipeline that they use. */
#include "include/cupel.h"

#include <string.h>

#include "base/random.h"
#include "stat/judge.h"
#include "tests/unit/check.h"

#define COUNT 2000

static struct arena arena;
static double x[COUNT];

static void fill(double warm_up, uint64_t seed)
{
    struct random r;
    random_seed(&r, seed, 0);
    for (size_t i = 0; i < COUNT; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++)
            sum += random_unit(&r);
        x[i] = 100 + 5 * sum + (i < 200 ? warm_up : 0);
    }
}

static struct cupel_session *session_of(unsigned flags, const double readings[], size_t count)
{
    struct cupel_error error = {0};
    struct cupel_session *s = cupel_session_new(&error);
    CHECK(s != NULL);
    CHECK_INT(cupel_metric(s, "speed", flags, &error), 0);
    CHECK_INT(cupel_push(s, 0, readings, count, &error), 0);
    CHECK_INT(error.code, CUPEL_OK);
    return s;
}

/* Exactly the pipeline's numbers. */
static void test_result(void)
{
    struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                  .estimate = {INTERVAL_SPECTRAL, 0.95, 0.2},
                                  .target_width = 0.10,
                                  .minimum_subsessions = 50,
                                  .higher_is_better = true};
    fill(30, 1);
    struct judgement j = judge(x, COUNT, &config, &arena);
    struct cupel_session *s = session_of(0, x, COUNT);
    struct cupel_result r;
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_NEAR(r.mean, j.estimate.mean, 0);
    CHECK_NEAR(r.low, j.estimate.low, 0);
    CHECK_NEAR(r.high, j.estimate.high, 0);
    CHECK_NEAR(r.next_low, j.estimate.next_low, 0);
    CHECK_NEAR(r.next_high, j.estimate.next_high, 0);
    CHECK(r.next_low < r.low && r.next_high > r.high);
    CHECK_NEAR(r.effective_n, j.estimate.effective_n, 0);
    CHECK_NEAR(r.confidence, 0.95, 0);
    CHECK_INT(r.readings, COUNT);
    CHECK_INT(r.stable_begin, 200);
    CHECK_INT(r.stable_end, COUNT);
    CHECK_INT(r.phase, CUPEL_WARMUP);
    CHECK_INT(r.enough, 1);
    CHECK_INT(r.change_points, 1);
    size_t cut = 0;
    CHECK_INT(cupel_change_points(s, 0, &cut, 1, NULL), 1);
    CHECK_INT(cut, 200);
    CHECK_INT(cupel_change_points(s, 0, NULL, 0, NULL), 1);

    /* A program that stops on cupel_enough gets the wider interval. */
    CHECK_INT(cupel_enough(s, NULL), 1);
    struct cupel_result stopped;
    CHECK_INT(cupel_result(s, 0, &stopped, NULL), 0);
    CHECK(stopped.high - stopped.low > r.high - r.low);
    CHECK_NEAR(stopped.width, (stopped.high - stopped.low) / stopped.mean, 1e-12);
    CHECK_NEAR(r.width, stopped.width, 1e-12);
    CHECK(stopped.next_high - stopped.next_low > r.next_high - r.next_low);
    cupel_session_free(s);

    /* Without a level that lasts, nothing is predicted. */
    double ramp[400];
    for (int i = 0; i < 400; i++)
        ramp[i] = 100 + i;
    s = session_of(0, ramp, 400);
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_INT(r.phase, CUPEL_UNSTEADY);
    CHECK(isinf(r.next_low) && isinf(r.next_high));
    cupel_session_free(s);
}

static void test_percentile(void)
{
    double values[1000];
    for (int i = 0; i < 1000; i++)
        values[i] = (i * 387) % 1000 + 1; /* 1 to 1000, each once */
    struct cupel_session *s = session_of(CUPEL_LOWER_IS_BETTER, values, 1000);
    struct cupel_percentile p;
    CHECK_INT(cupel_percentile(s, 0, 0.99, &p, NULL), 0);
    CHECK_NEAR(p.value, 990, 0);
    CHECK(p.low < 990 && p.high > 990 && p.low > 950);
    CHECK_NEAR(p.more, 1, 0);
    CHECK_INT(cupel_percentile(s, 0, 0.999, &p, NULL), 0);
    CHECK_NEAR(p.value, 999, 0);
    CHECK(p.low != p.low && p.more > 1 && strstr(p.note, "readings"));
    struct cupel_error error = {0};
    CHECK_INT(cupel_percentile(s, 0, 99, &p, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_session_free(s);
}

static void test_means(void)
{
    double rates[] = {20, 80}, done[] = {1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    struct cupel_result r;
    struct cupel_session *s = session_of(CUPEL_HARMONIC, rates, 2);
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_NEAR(r.mean, 32, 1e-9);
    cupel_session_free(s);
    s = session_of(CUPEL_PROPORTION, done, 10);
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_NEAR(r.mean, 0.9, 1e-12);
    CHECK(r.low > 0 && r.high <= 1);
    cupel_session_free(s);
    s = session_of(0, NULL, 0);
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK(r.mean != r.mean && r.readings == 0 && r.enough == 0);
    cupel_session_free(s);
}

/* One reading at a time: cupel_enough is true at the same reading as in the pipeline. */
static void test_own_loop(void)
{
    struct cupel_session *s = session_of(0, NULL, 0);
    fill(0, 2);
    CHECK_INT(cupel_reserve(s, COUNT, NULL), 0);
    size_t n = 0;
    while (n < COUNT && cupel_enough(s, NULL) == 0)
        CHECK_INT(cupel_push(s, 0, &x[n++], 1, NULL), 0);
    CHECK_INT(n, 250); /* the minimum; by then the width is 1.3 % */
    double other_level[400];
    for (int i = 0; i < 400; i++)
        other_level[i] = x[i] + 50;
    CHECK_INT(cupel_push(s, 0, other_level, 100, NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 0); /* at another level than the judged one */
    CHECK_INT(cupel_push(s, 0, other_level, 400, NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 0); /* it has lasted twice as long */
    CHECK_INT(cupel_push(s, 0, other_level, 400, NULL), 0);
    CHECK_INT(cupel_push(s, 0, other_level, 400, NULL), 0);
    CHECK_INT(cupel_enough(s, NULL), 1);
    struct cupel_result r;
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_NEAR(r.mean, 150, .01);
    CHECK_INT(r.stable_begin, 250);
    cupel_session_free(s);
}

struct refusal {
    const char *name, *value;
    const char *words;
};

static void test_refusals(void)
{
    static const struct refusal refusals[] = {{"ci", "200%", "ci 200%"},
                                              {"target", "/dev/sda", "no setting"},
                                              {"preset", "slow", "slow"},
                                              {"interval", "1s", "method"},
                                              {"limit", "soon", "limit soon"}};
    struct cupel_error error;
    struct cupel_session *s = session_of(CUPEL_HARMONIC, NULL, 0);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        error = (struct cupel_error){0};
        CHECK_INT(cupel_set(s, refusals[i].name, refusals[i].value, &error), -1);
        CHECK_INT(error.code, CUPEL_USAGE);
        CHECK(strstr(error.message, refusals[i].words) != NULL);
    }
    double readings[] = {1, 0};
    CHECK_INT(cupel_push(s, 0, readings, 2, &error), -1);
    CHECK(strstr(error.message, "\"speed\": a reading of 0") != NULL);
    struct cupel_result r;
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_INT(r.readings, 0); /* neither of the two was added */
    CHECK_INT(cupel_push(s, 1, readings, 1, &error), -1);
    CHECK_INT(cupel_result(s, -1, &r, &error), -1);
    CHECK_INT(cupel_metric(s, "both", CUPEL_PROPORTION | CUPEL_HARMONIC, &error), -1);
    CHECK_INT(cupel_metric(s, "unknown", 1024, &error), -1);
    for (int i = 1; i < CUPEL_METRICS_MAX; i++)
        CHECK_INT(cupel_metric(s, "more", 0, &error), i);
    CHECK_INT(cupel_metric(s, "too many", 0, &error), -1);
    cupel_session_free(s);
    s = cupel_session_new(NULL);
    CHECK_INT(cupel_enough(s, &error), -1); /* it has no metric */
    cupel_session_free(s);
    cupel_session_free(NULL);
}

static void test_null(void)
{
    struct cupel_error error = {0};
    struct cupel_result r;
    struct cupel_percentile p;
    struct cupel_shift shift;
    struct cupel_limit limit;
    struct cupel_speed speed;
    struct cupel_overhead cost;
    size_t cut;
    const int answers[] = {
        cupel_set(NULL, "ci", "5%", &error),         cupel_metric(NULL, "x", 0, &error),
        cupel_set_width(NULL, 0, 1, &error),         cupel_reserve(NULL, 1, &error),
        cupel_push(NULL, 0, x, 1, &error),           cupel_enough(NULL, &error),
        cupel_result(NULL, 0, &r, &error),           cupel_change_points(NULL, 0, &cut, 1, &error),
        cupel_percentile(NULL, 0, .5, &p, &error),   cupel_slow_shift(NULL, 0, &shift, &error),
        cupel_set_limits(NULL, 0, "mean<1", &error), cupel_limits(NULL, 0, &limit, 1, &error),
        cupel_work_range(NULL, 1, 2, 0, 0, &error),  cupel_push_round(NULL, 1, 1, &error),
        cupel_speed(NULL, &speed, &error),           cupel_overhead(NULL, &cost, &error),
        cupel_measure(NULL, NULL, NULL, &error)};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        CHECK_INT(answers[i], -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    CHECK(strstr(error.message, "the session is NULL") != NULL);
    struct cupel_session *s = session_of(0, NULL, 0);
    CHECK_INT(cupel_measure(s, NULL, NULL, &error), -1);
    CHECK(strstr(error.message, "function") != NULL);
    CHECK_INT(cupel_metric(s, "two\nlines\033[31m", 0, NULL), 1);
    CHECK_INT(cupel_push(s, 1, (double[]){NAN}, 1, &error), -1);
    CHECK(strstr(error.message, "\"two?lines?[31m\": a reading of nan") != NULL); /* one line */
    CHECK_INT(cupel_push(s, 1, (double[]){1e80}, 1, &error), -1);
    CHECK(strstr(error.message, "a reading of 1e+80 is too large") != NULL);
    cupel_session_free(s);
}

/* ---- rounds ---- */

struct rounds {
    uint64_t trials, rounds, work;
    int fail_at; /* the counted round at which it fails; 0: none */
    struct random random;
};

static int burn(void *context, const struct cupel_round *round)
{
    struct rounds *c = context;
    volatile uint64_t sink = 0;
    for (uint64_t i = 0; i < 100 * round->work; i++)
        sink = sink + i;
    c->trials += round->trial != 0;
    c->rounds += round->trial == 0;
    c->work = round->work;
    double reading = 10 + random_unit(&c->random);
    if (cupel_push(round->session, 1, &reading, 1, NULL))
        return 2;
    return c->fail_at && c->rounds == (uint64_t)c->fail_at ? 7 : 0;
}

static void test_rounds(void)
{
    struct cupel_error error = {0};
    struct cupel_session *s = session_of(CUPEL_TIMED | CUPEL_INFORMATIVE, NULL, 0);
    CHECK_INT(cupel_metric(s, "own", 0, NULL), 1);
    CHECK_INT(cupel_set(s, "min-time", "0", NULL), 0);
    struct rounds c = {0};
    random_seed(&c.random, 1, 0);
    CHECK_INT(cupel_measure(s, burn, &c, &error), 0);
    CHECK(c.trials && c.work == (uint64_t)1 << (c.trials - 1));
    CHECK_INT(c.rounds, 250);
    struct cupel_result r;
    CHECK_INT(cupel_result(s, 1, &r, NULL), 0);
    CHECK_INT(r.readings, 250); /* readings of trial rounds are not kept */
    CHECK_NEAR(r.mean, 10.5, .01);
    CHECK_INT(cupel_result(s, 0, &r, NULL), 0);
    CHECK_INT(r.readings, 250);
    CHECK(r.mean > 0);

    c.fail_at = 300;
    CHECK_INT(cupel_set(s, "min-samples", "1000", NULL), 0);
    CHECK_INT(cupel_measure(s, burn, &c, &error), -1);
    CHECK_INT(error.code, CUPEL_FAILED);
    CHECK(strstr(error.message, "returned 7") != NULL);
    CHECK_INT(cupel_set(s, "limit", "0.1s", NULL), 0);
    c.fail_at = 0;
    CHECK_INT(cupel_measure(s, burn, &c, &error), -1);
    CHECK_INT(error.code, CUPEL_UNDECIDED);
    CHECK(strstr(error.message, "\"own\"") != NULL);
    cupel_session_free(s);
}

/* Few readings that each take long suffice if the caller says so. */
static void test_few_readings(void)
{
    static const double readings[] = {10.1, 9.9, 10.05, 9.96, 10.02, 9.97, 10.1, 9.93, 10.04, 9.95};
    const size_t n = sizeof readings / sizeof *readings;
    for (int given = 0; given < 3; given++) {
        struct cupel_session *s = cupel_session_new(NULL);
        CHECK_INT(cupel_metric(s, "slow", CUPEL_LOWER_IS_BETTER, NULL), 0);
        if (given)
            CHECK_INT(cupel_set(s, "min-samples", "10", NULL), 0);
        if (given == 2) /* a preset sets it again */
            CHECK_INT(cupel_set(s, "preset", "quick", NULL), 0);
        CHECK_INT(cupel_push(s, 0, readings, n - 1, NULL), 0);
        CHECK_INT(cupel_enough(s, NULL), 0);
        CHECK_INT(cupel_push(s, 0, readings + n - 1, 1, NULL), 0);
        CHECK_INT(cupel_enough(s, NULL), given == 1);
        cupel_session_free(s);
    }
}

static int measure_within(void *context, const struct cupel_round *round)
{
    (void)context;
    struct cupel_error error = {0};
    CHECK_INT(cupel_measure(round->session, measure_within, NULL, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    return 1;
}

static void test_measured_within(void)
{
    struct cupel_error error = {0};
    struct cupel_session *s = session_of(0, NULL, 0);
    CHECK_INT(cupel_measure(s, measure_within, NULL, &error), -1);
    CHECK_INT(error.code, CUPEL_FAILED);
    CHECK_INT(cupel_measure(s, measure_within, NULL, &error), -1);
    CHECK_INT(error.code, CUPEL_FAILED); /* that is over */
    cupel_session_free(s);
}

/* A round that always does the same work. */
static int push_fixed(void *context, const struct cupel_round *round)
{
    struct rounds *c = context;
    double reading = 10 + random_unit(&c->random);
    c->work = round->work;
    c->rounds += round->trial == 0;
    return cupel_push(round->session, 0, &reading, 1, NULL);
}

static void test_fixed_rounds(void)
{
    struct cupel_error error = {0};
    struct cupel_session *s = session_of(0, NULL, 0);
    struct rounds c = {0};
    random_seed(&c.random, 2, 0);
    CHECK_INT(cupel_set(s, "min-time", "0", NULL), 0);
    CHECK_INT(cupel_measure(s, push_fixed, &c, &error), 0);
    CHECK_INT(c.rounds, 250);
    /* Work 1, unless a trial round was delayed by a millisecond. */
    CHECK(c.work >= 1 && c.work <= (uint64_t)1 << 40);
    cupel_session_free(s);
}

static void test_readings(void)
{
    struct cupel_error error = {0};
    struct cupel_session *s = session_of(0, NULL, 0);
    double to[3] = {-1, -1, -1};
    CHECK_INT(cupel_readings(s, 0, NULL, 0, &error), 0);
    CHECK_INT(cupel_push(s, 0, (double[]){1.5, .1, 7}, 3, &error), 0);
    CHECK_INT(cupel_readings(s, 0, NULL, 0, &error), 3);
    CHECK_INT(cupel_readings(s, 0, to, 2, &error), 3);
    CHECK(to[0] == 1.5 && to[1] == .1 && to[2] == -1);
    CHECK_INT(cupel_readings(s, 9, to, 2, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_session_free(s);
}

int main(void)
{
    CHECK_INT(arena_init(&arena, judge_scratch_bytes(COUNT), NULL), 0);
    CHECK_INT(cupel_header_version(), CUPEL_HEADER_VERSION);
    test_result();
    test_percentile();
    test_means();
    test_own_loop();
    test_refusals();
    test_null();
    test_rounds();
    test_few_readings();
    test_measured_within();
    test_fixed_rounds();
    arena_free(&arena);
    test_readings();
    return check_result();
}
