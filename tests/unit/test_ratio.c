/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ratios of means: R's numbers (t.test, uniroot on Fieller's equation, cor.test), and simulated
 * sessions that are judged after every block.
 */
#include "stat/compare/ratio.h"

#include "check.h"
#include "differences.h"
#include "simulated.h"
#include "simulations.h"
#include "stat/basic/distribution.h"
#include "stat/compare/correlation.h"

#define READINGS 200
#define SESSIONS SIMULATED_RUNS(200)

static struct arena scratch;

/* The two drugs of R's data set "sleep", with 10 added to each value. */
static const double drug1[] = {10.7, 8.4, 9.8, 8.8, 9.9, 13.4, 13.7, 10.8, 10.0, 12.0};
static const double drug2[] = {11.9, 10.8, 11.1, 10.1, 9.9, 14.4, 15.5, 11.6, 14.6, 13.4};

static void check_welch(void)
{
    const struct ratio_config once = {.confidence = 0.95, .once = true};
    struct mean_summary a = mean_summary_of_spread(10.75, 1.7890096577591621, 10);
    struct mean_summary b = mean_summary_of_spread(12.33, 2.0022487357968290, 10);
    struct ratio r = ratio_of_summaries(&a, &b, &once);
    CHECK_NEAR(r.t, -1.8608134674868533, 1e-12);
    CHECK_NEAR(r.degrees, 17.7764735161784913, 1e-12);
    CHECK_NEAR(r.p_value, 0.0793941401873581, 1e-9);
    CHECK_NEAR(r.value, 10.75 / 12.33, 1e-12);
    CHECK_NEAR(r.low, 0.746256591050725, 1e-9);
    CHECK_NEAR(r.high, 1.017994481184546, 1e-9);
    CHECK_INT(ratio_judge(&r, 0.01), RATIO_UNDECIDED);
    CHECK_INT(ratio_judge(&r, 0.3), RATIO_SAME);

    /* The standard error computed back from a report's interval: t_{.975,9} = 2.262157. */
    double half = 2.2621571627409915 * 1.7890096577591621 / sqrt(10);
    struct mean_summary c = mean_summary_of_interval(10.75, 10.75 * exp(-half / 10.75),
                                                     10.75 * exp(half / 10.75), 0.95, 10);
    CHECK_NEAR(c.variance, a.variance, 1e-9);
    CHECK_NEAR(c.degrees, 9, 1e-12);
}

/* t.test(paired = TRUE), which assumes independent pairs: t = -4.0621, p = 0.002833. With ten pairs
   their dependence is unknown, so that the p-value here is larger; with hundreds it is not. */
static void check_paired(void)
{
    const struct ratio_config once = {.confidence = 0.95, .once = true, .paired = true};
    struct ratio r = ratio_of_series(drug1, 10, drug2, 10, &once, &scratch);
    CHECK_NEAR(student_t_quantile(1 - r.p_value / 2, 9), fabs(r.t), 1e-9);
    CHECK(r.p_value > 0.002833 && r.p_value < 0.05 && r.high < 1 && r.low > 0.7);
    CHECK_INT(ratio_judge(&r, 0.01), RATIO_BELOW);
    const struct ratio_config known = {
        .confidence = 0.95, .once = true, .paired = true, .independent = true};
    r = ratio_of_series(drug1, 10, drug2, 10, &known, &scratch);
    CHECK_NEAR(r.p_value, 0.00283289019738427, 1e-12);
    CHECK_NEAR(r.t, -4.06212768338204, 1e-9);
    /* The interval inverts the test: refuted ratios are outside of it, others inside. */
    double d[10];
    const struct ratio_config any = {.confidence = 0.9, .paired = true};
    r = ratio_of_series(drug1, 10, drug2, 10, &any, &scratch);
    for (size_t i = 0; i < 10; i++)
        d[i] = drug1[i] - r.high * drug2[i];
    CHECK_NEAR(evidence_of(d, 10, &scratch), log(10), 1e-6);
    CHECK_NEAR(r.p_any, fmin(1, exp(-r.evidence)), 1e-12);
}

/* One look at pairs whose differences are autoregressive: how often the truth is refuted. */
static void check_one_look(size_t n, double rho, uint64_t seed)
{
    double d[READINGS];
    size_t refuted = 0;
    for (size_t s = 0; s < 2 * SESSIONS; s++) {
        simulated_ar1(d, n, rho, &seed);
        refuted += p_value_of(d, n, &scratch) < 0.05;
    }
    printf("one look, AR(1) %.1f, %zu pairs: %.4f refuted\n", rho, n,
           (double)refuted / 2 / SESSIONS);
    CHECK_COUNT(refuted <= 0.075 * 2 * SESSIONS);
}

