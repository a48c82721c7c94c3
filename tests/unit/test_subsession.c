/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subsession analysis compared with R, including Pilot's rules. */
#include "stat/estimate/internal.h"

#include "stat/basic/descriptive.h"
#include "tests/unit/cases.h"

static struct arena arena;

static struct subsessions load(const double x[], size_t n)
{
    arena_reset(&arena, 0);
    return subsessions_of(x, n, mean_of(x, n), &arena);
}

static void check_subsession(const struct expected_row *row, const struct subsessions *s)
{
    struct subsession at = subsession_at(s, (size_t)cases_param(row, "q"));
    CHECK_INT(at.count, row->value[0]);
    CHECK_NEAR(at.variance, row->value[1], 1e-9);
    CHECK_NEAR(at.autocorrelation, row->value[2], 1e-9);
    CHECK_NEAR(subsession_interval_width(&at, 0.95), row->value[3], 1e-9);
}

/* The plain t interval equals that of subsessions of one reading. */
static void check_t_interval(const struct expected_row *row, const struct subsessions *s)
{
    struct subsession single = subsession_at(s, 1);
    double width = subsession_interval_width(&single, cases_param(row, "cl"));
    if (cases_is(row, "t_ci_width")) {
        CHECK_NEAR(width, row->value[0], 1e-9);
        return;
    }
    CHECK_NEAR(s->mean - width / 2, row->value[0], 1e-9);
    CHECK_NEAR(s->mean + width / 2, row->value[1], 1e-9);
}

static int check_row(const struct expected_row *row, const struct subsessions *s)
{
    if (cases_is(row, "subsession"))
        check_subsession(row, s);
    else if (cases_is(row, "t_ci") || cases_is(row, "t_ci_width"))
        check_t_interval(row, s);
    else if (cases_is(row, "optimal_q") || cases_is(row, "pilot_q"))
        CHECK_INT(subsession_size_pilot(s, cases_param(row, "ac")), row->value[0]);
    else if (cases_is(row, "robust_q"))
        CHECK_INT(subsession_size_robust(s, cases_param(row, "ac")), row->value[0]);
    else
        return 0;
    return 1;
}

static bool has_readings(const struct expected_row *row)
{
    static const char *const quantities[] = {"subsession", "t_ci",    "t_ci_width",
                                             "optimal_q",  "pilot_q", "robust_q"};
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (cases_is(row, quantities[i]))
            return true;
    return false;
}

static void check_folder(const char *folder, int min_rows)
{
    static struct cases c;
    struct expected_row row;
    int rows = 0;
    if (!cases_open(&c, folder))
        return;
    while (cases_next(&c, &row))
        if (has_readings(&row) && cases_load(&c, &row)) {
            struct subsessions s = load(c.x, c.n);
            rows += check_row(&row, &s);
        }
    CHECK(rows >= min_rows);
}

static void test_edges(void)
{
    const double equal[] = {5, 5, 5, 5, 5, 5}, two[] = {1, 2};
    struct subsessions s = load(equal, 6);
    struct subsession at = subsession_at(&s, 1);
    CHECK_NEAR(at.variance, 0, 0);
    CHECK_NEAR(at.autocorrelation, 0, 0);
    CHECK_INT(subsession_size_robust(&s, 0.1), 1);
    at = subsession_at(&s, 4);
    CHECK_INT(at.count, 1);
    CHECK(isnan(at.autocorrelation));
    CHECK(isinf(subsession_interval_width(&at, 0.95)));
    s = load(two, 2);
    CHECK_INT(subsession_size_pilot(&s, 0.1), 0);
}

int main(void)
{
    CHECK_INT(arena_init(&arena, subsessions_scratch_bytes(CASE_READINGS), NULL), 0);
    check_folder("tests/golden", 150);
    const char *elsewhere = cases_elsewhere();
    if (elsewhere)
        check_folder(elsewhere, 80);
    test_edges();
    arena_free(&arena);
    return check_result();
}
