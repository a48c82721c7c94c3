/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions and the interval of a proportion, compared with R. */
#include "stat/basic/distribution.h"

#include "tests/unit/cases.h"

static double value_of(const struct expected_row *row)
{
    double df = cases_param(row, "df"), p = cases_param(row, "p");
    if (strcmp(row->name, "student_t") == 0)
        return cases_is(row, "inverse") ? student_t_quantile(p, df)
                                        : student_t_two_sided(cases_param(row, "t"), df);
    if (strcmp(row->name, "normal") == 0)
        return normal_quantile(p);
    return binomial_cdf(cases_param(row, "k"), cases_param(row, "n"), p);
}

static bool is_distribution(const struct expected_row *row)
{
    return strcmp(row->name, "student_t") == 0 || strcmp(row->name, "binomial") == 0 ||
           (strcmp(row->name, "normal") == 0 && cases_is(row, "inverse"));
}

static void check_wilson(const struct expected_row *row, double k, double n, double confidence)
{
    struct proportion p = proportion_wilson(k, n, confidence);
    CHECK_NEAR(p.value, k / n, 1e-15);
    CHECK(fabs(p.low - row->value[0]) <= 1e-9 * row->value[0] + 1e-15);
    CHECK_NEAR(p.high, row->value[1], 1e-9);
}

static void test_golden(void)
{
    static struct cases c;
    struct expected_row row;
    int rows = 0;
    if (!cases_open(&c, "tests/golden"))
        return;
    while (cases_next(&c, &row)) {
        if (is_distribution(&row))
            CHECK_NEAR(value_of(&row), row.value[0], 1e-9);
        else if (cases_is(&row, "ci"))
            check_wilson(&row, cases_param(&row, "k"), cases_param(&row, "n"),
                         cases_param(&row, "cl"));
        else
            continue;
        rows++;
    }
    CHECK(rows >= 190);
}

static void check_further_student_t(const struct expected_row *row)
{
    static const struct {
        const char *quantity;
        double p, t;
    } known[] = {
        {"qt_0.975", 0.975, 0}, {"qt_0.995", 0.995, 0}, {"2*pt(-2)", 0, 2}, {"2*pt(-8)", 0, 8}};
    double df = cases_param(row, "df");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!cases_is(row, known[i].quantity))
            continue;
        double value = known[i].p > 0 ? student_t_quantile(known[i].p, df)
                                      : student_t_two_sided(known[i].t, df);
        CHECK_NEAR(value, row->value[0], 1e-9);
    }
}

static void test_further_cases(const char *folder)
{
    static struct cases c;
    struct expected_row row;
    if (!cases_open(&c, folder))
        return;
    while (cases_next(&c, &row)) {
        if (strcmp(row.name, "tdist") == 0)
            check_further_student_t(&row);
        if (cases_is(&row, "wilson_ci") && cases_load(&c, &row)) {
            double successes = 0;
            for (size_t i = 0; i < c.n; i++)
                successes += c.x[i];
            check_wilson(&row, successes, (double)c.n, cases_param(&row, "cl"));
        }
    }
}

static void test_edges(void)
{
    CHECK_NEAR(student_t_two_sided(0, 3), 1, 1e-15);
    CHECK_NEAR(student_t_two_sided(-2, 9), student_t_two_sided(2, 9), 0);
    CHECK_NEAR(student_t_two_sided(student_t_quantile(0.975, 9), 9), 0.05, 1e-9);
    CHECK_NEAR(binomial_cdf(-1, 10, 0.3), 0, 0);
    CHECK_NEAR(binomial_cdf(10, 10, 0.3), 1, 0);
    /* An effective sample size between two whole ones lies between their values. */
    double between = binomial_cdf(90, 100.5, 0.9);
    CHECK(between < binomial_cdf(90, 100, 0.9) && between > binomial_cdf(90, 101, 0.9));
    struct proportion none = proportion_wilson(0, 0, 0.95);
    CHECK(isnan(none.value));
    CHECK_NEAR(none.high - none.low, 1, 0);
}

int main(void)
{
    test_golden();
    const char *elsewhere = cases_elsewhere();
    if (elsewhere)
        test_further_cases(elsewhere);
    test_edges();
    return check_result();
}