/* t.test() of readings that are known to be independent. */
static void check_independent(void)
{
    const struct ratio_config once = {.confidence = 0.95, .once = true, .independent = true};
    struct ratio r = ratio_of_series(drug1, 10, drug2, 10, &once, &scratch);
    CHECK_NEAR(r.t, -1.86081346748685, 1e-9);
    CHECK_NEAR(r.degrees, 17.7764735161785, 1e-9);
    CHECK_NEAR(r.p_value, 0.0793941401873582, 1e-9);
    /* Looking at any time is less certain than a single look, and at least as certain as with
       unknown dependence. */
    const struct ratio_config any = {.confidence = 0.95, .paired = true, .independent = true};
    const struct ratio_config open = {.confidence = 0.95, .paired = true};
    r = ratio_of_series(drug1, 10, drug2, 10, &any, &scratch);
    struct ratio o = ratio_of_series(drug1, 10, drug2, 10, &open, &scratch);
    CHECK(r.p_any > 0.00283289019738427 && r.p_any < o.p_any);
    CHECK(r.low > o.low && r.high < o.high);
}

static void check_p_value(void)
{
    static const double zeros[4] = {0}, ones[4] = {1, 1, 1, 1};
    static const double rising[] = {1, 1.2, 0.9, 1.1, 1, 0.8, 1.1, 1};
    double falling[8];
    CHECK_NEAR(p_value_of(zeros, 4, &scratch), 1, 1e-12);
    CHECK(p_value_of(ones, 4, &scratch) <= 0);
    CHECK_NEAR(p_value_of(ones, 1, &scratch), 1, 1e-12);
    for (size_t i = 0; i < 8; i++)
        falling[i] = -7 * rising[i];
    double p = p_value_of(rising, 8, &scratch);
    CHECK(p > 0 && p < 0.001);
    CHECK_NEAR(p_value_of(falling, 8, &scratch), p, 1e-9);
    check_one_look(10, 0, 31);
    check_one_look(20, 0.6, 32);
    check_one_look(50, 0.3, 33);
    check_one_look(READINGS, 0.6, 34);
}

static void check_edges(void)
{
    const struct ratio_config any = {.confidence = 0.95};
    static const double ones[] = {1, 1, 1, 1}, twos[] = {2, 2, 2, 2}, negative[] = {-1, 1, -2};
    struct ratio r = ratio_of_series(ones, 4, twos, 4, &any, &scratch);
    CHECK(r.value <= 0.5 && r.value >= 0.5 && r.high < 0.5001 && r.p_value <= 0);
    CHECK_INT(ratio_judge(&r, 0.01), RATIO_BELOW);
    r = ratio_of_series(ones, 4, ones, 4, &any, &scratch);
    CHECK_INT(ratio_judge(&r, 0.01), RATIO_SAME);
    r = ratio_of_series(ones, 1, twos, 4, &any, &scratch);
    CHECK(isinf(r.high) && r.low <= 0 && isnan(r.p_value));
    CHECK_INT(ratio_judge(&r, 0.01), RATIO_UNDECIDED);
    r = ratio_of_series(negative, 3, twos, 4, &any, &scratch);
    CHECK(isnan(r.value));
    CHECK_INT(ratio_judge(&r, 0.01), RATIO_UNDECIDED);
    CHECK(isinf(evidence_of(negative, 2, &scratch)));
    CHECK(isinf(difference_evidence_of_t(INFINITY, 5, 6)));
    CHECK(difference_evidence_of_t(3, 20, 21) > difference_evidence_of_t(2, 20, 21));
}

/* Pairs with one side hardly known: the interval reaches to 0, that of the inverse ratio to
   infinity, and neither has both ends. */
static void check_bounds(void)
{
    const struct ratio_config once = {.confidence = 0.95, .once = true, .paired = true};
    const double steady[] = {10, 11, 9, 10, 11, 9, 10, 11, 9, 10, 11, 9};
    double wild[] = {1, 2, 1, 2, 1, 2, 300, 1, 2, 1, 2, 1};
    struct ratio r = ratio_of_series(wild, 12, steady, 12, &once, &scratch);
    struct ratio inverse = ratio_of_series(steady, 12, wild, 12, &once, &scratch);
    CHECK(!(r.low > 0) && isfinite(r.high) && !ratio_is_bounded(&r));
    CHECK(inverse.low > 0 && isinf(inverse.high) && !ratio_is_bounded(&inverse));
    wild[6] = 3;
    r = ratio_of_series(wild, 12, steady, 12, &once, &scratch);
    inverse = ratio_of_series(steady, 12, wild, 12, &once, &scratch);
    CHECK(ratio_is_bounded(&r) && ratio_is_bounded(&inverse));
    CHECK_NEAR(r.low * inverse.high, 1, 1e-6);
}

