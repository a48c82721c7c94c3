/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Student's t and the binomial through the incomplete beta function; quantiles by Newton's method.
 */
#include "stat/basic/distribution.h"

#include "stat/basic/internal.h"
#include <math.h>
#include <stdbool.h>

#define ROUNDS_MAX 200

/* P(T > t) for t >= 0. Its relative error stays small far into the tail. */
static double student_t_tail(double t, double df)
{
    double square = t * t, sum = df + square;
    return beta_share(df / 2, 0.5, df / sum, square / sum) / 2;
}

static double student_t_density(double t, double df)
{
    double square = t * t, sum = df + square;
    return beta_prefix(df / 2, 0.5, df / sum, square / sum) / t;
}

double student_t_two_sided(double t, double df)
{
    return 2 * student_t_tail(fabs(t), df);
}

static double normal_tail(double z, double unused)
{
    (void)unused;
    return erfc(z * M_SQRT1_2) / 2;
}

static double normal_density(double z, double unused)
{
    (void)unused;
    return exp(-z * z / 2) / sqrt(2 * M_PI);
}

/*
 * The x >= 0 with tail(x) = q, 0 < q < 0.5. Newton's steps on ln(tail), which is concave and for
 * the normal nearly a parabola; a step that leaves what is known to hold x becomes a bisection.
 */
static double invert_tail(double (*tail)(double, double), double (*density)(double, double),
                          double parameter, double q)
{
    double low = 0, high = 1;
    while (tail(high, parameter) > q && high < 1e300) {
        low = high;
        high *= 2;
    }
    double x = (low + high) / 2;
    for (int i = 0; i < ROUNDS_MAX; i++) {
        double p = tail(x, parameter);
        if (p > q)
            low = x;
        else
            high = x;
        double next = x + log(p / q) * p / density(x, parameter);
        if (!(next > low && next < high))
            next = (low + high) / 2;
        bool done = fabs(next - x) <= 1e-15 * x;
        x = next;
        if (done)
            break;
    }
    return x;
}

static double quantile(double (*tail)(double, double), double (*density)(double, double),
                       double parameter, double p)
{
    if (!(p > 0 && p < 1))
        return p <= 0 ? -INFINITY : p >= 1 ? INFINITY : p;
    if (p < 0.5)
        return -invert_tail(tail, density, parameter, p);
    return p > 0.5 ? invert_tail(tail, density, parameter, 1 - p) : 0;
}

double student_t_quantile(double p, double df)
{
    return quantile(student_t_tail, student_t_density, df, p);
}

double normal_quantile(double p)
{
    return quantile(normal_tail, normal_density, 0, p);
}

double binomial_cdf(double k, double n, double p)
{
    if (k < 0)
        return 0;
    if (k >= n)
        return 1;
    return beta_share(n - k, k + 1, 1 - p, p);
}
