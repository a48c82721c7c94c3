/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sessions compared: the pipeline's ratio, and alternating rounds. */
#include "include/cupel.h"

#include <string.h>

#include "base/random.h"
#include "stat/compare/ratio.h"
#include "tests/unit/check.h"

#define COUNT 400

static double noise(struct random *r)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += random_unit(r);
    return sum;
}

static struct cupel_session *session_of(unsigned flags, const double x[], size_t n)
{
    struct cupel_session *s = cupel_session_new(NULL);
    CHECK_INT(cupel_metric(s, "speed", flags, NULL), 0);
    CHECK_INT(cupel_push(s, 0, x, n, NULL), 0);
    return s;
}

static void check_ratio(const struct cupel_comparison *c, const struct ratio *r)
{
    CHECK_NEAR(c->ratio, r->value, 1e-12);
    CHECK_NEAR(c->low, r->low, 1e-12);
    CHECK_NEAR(c->high, r->high, 1e-12);
    CHECK_NEAR(c->p_value, r->p_value, 1e-12);
    CHECK_NEAR(c->p_any, r->p_any, 1e-12);
    CHECK_NEAR(c->confidence, 0.95, 0);
}

static void test_stored(void)
{
    static double a[COUNT], b[COUNT], inverse_a[COUNT], inverse_b[COUNT];
    struct random random;
    struct arena arena;
    random_seed(&random, 3, 0);
    for (int i = 0; i < COUNT; i++) {
        a[i] = 105 + 5 * noise(&random);
        b[i] = 100 + 5 * noise(&random);
        inverse_a[i] = 1 / a[i];
        inverse_b[i] = 1 / b[i];
    }
    struct ratio_config config = {.confidence = 0.95};
    CHECK_INT(arena_init(&arena, ratio_scratch_bytes(COUNT, COUNT), NULL), 0);
    struct cupel_session *sa = session_of(0, a, COUNT), *sb = session_of(0, b, COUNT);
    struct cupel_side first = {.session = sa}, second = {.session = sb};
    struct cupel_comparison c;
    CHECK_INT(cupel_compare(&first, &second, 0, 0, &c, NULL), 0);
    struct ratio any = ratio_of_series(a, COUNT, b, COUNT, &config, &arena);
    check_ratio(&c, &any);
    CHECK_INT(c.order, CUPEL_FIRST_HIGHER);
    CHECK(c.low > 1 && c.low < 1.05 && c.high > 1.05);
    config.once = true;
    struct cupel_comparison one_look;
    CHECK_INT(cupel_compare(&second, &first, 0, CUPEL_ONE_LOOK, &one_look, NULL), 0);
    struct ratio once = ratio_of_series(b, COUNT, a, COUNT, &config, &arena);
    check_ratio(&one_look, &once);
    CHECK_INT(one_look.order, CUPEL_SECOND_HIGHER);
    CHECK(one_look.high - one_look.low < c.high - c.low);
    CHECK_INT(cupel_compare(&first, &second, 0.2, 0, &c, NULL), 0);
    CHECK_INT(c.order, CUPEL_SAME);
    CHECK_INT(cupel_compare(&first, &first, 0, 0, &c, NULL), 0);
    CHECK_INT(c.order, CUPEL_OPEN);
    cupel_session_free(sa);
    cupel_session_free(sb);

    /* Harmonic means: the inverse of the mean of 1/x. */
    sa = session_of(CUPEL_HARMONIC, inverse_a, COUNT);
    sb = session_of(CUPEL_HARMONIC, inverse_b, COUNT);
    first.session = sa;
    second.session = sb;
    CHECK_INT(cupel_compare(&second, &first, 0, 0, &c, NULL), 0);
    CHECK_NEAR(c.ratio, any.value, 1e-9);
    CHECK_NEAR(c.low, any.low, 1e-6);
    cupel_session_free(sa);
    cupel_session_free(sb);
    arena_free(&arena);
}

/* ---- in turns ---- */

/* The last caller, how often in a row, and the maximum. */
struct order {
    unsigned last, in_a_row, longest;
};

struct turn {
    double mean;
    struct random random;
    unsigned rounds, fail_at;
    struct order *order;
    unsigned me; /* 1 or 2 */
};

static void take_turn(struct order *o, unsigned who)
{
    o->in_a_row = o->last == who ? o->in_a_row + 1 : 1;
    o->last = who;
    if (o->in_a_row > o->longest)
        o->longest = o->in_a_row;
}

static int push_one(void *context, const struct cupel_round *round)
{
    struct turn *t = context;
    double reading = t->mean + 5 * noise(&t->random);
    volatile uint64_t sink = 0;
    for (uint64_t i = 0; i < 100 * round->work; i++)
        sink = sink + i;
    if (!round->trial) {
        t->rounds++;
        take_turn(t->order, t->me);
    }
    if (cupel_push(round->session, 0, &reading, 1, NULL))
        return 1;
    return t->fail_at && t->rounds == t->fail_at ? 3 : 0;
}

