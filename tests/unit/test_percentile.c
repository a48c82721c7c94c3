/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percentiles: ranks and intervals compared with R, and the worth of clustered latencies. */
#include "base/random.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/percentile.h"
#include "tests/unit/check.h"

static struct histogram h;
static struct arena arena;

/* Opens the file and skips its heading. Returns NULL after a failed check. */
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

/* A lower or upper rank of 0 means that there is no such end. */
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

/* R: 1e12 p -+ 1.959964 sqrt(1e12 p (1-p)); the ends have to be exact to a thousandth of that root.
 */
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

/* The exact ends are at most a bucket away; with buckets of 1 ns they are equal. */
static void check_percentile(const struct percentile *p, double value, double low, double high)
{
    double bucket = h.max < 128 ? 0 : 1.0 / 64;
    CHECK_NEAR(p->value, value, bucket);
    CHECK_NEAR(p->low, low, bucket);
    CHECK_NEAR(p->high, high, bucket);
}

/* Every interval has its share of all values: without clusters. */
static void count_evenly(const void *source, double ns, double above[], double count[])
{
    const size_t *intervals = source;
    for (size_t i = 0; i < *intervals; i++) {
        above[i] = (double)histogram_above(&h, ns) / (double)*intervals;
        count[i] = (double)h.n / (double)*intervals;
    }
}

static struct percentile percentile_of_even(size_t intervals, double share, double confidence)
{
    struct percentile_intervals x = {&h, intervals, count_evenly, &intervals, false};
    return percentile_of_intervals(&x, share, confidence, &arena);
}

static void test_even(void)
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
        struct percentile p = percentile_of_even(10, share, confidence);
        CHECK_NEAR(p.n, (double)h.n, 0);
        CHECK_INT(p.lack == PERCENTILE_LACKS_NOTHING, strcmp(v[0], "NA") != 0);
        CHECK(p.value == histogram_quantile(&h, share));
        if (!p.lack)
            check_percentile(&p, atof(v[0]), atof(v[1]), atof(v[2]));
        else
            CHECK(isnan(p.low) && isnan(p.high) && p.more > 1 && isfinite(p.more));
    }
    if (f)
        fclose(f);
    CHECK_INT(rows, 36);
}

/* The value is reported from the first reading on, its interval from three intervals on. */
static void test_few(void)
{
    histogram_clear(&h);
    struct percentile p = percentile_of_even(10, 0.5, 0.95);
    CHECK(isnan(p.value) && p.lack == PERCENTILE_LACKS_SAMPLES && p.n == 0);
    histogram_add(&h, 77);
    p = percentile_of_even(10, 0.99, 0.95);
    CHECK(p.value == 77 && p.lack == PERCENTILE_LACKS_SAMPLES);
    CHECK_NEAR(p.more, 368, 1e-9);
    for (int i = 0; i < 10000; i++)
        histogram_add(&h, 50 + (uint64_t)i % 60);
    p = percentile_of_even(2, 0.5, 0.95);
    CHECK(p.value > 70 && p.lack == PERCENTILE_LACKS_SAMPLES && isinf(p.more));
    p = percentile_of_even(3, 0.5, 0.95);
    CHECK(!p.lack && p.low <= p.value && p.value <= p.high);
}

enum { INTERVALS = 200, PER_INTERVAL = 1000 };

static double above[INTERVALS], count[INTERVALS];

static double effective(size_t intervals)
{
    return exceedance_of(above, count, intervals, 0.95, &arena).effective_n;
}

/* Makes events of `cluster` values each, with random place and number; the share above is 5 %. */
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
    CHECK(single > 0.7 * n); /* the wider of two estimates, and Student's t, make it smaller */
    CHECK(tens > 0.06 * n && tens < 0.1 * n);
    size_t used = arena.used;
    CHECK_INT(used, 0); /* the scratch is given back */
}

/* The same counts are worth less if neighbouring intervals are alike than if shuffled. */
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
    /* A perfect period does not make the counts worth more than their variation says. */
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
    CHECK(effective(2) == 0); /* too few intervals to estimate it */
    CHECK(effective(0) == 0);
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = 0;
    CHECK(effective(INTERVALS) == n);
    above[17] = 3; /* one event of three values above p99.99 is not enough for a number */
    CHECK(effective(INTERVALS) < n / 10);
    CHECK(effective(INTERVALS) < percentile_min_n(0.9999, 0.95, true));
    above[17] = PER_INTERVAL; /* one stall of a whole interval */
    CHECK(effective(INTERVALS) < percentile_min_n(0.99, 0.95, true));
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = 50;
    CHECK(effective(INTERVALS) == n); /* more even than by chance: still not more than n */
    for (size_t i = 0; i < INTERVALS; i++)
        above[i] = count[i];
    CHECK(effective(INTERVALS) == n);
    /* The counts of the intervals vary, the share above does not. */
    for (size_t i = 0; i < INTERVALS; i++) {
        count[i] = i % 3 ? 100 : 10000;
        above[i] = count[i] / 20;
    }
    CHECK(effective(INTERVALS) > 0.99 * (67 * 10000 + 133 * 100));
}

/* The relative variation is the same at both thresholds: at a tenth of the share it is worth more
   values. */
