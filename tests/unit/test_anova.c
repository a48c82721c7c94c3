/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analysis of variance compared with R: anova(lm(y ~ a * b)), drop1(lm(y ~ a + b)), and tails of F.
 */
#include "check.h"

#include "stat/anova/anova.h"
#include "stat/basic/distribution.h"

/* An unbalanced design: cells of 2, 2, 2, 1, 2 and 2 observations. */
static const uint32_t level[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
static const double mean[] = {3.3, 4.45, 6.1, 5, 9.1, 2.35}, count[] = {2, 2, 2, 1, 2, 2};
static const size_t level_count[] = {3, 2};

static const struct anova_data unbalanced = {.cells = 6,
                                             .factors = 2,
                                             .level = level[0],
                                             .stride = 2,
                                             .level_count = level_count,
                                             .mean = mean,
                                             .count = count,
                                             .within = 0.59};

static void test_interactions(void)
{
    static struct anova a;
    struct err e = {0};
    CHECK_INT(anova_make(&a, &unbalanced, true, &e), 0);
    CHECK_INT(a.term_count, 3);
    CHECK_NEAR(a.terms[0].type1.squares, 8.74560606061, 1e-11);
    CHECK_NEAR(a.terms[1].type1.squares, 15.04166666667, 1e-11);
    CHECK_NEAR(a.terms[2].type1.squares, 32.65, 1e-12);
    CHECK_INT(a.terms[2].type1.degrees, 2);
    CHECK_NEAR(a.terms[0].type1.f, 37.05765, 1e-6);
    CHECK_NEAR(a.terms[0].type1.p, 0.0010041, 1e-4);
    CHECK_NEAR(a.terms[2].type1.p, 4.1974e-05, 1e-4);
    CHECK_NEAR(a.residual, 0.59, 1e-9);
    CHECK_INT(a.residual_degrees, 5);
    /* type II: a after b, and not after a:b */
    CHECK_NEAR(a.terms[0].type2.squares, 7.461333333333, 1e-11);
    CHECK_NEAR(a.terms[1].type2.squares, 15.041666666667, 1e-11);
    CHECK_NEAR(a.terms[2].type2.squares, 32.65, 1e-12);
    double total = 8.74560606061 + 15.04166666667 + 32.65 + 0.59;
    CHECK_NEAR(a.total, total, 1e-11);
    CHECK_NEAR(a.terms[1].type1.eta2, 15.04166666667 / total, 1e-10);
    CHECK_NEAR(a.terms[1].type1.partial_eta2, 15.04166666667 / 15.63166666667, 1e-9);
    CHECK_NEAR(a.terms[1].type1.omega2, (15.04166666667 - 0.118) / (total + 0.118), 1e-9);
}

static void test_main_effects(void)
{
    static struct anova a;
    struct err e = {0};
    CHECK_INT(anova_make(&a, &unbalanced, false, &e), 0);
    CHECK_INT(a.term_count, 2);
    CHECK_NEAR(a.residual, 33.24, 1e-10);
    CHECK_NEAR(a.terms[0].type2.f, 0.78564, 1e-5);
    CHECK_NEAR(a.terms[0].type2.p, 0.49225, 1e-5);
    CHECK_NEAR(a.terms[1].type2.f, 3.16762, 1e-5);
    CHECK_NEAR(a.terms[1].type2.p, 0.11833, 1e-4);
}

/* Missing combinations reduce the degrees of freedom; with none left nothing is judged. */
static void test_missing_cells(void)
{
    static struct anova a;
    struct err e = {0};
    const double once[] = {1, 1, 1, 1, 1};
    struct anova_data data = unbalanced;
    data.cells = 5;
    data.count = once;
    data.within = 0;
    CHECK_INT(anova_make(&a, &data, true, &e), 0);
    CHECK_INT(a.terms[2].type1.degrees, 1);
    CHECK_INT(a.residual_degrees, 0);
    CHECK(isnan(a.terms[0].type1.f) && isnan(a.terms[0].type1.p) && isnan(a.terms[0].type1.omega2));
    CHECK(a.terms[0].type1.eta2 > 0);
    data.cells = 1;
    CHECK_INT(anova_make(&a, &data, true, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
}

/* pf(f, df1, df2, lower.tail = FALSE) */
static void test_tail(void)
{
    CHECK_NEAR(f_upper(1, 1, 1), 0.5, 1e-12);
    CHECK_NEAR(f_upper(9.5, 1, 7), student_t_two_sided(sqrt(9.5), 7), 1e-12);
    CHECK_NEAR(f_upper(138.34746, 2, 5), 4.1974e-05, 1e-4);
    CHECK_NEAR(f_upper(0, 3, 5), 1, 0);
    CHECK(f_upper(100, 8, 623) > 0 && f_upper(100, 8, 623) < 1e-90);
    CHECK_NEAR(f_upper(INFINITY, 3, 5), 0, 0);
}

int main(void)
{
    test_interactions();
    test_main_effects();
    test_missing_cells();
    test_tail();
    return check_result();
}
