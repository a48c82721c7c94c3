/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The number of runs that a precision needs: compared with theory for normal runs, where resampling
 * existing runs can only come near; the square root law; ranks by hand; and the published map with
 * the results of its authors and of R.
 */
#include "stat/convergence/convergence.h"

#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "stat/estimate/percentile.h"
#include "tests/unit/csv_table.h"

#define RUNS 400

static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

static const double *normal_runs(void)
{
    static double runs[RUNS];
    struct random random;
    random_seed(&random, 8, 0);
    for (size_t i = 0; i < RUNS; i++)
        runs[i] = 100 + 10 * normal(&random);
    return runs;
}

static struct convergence_request request(enum convergence_statistic statistic)
{
    return (struct convergence_request){.runs = normal_runs(),
                                        .n = RUNS,
                                        .statistic = statistic,
                                        .share = 0.5,
                                        .confidence = 0.95,
                                        .seed = 1};
}

/* MOANA's markers by the law: 25.6 and 33.1 of 40 runs, from 10 on. */
static void check_law(void)
{
    CHECK_NEAR(convergence_runs_by_law(10, 40, 0.75), 25.6, 1e-12);
    CHECK_NEAR(convergence_runs_by_law(10, 40, 0.9), 33.057851239669, 1e-10);
    CHECK_NEAR(convergence_runs_by_law(10, 40, 0), 10, 1e-12);
    CHECK_NEAR(convergence_runs_by_law(10, 40, 1), 40, 1e-12);
}

static void check_curve(void)
{
    struct convergence_step steps[31];
    struct convergence_request q = request(CONVERGENCE_DEVIATION);
    CHECK_INT(convergence_curve(steps, 10, 40, &q, NULL), 0);
    CHECK(steps[0].runs == 10 && steps[30].runs == 40);
    CHECK(convergence_reached(steps, 31, 0) == 0 && convergence_reached(steps, 31, 30) == 1);
    CHECK_NEAR((double)convergence_runs(steps, 31, 0.75), 25.6, 0.15);
    CHECK_NEAR((double)convergence_runs(steps, 31, 0.9), 33.06, 0.12);
    for (size_t i = 0; i < 31; i++)
        CHECK(steps[i].low < 10.5 && steps[i].high > 9.5);

    /* The same seed gives the same steps; a constant has converged. */
    struct convergence_step again[31];
    CHECK_INT(convergence_curve(again, 10, 40, &q, NULL), 0);
    CHECK(memcmp(steps, again, sizeof steps) == 0);
    const double same[] = {5, 5, 5, 5};
    q.runs = same;
    q.n = 4;
    CHECK_INT(convergence_curve(steps, 2, 4, &q, NULL), 0);
    CHECK_INT(convergence_runs(steps, 3, 0.9), 2);
}

/*
 * For normal runs the half interval of a mean is 1.96 sd / sqrt(n), of a standard deviation 1.96 sd
 * / sqrt(2 n), and of a median 1.2533 times that of a mean.
 */
static void check_needed(void)
{
    struct runs_needed r;
    struct convergence_request q = request(CONVERGENCE_MEAN);
    const double *x = normal_runs();
    double mean = mean_of(x, RUNS), sd = standard_deviation_of(x, RUNS, mean);
    CHECK_INT(runs_needed_for(&r, &q, 0.02, NULL), 0);
    double theory = pow(1.96 * sd / (0.02 * mean), 2); /* about 96 */
    CHECK_NEAR(r.runs, theory, 0.1);
    CHECK_NEAR(r.by_law, theory, 0.1);
    CHECK_NEAR(r.precision, 1.96 * sd / mean / 20, 0.06);
    CHECK(!r.beyond);
    CHECK_INT(runs_needed_for(&r, &q, 0.005, NULL), 0);
    CHECK_NEAR(r.runs, theory * 16, 0.1);
    CHECK(r.beyond);
    CHECK_INT(runs_needed_for(&r, &q, 0.0001, NULL), 0); /* by the law alone */
    CHECK_NEAR(r.runs, theory * 40000, 0.1);

    q.statistic = CONVERGENCE_DEVIATION;
    CHECK_INT(runs_needed_for(&r, &q, 0.1, NULL), 0);
    CHECK_NEAR(r.runs, pow(1.96 / 0.1, 2) / 2, 0.12);
    q.statistic = CONVERGENCE_PERCENTILE;
    CHECK_INT(runs_needed_for(&r, &q, 0.02, NULL), 0);
    CHECK_NEAR(r.runs, theory * 1.5708, 0.35);

    const double zero[] = {-1, 1, -1, 1};
    q.runs = zero;
    q.n = 4;
    q.statistic = CONVERGENCE_MEAN;
    CHECK_INT(runs_needed_for(&r, &q, 0.1, NULL), 0);
    CHECK(isinf(r.precision) && isinf(r.runs) && r.beyond);
    const double same[] = {7, 7};
    q.runs = same;
    q.n = 2;
    CHECK_INT(runs_needed_for(&r, &q, 0.1, NULL), 0);
    CHECK(r.precision == 0 && r.runs == 2 && !r.beyond);
}

