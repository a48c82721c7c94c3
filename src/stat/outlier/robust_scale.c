/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Qn: the distance that a quarter of all pairs is within. */
#include <math.h>

#include "stat/outlier/odd_ones.h"

static double without(const double sorted[], size_t self, size_t i)
{
    return sorted[i + (i >= self)];
}

/* Pairs that are at most `distance` apart. */
static size_t count_pairs(const double sorted[], size_t m, size_t self, double distance)
{
    size_t pairs = 0, first = 0;
    for (size_t i = 1; i < m; i++) {
        while (without(sorted, self, i) - without(sorted, self, first) > distance)
            first++;
        pairs += i - first;
    }
    return pairs;
}

/* Croux and Rousseeuw, 1992: what makes it right on average for normal values. */
static double correction(size_t m)
{
    static const double few[] = {0,       0,       0.39936, 0.99365, 0.51321, 0.84401, 0.61220,
                                 0.85877, 0.66993, 0.87344, 0.72014, 0.88906, 0.75743};
    const double consistent = 2.21914, n = (double)m;
    if (m < sizeof few / sizeof *few)
        return consistent * few[m];
    double less = m % 2 ? (1.60188 + (-2.1284 - 5.172 / n) / n) / n
                        : (3.67561 + (1.9654 + (6.987 - 77 / n) / n) / n) / n;
    return consistent / (1 + less);
}

double robust_scale_of(const double sorted[], size_t n, size_t self)
{
    const int halvings = 40;
    size_t m = n - (self < n), half = m / 2 + 1, wanted = half * (half - 1) / 2;
    if (m < 2)
        return (double)NAN;
    double low = 0, high = without(sorted, self, m - 1) - without(sorted, self, 0);
    for (int i = 0; i < halvings; i++) {
        double middle = low + (high - low) / 2;
        if (count_pairs(sorted, m, self, middle) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return correction(m) * high;
}