/* Columns that move together but are not declared paired are judged as if their order had no
   meaning: a look more never makes the interval narrower. */
static void check_unpaired(void)
{
    const struct ratio_config any = {.confidence = 0.95}, once = {.confidence = 0.95, .once = true};
    double a[READINGS], b[READINGS];
    uint64_t seed = 21;
    simulated_ar1(a, READINGS, 0, &seed);
    simulated_ar1(b, READINGS, 0, &seed);
    for (size_t i = 0; i < READINGS; i++) {
        a[i] = 100 + 5 * a[i];
        b[i] = 1.01 * a[i] + 0.1 * b[i];
    }
    struct ratio open = ratio_of_series(a, READINGS, b, READINGS, &any, &scratch);
    struct ratio single = ratio_of_series(a, READINGS, b, READINGS, &once, &scratch);
    CHECK(open.low <= single.low && open.high >= single.high && open.p_any >= single.p_value);
    CHECK(open.evidence > log(20));
    CHECK_INT(ratio_judge(&open, 0.001), RATIO_UNDECIDED);
}

/* cor.test(drug1, drug2). */
static void check_correlation(void)
{
    struct correlation c = correlation_interval_of(drug1, drug2, 10, 0.95);
    CHECK_NEAR(c.value, 0.795170205833578, 1e-12);
    CHECK_NEAR(c.low, 0.331525474164337, 1e-9);
    CHECK_NEAR(c.high, 0.949446533611364, 1e-9);
    c = correlation_interval_of(drug1, drug2, 3, 0.95);
    CHECK(c.low <= -1 && c.high >= 1);
    static const double same[] = {4, 4, 4, 4, 4};
    CHECK(isnan(correlation_interval_of(drug1, same, 5, 0.95).value));
}

/*
 * Simulates sessions that end when a look after any block decides; the pairs' differences have
 * autocorrelation rho and a mean of `mean` standard deviations. Returns the share that decides, and
 * the mean number of blocks.
 */
static double decided_share(double rho, double mean, double *blocks, uint64_t seed)
{
    double d[READINGS], sd = 1 / sqrt(1 - rho * rho);
    size_t decided = 0, sum = 0;
    for (size_t s = 0; s < SESSIONS; s++) {
        size_t n = DIFFERENCE_MIN_READINGS;
        simulated_ar1(d, READINGS, rho, &seed);
        for (size_t i = 0; i < READINGS; i++)
            d[i] += mean * sd;
        while (n < READINGS && evidence_of(d, n, &scratch) < log(20))
            n += 1 + n / 30;
        decided += n < READINGS;
        sum += n;
    }
    *blocks = (double)sum / SESSIONS;
    return (double)decided / SESSIONS;
}

/* The shares are those in docs/statistics.md; bounds are three standard errors of 200 sessions. */
static void check_looks(void)
{
    double blocks, share = decided_share(0, 0, &blocks, 11);
    printf("A/A, independent: %.3f decided\n", share);
    CHECK_COUNT(share <= 0.05);
    share = decided_share(0.6, 0, &blocks, 12);
    printf("A/A, AR(1) .6: %.3f decided\n", share);
    CHECK_COUNT(share <= 0.05);
    /* a test with a fixed size and power .9 needs 44 pairs */
    share = decided_share(0, 0.5, &blocks, 13);
    printf("half a standard deviation: %.3f decided after %.1f blocks\n", share, blocks);
    CHECK_COUNT(share >= 0.99 && blocks < 1.3 * 44);
    share = decided_share(0, 20, &blocks, 14);
    CHECK_COUNT(share >= 1 && blocks < 8);
}

int main(void)
{
    struct err e = {0};
    CHECK(!arena_init(&scratch, ratio_scratch_bytes(READINGS, READINGS), &e));
    check_welch();
    check_paired();
    check_independent();
    check_p_value();
    check_unpaired();
    check_edges();
    check_bounds();
    check_correlation();
    check_looks();
    arena_free(&scratch);
    return check_result();
}
