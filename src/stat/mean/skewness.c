/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Third moments of sums of neighbouring readings. */
#include "stat/mean/skewness.h"

#include <math.h>

static double third_moment_of_sums(const double x[], size_t n, double centre, size_t size)
{
    double cubes = 0;
    size_t count = n / size;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < size; k++)
            sum += x[i * size + k] - centre;
        cubes += sum * sum * sum;
    }
    return cubes / (double)(count * size);
}

double skewness_third_moment(const double x[], size_t n, double centre, size_t most)
{
    double largest = 0;
    for (size_t size = 1; size <= most; size *= 2) {
        double third = third_moment_of_sums(x, n, centre, size);
        if (fabs(third) > fabs(largest))
            largest = third;
    }
    return largest;
}
