/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percentiles: ranks and intervals against R, and what clustered latencies are worth. */
#include "base/random.h"
#include "stat/estimate/percentile.h"
#include "tests/unit/check.h"

static struct histogram h;
static struct arena arena;

/* The file without its heading; NULL is a failed check. */
static FILE *open_table(const char *folder, const char *name)
{
    char path[600], heading[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    if (f && !fgets(heading, sizeof heading, f))
        CHECK(!"the table has a heading");
    return f;
}

/* A lower or upper rank of 0: that end does not exist. */
static void check_ranks(double n, double share, double confidence, double lower, double upper)
{
    double l, u;
    bool exists = percentile_ranks(n, share, confidence, &l, &u);
    CHECK_INT(exists, lower > 0 && upper > 0);
    if (exists) {
        CHECK_NEAR(l, lower, 0);
        CHECK_NEAR(u, upper, 0);
    }
}

static void test_ranks(void)
{
    FILE *f = open_table("tests/golden", "percentile_ranks.tsv");
    double n, share, confidence, lower, upper;
    int rows = 0;
    for (; f && fscanf(f, "%lf %lf %lf %lf %lf", &n, &share, &confidence, &lower, &upper) == 5;
         rows++) {
        check_ranks(n, share, confidence, lower, upper);
        check_ranks(n + 0.75, share, confidence, lower, upper);
    }
    CHECK_INT(rows, 336);
    if (f)
        fclose(f);
    double l, u;
    CHECK(!percentile_ranks(0, 0.5, 0.95, &l, &u));
    CHECK(!percentile_ranks(-1, 0.5, 0.95, &l, &u));
    CHECK(!percentile_ranks(NAN, 0.5, 0.95, &l, &u));
}

/* R: 1e12 p -+ 1.959964 sqrt(1e12 p (1-p)); the ends need be right to a thousandth of that root. */
static void test_ranks_of_many(void)
{
    const double shares[] = {0.5, 0.9, 0.99, 0.9999};
    for (size_t i = 0; i < 4; i++) {
        double l, u, n = 1e12, sd = sqrt(n * shares[i] * (1 - shares[i]));
        CHECK(percentile_ranks(n, shares[i], 0.95, &l, &u));
        CHECK(fabs(l - (n * shares[i] - 1.959963984540054 * sd)) < 1e-3 * sd);
        CHECK(fabs(u - (n * shares[i] + 1.959963984540054 * sd)) < 1e-3 * sd);
    }
}

static void test_min_n(void)
{
    const double shares[] = {0.95, 0.99, 0.999}, two_sided[] = {72, 368, 3688};
    for (size_t i = 0; i < 3; i++) {
        double l, u;
        CHECK_NEAR(percentile_min_n(shares[i], 0.95, true), two_sided[i], 0);
        CHECK(percentile_ranks(two_sided[i], shares[i], 0.95, &l, &u));
        CHECK(!percentile_ranks(two_sided[i] - 1, shares[i], 0.95, &l, &u));
    }
    CHECK_NEAR(percentile_min_n(0.05, 0.95, true), 72, 0); /* the lower end decides */
    CHECK_NEAR(percentile_min_n(0.5, 0.75, true), 3, 0);   /* (1/2)^3 = 0.125 exactly */
    CHECK_NEAR(percentile_min_n(0.5, 0.875, false), 3, 0);
    CHECK(percentile_min_n(0.99999, 0.95, true) > 368000);
}

static void test_shared_cases(void)
{
    const char *cases = getenv("CUPEL_CASES");
    char folder[500];
    if (!cases) {
        check_part_skipped("order statistics of the shared cases: CUPEL_CASES is not set");
        return;
    }
    snprintf(folder, sizeof folder, "%s/models", cases);
    double confidence, share, n, lower, upper;
    int rows = 0;
    FILE *f = open_table(folder, "orderstat_ci.csv");
    for (; f && fscanf(f, "%lf,%lf,%lf,%lf,%lf,%*f", &confidence, &share, &n, &lower, &upper) == 5;
         rows++)
        check_ranks(n, share, confidence, lower, upper);
    if (f)
        fclose(f);
    CHECK_INT(rows, 240);
    f = open_table(folder, "orderstat_min_n.csv");
    for (; f && fscanf(f, "%lf,%lf,%lf,%lf", &confidence, &share, &lower, &upper) == 4; rows++) {
        CHECK_NEAR(percentile_min_n(share, confidence, false), lower, 0);
        CHECK_NEAR(percentile_min_n(share, confidence, true), upper, 0);
    }
    if (f)
        fclose(f);
    CHECK_INT(rows, 255);
}

static void read_series(const char *wanted)
{
    char name[20];
    unsigned long long ns;
    FILE *f = open_table("tests/golden", "percentile_series.tsv");
    histogram_clear(&h);
    while (f && fscanf(f, "%19s %llu", name, &ns) == 2)
        if (strcmp(name, wanted) == 0)
            histogram_add(&h, ns);
    if (f)
        fclose(f);
}

/* The exact ends lie in the interval, at most a bucket inside; in buckets of 1 ns they are equal.
 */
static void check_percentile(const struct percentile *p, double value, double low, double high)
{
    double bucket = h.max < 128 ? 0 : 1.0 / 64;
    CHECK_NEAR(p->value, value, bucket);
    CHECK(p->low <= low && p->high >= high);
    CHECK_NEAR(p->low, low, bucket);
    CHECK_NEAR(p->high, high, bucket);
}

static void test_percentile_of(void)
{
    char name[20], before[20] = "", v[3][30];
    double share, confidence;
    int rows = 0;
    FILE *f = open_table("tests/golden", "percentile_expected.tsv");
    for (; f && fscanf(f, "%19s %lf %lf %29s %29s %29s", name, &share, &confidence, v[0], v[1],
                       v[2]) == 6;
         rows++) {
        if (strcmp(name, before) != 0)
            read_series(strcpy(before, name));
        struct percentile p = percentile_of(&h, share, confidence, (double)h.n);
        CHECK_INT(p.n, h.n);
        CHECK_INT(p.enough, strcmp(v[0], "NA") != 0);
        if (p.enough)
            check_percentile(&p, atof(v[0]), atof(v[1]), atof(v[2]));
        else
            CHECK(isnan(p.value) && isnan(p.low) && isnan(p.high));
    }
    if (f)
        fclose(f);
    CHECK_INT(rows, 36);
}

/* 100 blocks of 10 equal values: with 100 independent samples the interval is that of 100 values.
 */
static void test_blocks(void)
{
    histogram_clear(&h);
    for (uint64_t v = 1; v <= 100; v++)
        for (int copy = 0; copy < 10; copy++)
            histogram_add(&h, v);
    const double shares[] = {0.1, 0.5, 0.9, 0.95};
    for (size_t i = 0; i < 4; i++) {
        double l, u;
        CHECK(percentile_ranks(100, shares[i], 0.95, &l, &u));
        struct percentile p = percentile_of(&h, shares[i], 0.95, 100.9);
        CHECK(p.enough && p.low == l && p.high == u);
        CHECK_NEAR(p.effective_n, 100.9, 0);
    }
    CHECK(percentile_of(&h, 0.5, 0.95, 1e9).effective_n == 1000);
    CHECK(!percentile_of(&h, 0.95, 0.95, 71.9).enough);
    CHECK(!percentile_of(&h, 0.95, 0.95, 0).enough);
    histogram_clear(&h);
    CHECK(!percentile_of(&h, 0.5, 0.95, 100).enough);
}

static void test_threshold(void)
{
    histogram_clear(&h);
    CHECK(isnan(percentile_threshold(&h, 0.5)));
    for (uint64_t v = 1; v <= 100; v++)
        histogram_add(&h, v);
    for (int p = 1; p < 100; p++)
        CHECK_INT(histogram_above(&h, percentile_threshold(&h, p / 100.0)), 100 - p);
    /* 60 % in one bucket, 1 % above it: p50 is nearer to the bucket's lower edge, p99 to the upper.
     */
    histogram_clear(&h);
    for (int i = 0; i < 100; i++)
        histogram_add(&h, i < 39 ? 1000 : i < 99 ? 100000 : 1000000);
    CHECK_INT(histogram_above(&h, percentile_threshold(&h, 0.5)), 61);
    CHECK_INT(histogram_above(&h, percentile_threshold(&h, 0.98)), 1);
    CHECK_INT(histogram_above(&h, percentile_threshold(&h, 0.9999)), 1);
    CHECK_INT(histogram_above(&h, percentile_threshold(&h, 0.01)), 61);
    for (int i = 0; i < 5; i++)
        histogram_add(&h, 1ull << 50);
    CHECK_INT(histogram_above(&h, percentile_threshold(&h, 0.99)), 5);
    histogram_clear(&h); /* one bucket holds all */
    histogram_add(&h, 0);
    histogram_add(&h, 0);
    CHECK_INT(histogram_above(&h, percentile_threshold(&h, 0.5)), 0);
}

enum { INTERVALS = 200, PER_INTERVAL = 1000 };

static double above[INTERVALS], count[INTERVALS];

static double effective(size_t intervals)
{
    return percentile_effective_n(above, count, intervals, 0.95, &arena);
}

/* Events of `cluster` values each, whose place and number are random; the share above is 5 %. */
static void scatter(struct random *r, int cluster)
{
    for (size_t i = 0; i < INTERVALS; i++) {
        above[i] = 0;
        count[i] = PER_INTERVAL;
    }
    for (int event = 0; event < INTERVALS * PER_INTERVAL / 20 / cluster; event++)
        above[random_below(r, INTERVALS)] += cluster;
}

static void test_effective_n(void)
{
    const double n = INTERVALS * PER_INTERVAL;
    struct random r;
    random_seed(&r, 6, 0);
    double single = 0, tens = 0;
    for (int run = 0; run < 50; run++) {
        scatter(&r, 1);
        single += effective(INTERVALS) / 50;
        CHECK(effective(INTERVALS) <= n);
        scatter(&r, 10);
        tens += effective(INTERVALS) / 50;
    }
    CHECK(single > 0.7 * n); /* the wider of two estimates, and Student's t, cost some */
    CHECK(tens > 0.06 * n && tens < 0.1 * n);
    size_t used = arena.used;
    CHECK_INT(used, 0); /* the scratch is given back */
}

/* The same counts are worth less when neighbouring intervals are alike than when shuffled. */
static void test_neighbours(void)
{
    const double n = INTERVALS * PER_INTERVAL;
    struct random r;
    random_seed(&r, 7, 0);
    for (size_t i = 0; i < INTERVALS; i++) {
        bool same = i > 0 && random_below(&r, 10) > 0;
        above[i] = same ? above[i - 1] : 30 + (double)random_below(&r, 41);
        count[i] = PER_INTERVAL;
    }
    double ordered = effective(INTERVALS);
    for (size_t i = INTERVALS - 1; i > 0; i--) {
        size_t other = (size_t)random_below(&r, i + 1);
        double swap = above[i];
        above[i] = above[other];
        above[other] = swap;
    }
    double shuffled = effective(INTERVALS);
    CHECK(ordered < shuffled / 4);
    CHECK(shuffled > 0.2 * n && shuffled < 0.6 * n);
    /* A perfect period does not make the counts worth more than their spread says. */
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = i / 10 % 2 ? 70 : 30;
    CHECK(effective(INTERVALS) < 0.12 * n);
}

static void test_effective_n_edges(void)
{
    const double n = INTERVALS * PER_INTERVAL;
    struct random r;
    random_seed(&r, 8, 0);
    scatter(&r, 1);
    CHECK(effective(2) == 0); /* too few intervals to tell */
    CHECK(effective(0) == 0);
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = 0;
    CHECK(effective(INTERVALS) == n);
    above[17] = 3; /* one event of three values above p99.99: not enough, and no number */
    CHECK(effective(INTERVALS) < n / 10);
    CHECK(effective(INTERVALS) < percentile_min_n(0.9999, 0.95, true));
    above[17] = PER_INTERVAL; /* one stall of a whole interval */
    CHECK(effective(INTERVALS) < percentile_min_n(0.99, 0.95, true));
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = 50;
    CHECK(effective(INTERVALS) == n); /* more even than chance: still not more than n */
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = count[i];
    CHECK(effective(INTERVALS) == n);
    /* The counts of the intervals differ, the share above does not. */
    for (size_t i = 0; i < INTERVALS; i++) {
        count[i] = i % 3 ? 100 : 10000;
        above[i] = count[i] / 20;
    }
    CHECK(effective(INTERVALS) > 0.99 * (67 * 10000 + 133 * 100));
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, percentile_scratch_bytes(INTERVALS), &e) != 0) {
        puts(e.msg);
        return CHECK_SKIPPED;
    }
    test_ranks();
    test_ranks_of_many();
    test_min_n();
    test_shared_cases();
    test_percentile_of();
    test_blocks();
    test_threshold();
    test_effective_n();
    test_neighbours();
    test_effective_n_edges();
    arena_free(&arena);
    return check_result();
}
