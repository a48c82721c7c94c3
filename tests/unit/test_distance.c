/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances between distributions: by hand, compared with R, and histograms compared with exact
   samples. */
#include "base/random.h"
#include "stat/basic/distance.h"
#include "tests/unit/check.h"

#define READINGS 4096

static struct histogram a, b;
static double x[READINGS], y[READINGS];

static size_t read_series(const char *name, double to[READINGS])
{
    char path[128];
    size_t n = 0;
    snprintf(path, sizeof path, "tests/golden/%s.txt", name);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    while (f && n < READINGS && fscanf(f, "%lf", &to[n]) == 1)
        n++;
    if (f)
        fclose(f);
    return n;
}

static void test_against_r(void)
{
    char line[256], first[64], second[64], quantity[32];
    double expected, value = NAN;
    int rows = 0;
    FILE *f = fopen("tests/golden/distance_expected.tsv", "r");
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%63s %63s %31s %lf", first, second, quantity, &expected) != 4)
            continue;
        size_t nx = read_series(first, x), ny = read_series(second, y);
        if (!strcmp(quantity, "ks"))
            value = distance_ks_of(x, nx, y, ny);
        else if (!strcmp(quantity, "correlation"))
            value = correlation_of(x, y, nx < ny ? nx : ny);
        else if (!strcmp(quantity, "dispersion"))
            value = dispersion_of(x, nx);
        CHECK_NEAR(value, expected, 1e-12);
        rows++;
    }
    if (f)
        fclose(f);
    CHECK_INT(rows, 9);
}

static void test_samples_by_hand(void)
{
    CHECK_NEAR(distance_ks_of((double[]){3, 0, 1}, 3, (double[]){5, 6, 8}, 3), 1, 1e-15);
    /* Half of the mass moves from 0 to 4. */
    CHECK_NEAR(distance_ks_of((double[]){0, 0}, 2, (double[]){4, 0, 0, 4}, 4), 0.5, 1e-15);
    CHECK(isnan(distance_ks_of(x, 0, y, 1)));
    CHECK(isnan(distance_ks_of(x, 1, y, 0)));
}

static void fill(struct histogram *h, const uint64_t values[], size_t n)
{
    histogram_clear(h);
    for (size_t i = 0; i < n; i++)
        histogram_add(h, values[i]);
}

static void test_histograms_by_hand(void)
{
    fill(&a, (uint64_t[]){0, 1, 3}, 3);
    fill(&b, (uint64_t[]){5, 6, 8, 5, 6, 8}, 6);
    CHECK_NEAR(distance_ks(&a, &b), 1, 1e-15);
    CHECK_NEAR(distance_earth_mover(&a, &b), 5, 1e-15);
    CHECK_NEAR(distance_earth_mover(&b, &a), 5, 1e-15);
    CHECK_NEAR(distance_earth_mover(&a, &a), 0, 1e-15);

    /* Twice as slow at every quantile: the middles of buckets in both octaves correspond. */
    fill(&a, (uint64_t[]){10000, 20000, 400000}, 3);
    fill(&b, (uint64_t[]){20000, 40000, 800000}, 3);
    CHECK_NEAR(distance_earth_mover(&a, &b), 430000.0 / 3, 1.0 / 64);
    CHECK_NEAR(distance_ks(&a, &b), 1.0 / 3, 1e-12);

    /* Values beyond the range are distinguished from those in it, but not from each other. */
    fill(&a, (uint64_t[]){1000, UINT64_MAX}, 2);
    fill(&b, (uint64_t[]){1000, UINT64_MAX / 2}, 2);
    CHECK_INT(a.over, 1);
    CHECK_NEAR(distance_ks(&a, &b), 0, 1e-15);
    fill(&b, (uint64_t[]){1000, 1000}, 2);
    CHECK_NEAR(distance_ks(&a, &b), 0.5, 1e-15);
    CHECK_NEAR(distance_earth_mover(&a, &b), 0x1p42 / 2, 1e-3);

    histogram_clear(&b);
    CHECK(isnan(distance_ks(&a, &b)));
    CHECK(isnan(distance_earth_mover(&a, &b)));
}

/* Histograms of samples over four decades, within the bounds stated in the header. */
static void test_histograms_against_samples(void)
{
    struct random random;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_seed(&random, seed, 0);
        histogram_clear(&a);
        histogram_clear(&b);
        double sum = 0;
        for (size_t i = 0; i < READINGS; i++) {
            x[i] = floor(1000 * exp(9 * random_unit(&random)));
            y[i] = floor((800 + 40 * (double)seed) * exp(9 * random_unit(&random)));
            histogram_add(&a, (uint64_t)x[i]);
            histogram_add(&b, (uint64_t)y[i]);
            sum += x[i] + y[i];
        }
        double largest = 0;
        for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
            largest = fmax(largest, fmax((double)a.count[i], (double)b.count[i]) / READINGS);
        double ks = distance_ks_of(x, READINGS, y, READINGS);
        CHECK(distance_ks(&a, &b) <= ks + 1e-12);
        CHECK(distance_ks(&a, &b) >= ks - largest);
        double area = 0; /* both are sorted and equally long */
        for (size_t i = 0; i < READINGS; i++)
            area += fabs(x[i] - y[i]) / READINGS;
        CHECK(fabs(distance_earth_mover(&a, &b) - area) <= sum / READINGS / 128);
    }
}

static void test_series(void)
{
    const double constant[] = {5, 5, 5, 5}, bursts[] = {0, 20, 0, 0}, line[] = {1, 2, 3, 4},
                 falling[] = {8, 6, 4, 2}, zeros[] = {0, 0, 0};
    CHECK_NEAR(dispersion_of(constant, 4), 0, 1e-15);
    CHECK_NEAR(dispersion_of(bursts, 4), 20, 1e-12); /* variance 100 over mean 5 */
    CHECK(isnan(dispersion_of(zeros, 3)));
    CHECK(isnan(dispersion_of(bursts, 1)));
    CHECK_NEAR(correlation_of(line, line, 4), 1, 1e-12);
    CHECK_NEAR(correlation_of(line, falling, 4), -1, 1e-12);
    CHECK(isnan(correlation_of(line, constant, 4)));
    CHECK(isnan(correlation_of(line, line, 1)));
    CHECK(isnan(correlation_of(line, line, 0)));
}

int main(void)
{
    test_against_r();
    test_samples_by_hand();
    test_histograms_by_hand();
    test_histograms_against_samples();
    test_series();
    return check_result();
}