static struct cupel_error in_turns(double mean_a, double mean_b, double margin, const char *limit,
                                   unsigned fail_at, struct cupel_comparison *c)
{
    struct cupel_error error = {0};
    struct order order = {0};
    struct turn a = {.mean = mean_a, .order = &order, .me = 1};
    struct turn b = {.mean = mean_b, .order = &order, .me = 2, .fail_at = fail_at};
    random_seed(&a.random, 5, 0);
    random_seed(&b.random, 5, 1);
    struct cupel_side first = {session_of(0, NULL, 0), 0, push_one, &a};
    struct cupel_side second = {session_of(0, NULL, 0), 0, push_one, &b};
    CHECK_INT(cupel_set(first.session, "min-time", "0", NULL), 0);
    CHECK_INT(cupel_set(first.session, "limit", limit, NULL), 0);
    int status = cupel_compare_rounds(&first, &second, margin, c, &error);
    CHECK_INT(status, error.code ? -1 : 0);
    CHECK(order.longest <= 2); /* the second one of a block and the first one of the next */
    if (!fail_at)
        CHECK_INT(a.rounds, b.rounds);
    if (!error.code)
        CHECK(a.rounds >= 10); /* fewer if the limit ends it */
    cupel_session_free(first.session);
    cupel_session_free(second.session);
    return error;
}

static void test_in_turns(void)
{
    struct cupel_comparison c;
    struct cupel_error error = in_turns(130, 100, 0, "60s", 0, &c);
    CHECK_INT(error.code, CUPEL_OK);
    CHECK_INT(c.order, CUPEL_FIRST_HIGHER);
    CHECK(c.low <= 1.3 && c.high >= 1.3);
    error = in_turns(100, 130, 0, "60s", 0, &c);
    CHECK_INT(c.order, CUPEL_SECOND_HIGHER);
    error = in_turns(100, 100, 0.1, "60s", 0, &c);
    CHECK_INT(c.order, CUPEL_SAME);
    error = in_turns(100, 100, 0, "0.2s", 0, &c);
    CHECK_INT(error.code, CUPEL_UNDECIDED);
    CHECK_INT(c.order, CUPEL_OPEN);
    CHECK(c.low < 1 && c.high > 1);
    error = in_turns(100, 100, 0, "60s", 5, &c);
    CHECK_INT(error.code, CUPEL_FAILED);
}

static void test_refusals(void)
{
    static const double negative[] = {-1, -2, -3}, positive[] = {1, 2, 3};
    struct cupel_error error = {0};
    struct cupel_comparison c;
    struct cupel_side below = {.session = session_of(0, negative, 3)};
    struct cupel_side above = {.session = session_of(0, positive, 3)};
    struct cupel_side empty = {.session = session_of(0, NULL, 0)};
    struct cupel_side rate = {.session = session_of(CUPEL_HARMONIC, positive, 3)};
    struct cupel_side nothing = {.session = above.session, .metric = 1};
    CHECK_INT(cupel_compare(&above, &below, 0, 0, &c, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    CHECK(strstr(error.message, "above 0") != NULL);
    CHECK_INT(cupel_compare(&above, &empty, 0, 0, &c, &error), -1);
    CHECK(strstr(error.message, "no readings") != NULL);
    CHECK_INT(cupel_compare(&above, &rate, 0, 0, &c, &error), -1);
    CHECK(strstr(error.message, "harmonic") != NULL);
    CHECK_INT(cupel_compare(&above, &nothing, 0, 0, &c, &error), -1);
    CHECK_INT(cupel_compare(&above, &above, -1, 0, &c, &error), -1);
    above.round = push_one;
    CHECK_INT(cupel_compare_rounds(&above, &above, 0, &c, &error), -1);
    CHECK(strstr(error.message, "two sessions") != NULL);
    cupel_session_free(below.session);
    cupel_session_free(above.session);
    cupel_session_free(empty.session);
    cupel_session_free(rate.session);
}

/* Without the other's readings: Welch's test and Fieller's interval from (mean, sd, n). */
static void test_baseline(void)
{
    struct cupel_error error = {0};
    struct cupel_comparison c;
    struct cupel_session *s = cupel_session_new(&error);
    CHECK_INT(cupel_metric(s, "time", 0, &error), 0);
    CHECK_INT(cupel_compare_baseline(s, 0, &(struct cupel_baseline){100, 5, 40}, 0, &c, &error),
              -1);
    CHECK(strstr(error.message, "no readings") != NULL);
    struct random random;
    random_seed(&random, 5, 0);
    for (int i = 0; i < 400; i++) {
        const double x = 100 + 10 * (random_unit(&random) - .5);
        CHECK_INT(cupel_push(s, 0, &x, 1, &error), 0);
    }
    CHECK_INT(cupel_compare_baseline(s, 0, &(struct cupel_baseline){90, 3, 400}, 0, &c, &error), 0);
    CHECK_INT(c.order, CUPEL_FIRST_HIGHER);
    CHECK_NEAR(c.ratio, 100 / 90., .01);
    CHECK(c.low > 1.1 && c.high < 1.125 && c.p_value < 1e-9);
    CHECK_INT(cupel_compare_baseline(s, 0, &(struct cupel_baseline){100, 3, 400}, .02, &c, &error),
              0);
    CHECK_INT(c.order, CUPEL_SAME);
    CHECK_INT(cupel_compare_baseline(s, 0, &(struct cupel_baseline){100, 50, 3}, .02, &c, &error),
              0);
    CHECK_INT(c.order, CUPEL_OPEN); /* three readings prove little */
    CHECK_INT(cupel_compare_baseline(s, 0, &(struct cupel_baseline){100, 3, 1}, 0, &c, &error), -1);
    CHECK(strstr(error.message, "2 readings are needed") != NULL);
    CHECK_INT(cupel_compare_baseline(s, 0, &(struct cupel_baseline){100, 3, 9}, 1, &c, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_session_free(s);
}

int main(void)
{
    test_stored();
    test_in_turns();
    test_refusals();
    test_baseline();
    return check_result();
}