static void test_worth_at(void)
{
    struct random r;
    random_seed(&r, 9, 0);
    scatter(&r, 10);
    struct exceedance e = exceedance_of(above, count, INTERVALS, 0.95, &arena);
    CHECK_NEAR(exceedance_worth_at(&e, e.share), e.effective_n, 1e-9);
    double excess = 1 / (exceedance_worth_at(&e, e.share)) - 1 / e.count;
    double rarer = 1 / exceedance_worth_at(&e, e.share / 10) - 1 / e.count;
    CHECK_NEAR(rarer / excess, (e.share / 10) / (1 - e.share / 10) / (e.share / (1 - e.share)),
               1e-6);
}

/* INTERVALS intervals of values, each with its own histogram. */
static struct histogram each[INTERVALS];

static void count_each(const void *source, double ns, double beyond[], double all[])
{
    (void)source;
    for (size_t i = 0; i < INTERVALS; i++) {
        beyond[i] = (double)histogram_above(&each[i], ns);
        all[i] = (double)each[i].n;
    }
}

/* Makes latencies about 100 us at the level of their interval, and 2 % of about 950 us that do not
   depend on it; `late` values of 50 ms come in every interval whose number is a multiple of
   `every`, except the first. */
static void fill(struct random *r, double (*level)(size_t i, struct random *r), int late,
                 size_t every)
{
    histogram_clear(&h);
    for (size_t i = 0; i < INTERVALS; i++) {
        histogram_clear(&each[i]);
        double of = level(i, r);
        for (int k = 0; k < PER_INTERVAL / 2; k++)
            histogram_add(&each[i],
                          k % 50 == 0 ? 900000 + random_below(r, 100000)
                                      : (uint64_t)(of * (80000 + (double)random_below(r, 40000))));
        for (int k = 0; k < late && i > 0 && i % every == 0; k++)
            histogram_add(&each[i], 50000000 + random_below(r, 1000000));
        histogram_merge(&h, &each[i]);
    }
}

static double level_one(size_t i, struct random *r)
{
    (void)i;
    (void)r;
    return 1;
}

static struct percentile percentile_of_each(double share)
{
    struct percentile_intervals x = {&h, INTERVALS, count_each, NULL, false};
    return percentile_of_intervals(&x, share, 0.95, &arena);
}

/* 100,000 values, 100 of which are beyond p99.9. */
static void test_stall(void)
{
    struct random r;
    random_seed(&r, 10, 0);
    fill(&r, level_one, 40, 101);
    struct percentile p = percentile_of_each(0.999);
    CHECK(!p.lack && p.high < 1e6 && p.left_out == 40);
    CHECK(percentile_of_each(0.99).high < 1e6 && percentile_of_each(0.99).left_out == 0);

    fill(&r, level_one, 80, 101); /* the stall is most of what is beyond the percentile */
    p = percentile_of_each(0.999);
    CHECK_INT(p.lack, PERCENTILE_LACKS_STALLS);
    CHECK(p.more > 1 && p.value < 1e6);
    CHECK(!percentile_of_each(0.99).lack);

    fill(&r, level_one, 10, 10); /* 19 stalls tell how often they occur */
    p = percentile_of_each(0.999);
    CHECK(!p.lack && p.high > 40e6 && p.left_out == 0);
}

static double level_slow(size_t i, struct random *r)
{
    (void)r;
    return 1 + 0.2 * sin((double)i / 40);
}

/* Only five periods in all: the tail is not more certain than that. */
static void test_wandering(void)
{
    struct random r;
    random_seed(&r, 11, 0);
    fill(&r, level_slow, 0, 1);
    CHECK(!percentile_of_each(0.5).lack);
    CHECK(!percentile_of_each(0.99).lack);
    struct percentile p = percentile_of_each(0.999);
    CHECK_INT(p.lack, PERCENTILE_LACKS_STRETCHES);
    CHECK(p.more > 1 && p.value > 900000 && isnan(p.low) && isnan(p.high));
}

/* Single values: the ranks themselves. */
static double single[1000], ones[1000];

static void count_single(const void *source, size_t cell, double beyond[], double all[])
{
    (void)source;
    for (size_t i = 0; i < 10; i++) {
        beyond[i] = (double)(999 - cell) / 10;
        all[i] = 100;
    }
}

static void test_cells(void)
{
    for (size_t i = 0; i < 1000; i++) {
        single[i] = -500 + (double)i / 2;
        ones[i] = 1;
    }
    struct percentile_cells x = {1000, single, single, ones, 10, count_single, NULL, false};
    const double shares[] = {0.05, 0.5, 0.9, 0.99};
    for (size_t i = 0; i < 4; i++) {
        double l, u;
        CHECK(percentile_ranks(1000, shares[i], 0.95, &l, &u));
        struct percentile p = percentile_of_cells(&x, shares[i], 0.95, &arena);
        CHECK(!p.lack && p.low == single[(size_t)l - 1] && p.high == single[(size_t)u - 1]);
        CHECK(p.value == single[(size_t)ceil(1000 * shares[i] - 1e-9) - 1]);
    }
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
    test_even();
    test_few();
    test_effective_n();
    test_neighbours();
    test_effective_n_edges();
    test_worth_at();
    test_stall();
    test_wandering();
    test_cells();
    arena_free(&arena);
    return check_result();
}