static void check_confirm(void)
{
    size_t lower, upper, runs;
    CHECK(median_ranks(40, 0.9, &lower, &upper) && lower == 14 && upper == 27);
    CHECK(!median_ranks(5, 0.99, &lower, &upper));
    struct convergence_request q = request(CONVERGENCE_PERCENTILE);
    CHECK_INT(confirm_runs(&runs, &q, 0.03, NULL), 0);
    CHECK_NEAR((double)runs, pow(1.96 * 1.2533 * 10 / 3, 2), 0.35);
    CHECK_INT(confirm_runs(&runs, &q, 0.001, NULL), 0);
    CHECK_INT(runs, 0);
}

/* ---- elsewhere ---- */

static void check_ranks_elsewhere(void)
{
    struct csv_table t;
    const char *path = csv_elsewhere("models/median_ci_normal_approx.csv");
    if (!path || !csv_open(&t, path))
        return;
    for (size_t i = 0; i < t.rows; i++) {
        size_t lower = 0, upper = 0;
        double n = csv_number(&t, i, "n"), low = csv_number(&t, i, "lower_rank");
        double high = csv_number(&t, i, "upper_rank");
        bool exists = median_ranks((size_t)n, csv_number(&t, i, "conf"), &lower, &upper);
        CHECK_INT(exists, low >= 1 && high <= n);
        if (exists)
            CHECK((double)lower == low && (double)upper == high);
    }
    csv_close(&t);

    CHECK(csv_open(&t, csv_elsewhere("models/orderstat_ci.csv")));
    for (size_t i = 0; i < t.rows; i++) {
        double lower = 0, upper = 0, low = csv_number(&t, i, "lower_rank");
        bool exists = percentile_ranks(csv_number(&t, i, "n"), csv_number(&t, i, "q"),
                                       csv_number(&t, i, "conf"), &lower, &upper);
        CHECK_INT(exists, low >= 1 && csv_number(&t, i, "upper_rank") >= 1); /* 0: none */
        if (exists)
            CHECK(lower == low && upper == csv_number(&t, i, "upper_rank"));
    }
    csv_close(&t);

    CHECK(csv_open(&t, csv_elsewhere("models/orderstat_min_n.csv")));
    for (size_t i = 0; i < t.rows; i++) {
        double share = csv_number(&t, i, "q"), confidence = csv_number(&t, i, "conf");
        CHECK(percentile_min_n(share, confidence, false) == csv_number(&t, i, "n_one_sided_upper"));
        CHECK(percentile_min_n(share, confidence, true) ==
              csv_number(&t, i, "n_two_sided_equal_tails"));
    }
    csv_close(&t);
}

/* Finds the runs of one configuration of the published map. Returns their number. */
static size_t runs_of(const struct csv_table *raw, const struct csv_table *t, size_t row,
                      double runs[], size_t limit)
{
    static const char *const factors[] = {"freq_ghz", "threads", "file_kb", "rec_kb"};
    size_t n = 0;
    for (size_t i = 0; i < raw->rows && n < limit; i++) {
        bool same = true;
        for (size_t j = 0; j < 4 && same; j++)
            same = csv_number(raw, i, factors[j]) == csv_number(t, row, factors[j]);
        if (same)
            runs[n++] = csv_number(raw, i, "throughput_kbps");
    }
    return n;
}

/* Compares with results that others resampled from the same 40 runs: both are random. Their
   standard deviations have the divisor n. */
static void check_map_elsewhere(void)
{
    struct csv_table raw, t;
    double runs[64];
    const char *path = csv_elsewhere("../data/varsys/map_cfq_noop_fread_raw.csv");
    if (!path || !csv_open(&raw, path))
        return;
    CHECK(csv_open(&t, csv_elsewhere("models/ci_convergence.csv")));
    for (size_t row = 0; row < t.rows; row++) {
        if (strcmp(csv_text(&t, row, "source"), "measured") != 0 || csv_number(&t, row, "n") != 10)
            continue;
        struct convergence_request q = {.runs = runs,
                                        .n = runs_of(&raw, &t, row, runs, 64),
                                        .statistic = CONVERGENCE_DEVIATION,
                                        .confidence = 0.9,
                                        .resamples = 4000};
        struct convergence_step steps[31];
        CHECK_INT(q.n, 40);
        CHECK_INT(convergence_curve(steps, 10, 40, &q, NULL), 0);
        for (size_t i = row; i < row + 5; i++) {
            const struct convergence_step *s = &steps[(size_t)csv_number(&t, i, "n") - 10];
            double theirs = sqrt(1 - 1 / (double)s->runs);
            CHECK_NEAR(theirs * s->low, csv_number(&t, i, "p05_sd"), 0.015);
            CHECK_NEAR(theirs * s->high, csv_number(&t, i, "p95_sd"), 0.015);
        }
        CHECK(fabs((double)convergence_runs(steps, 31, 0.75) - csv_number(&t, row, "n75")) <= 1);
        CHECK(fabs((double)convergence_runs(steps, 31, 0.9) - csv_number(&t, row, "n90")) <= 1);
    }
    csv_close(&t);
    csv_close(&raw);
}

int main(void)
{
    check_law();
    check_curve();
    check_needed();
    check_confirm();
    check_ranks_elsewhere();
    check_map_elsewhere();
    return check_result();
}
