/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether values are from a normal distribution, by Shapiro and Wilk with Royston's
   approximations. */
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/shape/shape.h"

#define PI 3.14159265358979323846

static double polynomial(const double c[], size_t count, double x)
{
    double sum = 0;
    for (size_t i = count; i-- > 0;)
        sum = sum * x + c[i];
    return sum;
}

/* Returns the expected order statistic of rank i (from 0) of n normal values (Blom 1958). */
static double normal_score(size_t i, size_t n)
{
    return normal_quantile(((double)i + 0.625) / ((double)n + 0.25));
}

/* Weights of the largest and second largest value, and the divisor of the scores of the others
   (Royston 1992, Statistics and Computing 2, 117). */
struct weights {
    double last, next, divisor;
};

static struct weights weights_of(size_t n)
{
    static const double of_last[] = {0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056};
    static const double of_next[] = {0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};
    const size_t count = sizeof of_last / sizeof *of_last;
    double squares = 0, u = 1 / sqrt((double)n);
    for (size_t i = 0; i < n; i++)
        squares += pow(normal_score(i, n), 2);
    double root = sqrt(squares), last = normal_score(n - 1, n), next = normal_score(n - 2, n);
    if (n == 3)
        return (struct weights){sqrt(0.5), 0, 1};
    struct weights w = {.last = last / root + polynomial(of_last, count, u)};
    double rest = squares - 2 * last * last, share = 1 - 2 * w.last * w.last;
    w.next = next / root;
    if (n > 5) {
        w.next += polynomial(of_next, count, u);
        rest -= 2 * next * next;
        share -= 2 * w.next * w.next;
    }
    w.divisor = sqrt(rest / share);
    if (n <= 5)
        w.next = next / w.divisor;
    return w;
}

static double weight_of(const struct weights *w, size_t i, size_t n)
{
    size_t place = i < n - 1 - i ? i : n - 1 - i;
    double sign = i < n - 1 - i ? -1 : 1;
    if (2 * i == n - 1)
        return 0;
    if (place == 0)
        return sign * w->last;
    if (place == 1)
        return sign * w->next;
    return normal_score(i, n) / w->divisor;
}

/* Returns P(W' <= w) for normal data (Royston 1995, Applied Statistics 44, 547). */
static double p_of(double w, size_t n)
{
    static const double mean_few[] = {0.5440, -0.39978, 0.025054, -0.0006714};
    static const double spread_few[] = {1.3822, -0.77857, 0.062767, -0.0020322};
    static const double mean_many[] = {-1.5861, -0.31082, -0.083751, 0.0038915};
    static const double spread_many[] = {-0.4803, -0.082676, 0.0030302};
    double count = (double)n, rest = log(1 - w), mean, spread;
    if (n == 3)
        return fmax(0, 6 / PI * (asin(sqrt(w)) - asin(sqrt(0.75))));
    if (n <= 11) {
        double limit = 0.459 * count - 2.273;
        if (rest >= limit)
            return 0;
        rest = -log(limit - rest);
        mean = polynomial(mean_few, 4, count);
        spread = exp(polynomial(spread_few, 4, count));
    } else {
        mean = polynomial(mean_many, 4, log(count));
        spread = exp(polynomial(spread_many, 3, log(count)));
    }
    return erfc((rest - mean) / spread / sqrt(2)) / 2;
}

struct normality normality_of(double x[], size_t n, double room[])
{
    struct normality none = {NAN, NAN};
    double mean = mean_of(x, n), squares = sum_of_squares(x, n, mean), sum = 0;
    if (n < NORMALITY_MIN || n > NORMALITY_MAX || !(squares > 0))
        return none;
    sort_values(x, n, room);
    struct weights w = weights_of(n);
    for (size_t i = 0; i < n; i++)
        sum += weight_of(&w, i, n) * (x[i] - mean);
    double statistic = fmin(1, sum * sum / squares);
    return (struct normality){statistic, statistic < 1 ? p_of(statistic, n) : 1};
}
