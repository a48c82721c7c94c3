/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes distances between distributions, the dispersion of counts and the correlation of
   series. */
#include "stat/basic/distance.h"

#include <math.h>
#include <stdlib.h>

#include "stat/basic/descriptive.h"

static double middle(size_t bucket)
{
    return bucket < HISTOGRAM_BUCKETS ? (histogram_edge(bucket) + histogram_edge(bucket + 1)) / 2
                                      : histogram_edge(HISTOGRAM_BUCKETS);
}

static uint64_t count_of(const struct histogram *h, size_t bucket)
{
    return bucket < HISTOGRAM_BUCKETS ? h->count[bucket] : h->over;
}

struct gap {
    double max; /* largest difference of the two distribution functions */
    /* area between the two functions, with each value counted as the middle of its bucket */
    double area;
};

static struct gap gap_of(const struct histogram *a, const struct histogram *b)
{
    struct gap gap = {NAN, NAN};
    if (a->n == 0 || b->n == 0)
        return gap;
    gap = (struct gap){0, 0};
    /* the difference of the two functions since `before`, the last bucket that holds values of a or
       b */
    double difference = 0, before = 0;
    uint64_t below_a = 0, below_b = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        uint64_t in_a = count_of(a, i), in_b = count_of(b, i);
        if (in_a == 0 && in_b == 0)
            continue;
        double here = middle(i);
        if (difference > 0)
            gap.area += difference * (here - before);
        before = here;
        below_a += in_a;
        below_b += in_b;
        difference = fabs((double)below_a / (double)a->n - (double)below_b / (double)b->n);
        gap.max = fmax(gap.max, difference);
    }
    return gap;
}

double distance_ks(const struct histogram *a, const struct histogram *b)
{
    return gap_of(a, b).max;
}

double distance_earth_mover(const struct histogram *a, const struct histogram *b)
{
    return gap_of(a, b).area;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double distance_ks_of(double x[], size_t nx, double y[], size_t ny)
{
    if (nx == 0 || ny == 0)
        return NAN;
    qsort(x, nx, sizeof *x, ascending);
    qsort(y, ny, sizeof *y, ascending);
    double largest = 0;
    for (size_t i = 0, j = 0; i < nx || j < ny;) {
        double here = j == ny || (i < nx && x[i] < y[j]) ? x[i] : y[j];
        while (i < nx && x[i] <= here)
            i++;
        while (j < ny && y[j] <= here)
            j++;
        largest = fmax(largest, fabs((double)i / (double)nx - (double)j / (double)ny));
    }
    return largest;
}

double dispersion_of(const double counts[], size_t n)
{
    double mean = mean_of(counts, n);
    return mean > 0 ? variance_of(counts, n, mean) / mean : NAN;
}

double correlation_of(const double x[], const double y[], size_t n)
{
    double mean_x = mean_of(x, n), mean_y = mean_of(y, n);
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return n > 1 && xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : NAN;
}
