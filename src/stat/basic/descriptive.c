/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes means, spread, autocorrelation, and quantiles by selection. */
#include "stat/basic/descriptive.h"

#include <math.h>
#include <stdint.h>

/* Squares of a million readings between these limits neither overflow nor underflow. */
#define SMALLEST_SAFE 1e-100
#define LARGEST_SAFE  1e100

double safe_scale_of(const double x[], size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0) || (largest >= SMALLEST_SAFE && largest <= LARGEST_SAFE))
        return 1;
    int exponent;
    frexp(largest, &exponent);
    /* by this factor even the smallest denormal becomes larger than 1e-30 */
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

double mean_of(const double x[], size_t n)
{
    if (n == 0)
        return NAN;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    double first = sum / (double)n;

    /* A second pass corrects the rounding error of the first. */
    double rest = 0;
    for (size_t i = 0; i < n; i++)
        rest += x[i] - first;
    return first + rest / (double)n;
}

double harmonic_mean_of(const double x[], size_t n)
{
    if (n == 0)
        return NAN;
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0))
            return NAN;
        double term = 1.0 / x[i] - lost;
        double next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return (double)n / sum;
}

double sum_of_squares(const double x[], size_t n, double mean)
{
    double squares = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - mean;
        squares += d * d;
        sum += d;
    }
    return n == 0 ? 0 : squares - sum * sum / (double)n;
}

double variance_of(const double x[], size_t n, double mean)
{
    return n < 2 ? NAN : sum_of_squares(x, n, mean) / (double)(n - 1);
}

double standard_deviation_of(const double x[], size_t n, double mean)
{
    return sqrt(variance_of(x, n, mean));
}

double autocorrelation_of(const double x[], size_t n, double mean, size_t lag)
{
    if (lag >= n)
        return 0;
    double products = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - mean;
        squares += d * d;
        if (i + lag < n)
            products += d * (x[i + lag] - mean);
    }
    return squares > 0 ? products / squares : 0;
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

double select_rank(double x[], size_t n, size_t k)
{
    size_t begin = 0, end = n;
    /* the pivot is random, so that no order of the input makes the selection slow */
    uint64_t state = 0x9e3779b97f4a7c15u;
    while (end - begin > 1) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double pivot = x[begin + state % (end - begin)];

        /* Readings repeat, so there are three parts: less than, equal to and greater than the
           pivot. */
        size_t less = begin, i = begin, greater = end;
        while (i < greater) {
            if (x[i] < pivot)
                swap(&x[i++], &x[less++]);
            else if (x[i] > pivot)
                swap(&x[i], &x[--greater]);
            else
                i++;
        }
        if (k < less)
            end = less;
        else if (k >= greater)
            begin = greater;
        else
            return pivot;
    }
    return x[k];
}

double quantile_of(double x[], size_t n, double p)
{
    if (n == 0)
        return NAN;
    double position = p * (double)(n - 1);
    size_t low = (size_t)position;
    if (low >= n - 1)
        return select_rank(x, n, n - 1);
    double at_low = select_rank(x, n, low);
    double fraction = position - (double)low;
    if (fraction == 0)
        return at_low;
    double at_high = select_rank(x + low + 1, n - low - 1, 0);
    return at_low + fraction * (at_high - at_low);
}

double median_of(double x[], size_t n)
{
    return quantile_of(x, n, 0.5);
}

size_t index_of_min(const double x[], size_t n)
{
    size_t min = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] < x[min])
            min = i;
    return min;
}
