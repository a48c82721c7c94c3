/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms: the bucket formula at every edge, merging, ranks, and a real fio log. */
#include "base/random.h"
#include "stat/basic/histogram.h"
#include "tests/unit/check.h"

static struct histogram h, other;

/* fio's rule as its documentation states it, with divisions instead of shifts. */
static size_t fio_bucket(uint64_t v)
{
    unsigned octave = 0;
    for (uint64_t rest = v; rest >= 2; rest /= 2)
        octave++;
    if (octave <= 6)
        return (size_t)v;
    unsigned error_bits = octave - 6;
    uint64_t width = 1;
    for (unsigned i = 0; i < error_bits; i++)
        width *= 2;
    return (size_t)((error_bits + 1) * 64 + v / width % 64);
}

static void check_bucket(uint64_t v)
{
    size_t bucket = histogram_bucket(v), fio = fio_bucket(v);
    CHECK_INT(bucket, fio < HISTOGRAM_BUCKETS ? fio : HISTOGRAM_BUCKETS);
    if (bucket == HISTOGRAM_BUCKETS) {
        CHECK((double)v >= histogram_edge(HISTOGRAM_BUCKETS));
        return;
    }
    double low = histogram_edge(bucket), high = histogram_edge(bucket + 1);
    CHECK((double)v >= low && (double)v < high);
    if (v >= 64)
        CHECK(high - low <= (double)v / 64);
    CHECK(fabs((low + high - 1) / 2 - (double)v) <= (double)v / 128);
}

static void test_buckets(void)
{
    for (uint64_t v = 0; v < 1u << 18; v++)
        check_bucket(v);
    for (unsigned octave = 6; octave < 64; octave++)
        for (uint64_t sub = 0; sub < 64; sub++) {
            uint64_t edge = (1ull << octave) + (sub << (octave - 6));
            check_bucket(edge - 1);
            check_bucket(edge);
            check_bucket(edge + 1);
        }
    check_bucket(UINT64_MAX);
    CHECK_INT(HISTOGRAM_BUCKETS, 37 * 64);
    CHECK(histogram_edge(HISTOGRAM_BUCKETS) == 0x1p42);
    CHECK_INT(histogram_bucket((1ull << 42) - 1), HISTOGRAM_BUCKETS - 1);
    CHECK_INT(histogram_bucket(1ull << 42), HISTOGRAM_BUCKETS);
    /* fio's last bucket begins here; its middle is reported for all longer latencies. */
    CHECK(histogram_edge(1855) == 17045651456.0);
    CHECK((histogram_edge(1855) + histogram_edge(1856)) / 2 == 17112760320.0);
}

static void test_small(void)
{
    histogram_clear(&h);
    CHECK(isnan(histogram_quantile(&h, 0.5)) && isnan(histogram_rank(&h, 1)));
    CHECK_INT(histogram_above(&h, 0), 0);
    for (uint64_t v = 1; v <= 100; v++)
        histogram_add(&h, v);
    CHECK_INT(h.n, 100);
    CHECK_INT(h.sum, 5050);
    /* Buckets of 1 ns are exact, and 0.07 * 100 = 7.000000000000001 must give rank 7. */
    for (int p = 1; p <= 100; p++)
        CHECK(histogram_quantile(&h, p / 100.0) == p);
    CHECK(histogram_quantile(&h, 0) == 1 && histogram_quantile(&h, 0.991) == 100);
    CHECK(histogram_rank(&h, 0) == 1 && histogram_rank(&h, 1000) == 100);
    CHECK_INT(histogram_above(&h, 0), 100);
    CHECK_INT(histogram_above(&h, -1), 100);
    CHECK_INT(histogram_above(&h, 60), 40);
    CHECK_INT(histogram_above(&h, 60.7), 40);
    CHECK_INT(histogram_above(&h, 100), 0);
    CHECK_INT(histogram_above(&h, 1e30), 0);
    CHECK_INT(histogram_nearest_rank(1000, 0.999), 999);
    CHECK_INT(histogram_nearest_rank(1000000000000, 0.999), 999000000000);
    CHECK_INT(histogram_nearest_rank(5, 0.5), 3);
}

/* One bucket, [65536, 66560): linear interpolation, never outside of min and max. */
static void test_inside_bucket(void)
{
    histogram_clear(&h);
    for (uint64_t v = 65536; v < 66560; v += 4)
        histogram_add(&h, v);
    CHECK_INT(h.count[histogram_bucket(65536)], 256);
    for (uint64_t rank = 1; rank <= 256; rank++)
        CHECK_NEAR(histogram_rank(&h, rank), 65536.0 + 4 * (double)(rank - 1), 4.0 / 65536);
    histogram_clear(&h);
    histogram_add(&h, 66000);
    histogram_add(&h, 66000);
    histogram_add(&h, 66000);
    CHECK(histogram_rank(&h, 2) == 66000);
    histogram_add(&h, 10);
    histogram_add(&h, 1000000);
    CHECK(histogram_rank(&h, 3) >= 65536 && histogram_rank(&h, 3) <= 66559);
    CHECK(histogram_rank(&h, 1) == 10 && histogram_rank(&h, 5) == 1000000);
}

static void test_over(void)
{
    const uint64_t end = 1ull << 42;
    histogram_clear(&h);
    for (int i = 0; i < 97; i++)
        histogram_add(&h, 1000);
    histogram_add(&h, end + 5);
    histogram_add(&h, 2 * end);
    histogram_add(&h, 3 * end);
    CHECK_INT(h.over, 3);
    CHECK_INT(histogram_above(&h, 1000), 3);
    CHECK(histogram_quantile(&h, 1) == 3.0 * (double)end);
    CHECK(histogram_quantile(&h, 0.97) < 1016);
    CHECK_NEAR(histogram_quantile(&h, 0.99), 2.0 * (double)end, 1e-9);
    CHECK(histogram_rank(&h, 98) >= (double)end && histogram_rank(&h, 98) <= 3.0 * (double)end);
    histogram_clear(&h); /* all of them over */
    histogram_add(&h, 5 * end);
    histogram_add(&h, 6 * end);
    histogram_add(&h, 7 * end);
    CHECK(histogram_rank(&h, 2) >= 5.0 * (double)end && histogram_rank(&h, 2) <= 7.0 * (double)end);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Returns a latency of any magnitude: 1 ns to 2^43 ns, log-uniform. */
static uint64_t random_latency(struct random *r)
{
    return (uint64_t)exp2(43 * random_unit(r));
}

/* Every rank is in the bucket of the exact value: an error of less than 1/64. */
static void check_ranks(uint64_t x[], size_t n)
{
    qsort(x, n, sizeof *x, by_value);
    for (size_t i = 0; i < n; i++) {
        double exact = (double)x[i], got = histogram_rank(&h, i + 1);
        CHECK_INT(histogram_bucket((uint64_t)got), histogram_bucket(x[i]));
        CHECK((double)h.min <= got && got <= (double)h.max);
        if (exact < 0x1p42)
            CHECK(fabs(got - exact) <= exact / 64);
        size_t above = 0;
        while (above < n && histogram_bucket(x[n - 1 - above]) > histogram_bucket(x[i]))
            above++;
        if (exact < 0x1p42)
            CHECK_INT(histogram_above(&h, exact), above);
    }
}

static void test_random(void)
{
    struct random r;
    random_seed(&r, 3, 1);
    enum { N = 300 };
    uint64_t x[N];
    for (int run = 0; run < 100; run++) {
        histogram_clear(&h);
        histogram_clear(&other);
        for (size_t i = 0; i < N; i++) {
            x[i] = random_latency(&r);
            histogram_add(i % 3 ? &h : &other, x[i]);
        }
        histogram_merge(&h, &other);
        CHECK_INT(h.n, N);
        check_ranks(x, N);
        CHECK(h.min == x[0] && h.max == x[N - 1]);
    }
}

/* Merging adds: the parts in either order give the whole, and an empty one changes nothing. */
static void test_merge(void)
{
    static struct histogram whole, empty, backwards;
    struct random r;
    random_seed(&r, 4, 1);
    histogram_clear(&h);
    histogram_clear(&other);
    histogram_clear(&whole);
    histogram_clear(&empty);
    for (int i = 0; i < 10000; i++) {
        uint64_t v = random_latency(&r);
        histogram_add(&whole, v);
        histogram_add(i % 3 ? &h : &other, v);
    }
    histogram_clear(&backwards);
    histogram_merge(&backwards, &other);
    histogram_merge(&backwards, &h);
    histogram_merge(&h, &other);
    histogram_merge(&h, &empty);
    CHECK(memcmp(&h, &whole, sizeof h) == 0);
    CHECK(memcmp(&backwards, &whole, sizeof h) == 0);
    histogram_merge(&empty, &whole);
    CHECK(memcmp(&empty, &whole, sizeof h) == 0);
}

/* Exact percentiles (nearest rank) of the reads of fio_hist/h1_clat.1.log.gz: expected.json. */
static const struct {
    double percent;
    double read, write;
} fio_exact[] = {
    {1, 45677, 37937},         {5, 48372, 42543},       {10, 49533, 45037},
    {25, 53339, 49042},        {50, 59578, 55272},      {75, 63705, 59559},
    {90, 71266, 66899},        {95, 78727, 72587},      {99, 100339, 94640},
    {99.5, 112667, 108365},    {99.9, 179286, 135701},  {99.95, 570531, 167182},
    {99.99, 1098618, 1144677}, {100, 2703446, 1144677},
};

static void read_log(FILE *log)
{
    char line[200];
    histogram_clear(&h);
    histogram_clear(&other);
    while (fgets(line, sizeof line, log)) {
        unsigned long long ns;
        unsigned write;
        if (sscanf(line, "%*u, %llu, %u", &ns, &write) == 2)
            histogram_add(write ? &other : &h, ns);
    }
}

static void test_fio_log(void)
{
    const char *cases = getenv("CUPEL_CASES");
    char command[600];
    if (!cases) {
        check_part_skipped("fio's latency log: CUPEL_CASES is not set");
        return;
    }
    snprintf(command, sizeof command, "zcat '%s/fio_hist/h1_clat.1.log.gz'", cases);
    FILE *log = popen(command, "r");
    CHECK(log != NULL);
    if (!log)
        return;
    read_log(log);
    CHECK_INT(pclose(log), 0);
    CHECK_INT(h.n, 21000);
    CHECK_INT(other.n, 9000);
    CHECK(h.min == 40249 && other.min == 33870);
    CHECK_NEAR((double)h.sum / (double)h.n, 61034.362714285715, 1e-12);
    CHECK_NEAR((double)other.sum / (double)other.n, 56025.55, 1e-12);
    for (size_t i = 0; i < sizeof fio_exact / sizeof *fio_exact; i++) {
        double share = fio_exact[i].percent / 100;
        CHECK_NEAR(histogram_quantile(&h, share), fio_exact[i].read, 1.0 / 64);
        CHECK_NEAR(histogram_quantile(&other, share), fio_exact[i].write, 1.0 / 64);
        CHECK_INT(histogram_bucket((uint64_t)histogram_quantile(&h, share)),
                  histogram_bucket((uint64_t)fio_exact[i].read));
    }
}

int main(void)
{
    test_buckets();
    test_small();
    test_inside_bucket();
    test_over();
    test_random();
    test_merge();
    test_fio_log();
    return check_result();
}
