/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes Student's t and the binomial distribution through the incomplete beta function,
   quantiles by Newton's method, and Wilson's interval. */
#include "stat/basic/distribution.h"

#include <math.h>
#include <stdbool.h>

/* ---- the incomplete beta function ---- */

#define STIRLING_FROM   15
#define DEVIANCE_SERIES 0.1
#define FRACTION_MAX    100000
#define TINY            1e-300

double log_gamma(double z)
{
    int sign;
    return lgamma_r(z, &sign);
}

/*
 * Returns ln(gamma(z + 1)) - ln(sqrt(2 pi z) (z / e)^z), the error of Stirling's formula. A
 * difference of two lgamma values would lose all digits when z is large.
 */
static double stirling_error(double z)
{
    if (z < STIRLING_FROM)
        return log_gamma(z + 1) - (z + 0.5) * log(z) + z - 0.5 * log(2 * M_PI);
    double s = 1 / (z * z);
    return (1.0 / 12 -
            s * (1.0 / 360 -
                 s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * 691 / 360360))))) /
           z;
}

/* Returns x ln(x / mean) - d, where d = x - mean, without cancellation when x is near the mean
   (Loader, 2000). */
static double deviance(double x, double mean, double d)
{
    if (fabs(d) >= DEVIANCE_SERIES * (x + mean))
        return x * log(x / mean) - d;
    double v = d / (x + mean), sum = d * v, term = 2 * x * v;
    for (int k = 3; k < 1000; k += 2) {
        term *= v * v;
        double next = sum + term / k;
        if (next - sum == 0)
            break;
        sum = next;
    }
    return sum;
}

/* Returns x^a y^b / B(a, b), which is x y times the density of the beta distribution at x, with y =
   1 - x, for 0 < x < 1. */
static double beta_prefix(double a, double b, double x, double y)
{
    double n = a + b, d = a * y - b * x; /* a - n x */
    double exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x, d) - deviance(b, n * y, -d);
    return sqrt(a * b / (2 * M_PI * n)) * exp(exponent);
}

/* Evaluates the continued fraction of I_x(a, b) by Lentz's method, which converges fast for x below
   a / (a + b). */
static double fraction(double a, double b, double x, double y)
{
    double c = 1, d = (1 + a * y - b * x) / (a + 1);
    d = 1 / (fabs(d) < TINY ? TINY : d);
    double value = d;
    for (int m = 1; m < FRACTION_MAX; m++) {
        double k = a + 2 * m, even = m * (b - m) * x / ((k - 1) * k);
        double odd = -(a + m) * (a + b + m) * x / (k * (k + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < TINY ? TINY : d);
        c = fabs(c) < TINY ? TINY : c;
        value *= c * d;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < TINY ? TINY : d);
        c = fabs(c) < TINY ? TINY : c;
        value *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return value;
}

/*
 * The regularized incomplete beta function I_x(a, b), from which the t and binomial distributions
 * follow (Abramowitz and Stegun 26.5). The arguments must be a, b > 0 and x in 0..1. The caller
 * passes y = 1 - x as well, so that the result is precise for x near 0 and for x near 1. The
 * relative error is below 1e-10, also for a and b of many millions.
 */
static double beta_share(double a, double b, double x, double y)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double prefix = beta_prefix(a, b, x, y);
    if (x * (a + b + 2) < a + 1)
        return prefix / a * fraction(a, b, x, y);
    return 1 - prefix / b * fraction(b, a, y, x);
}

/* ---- distributions ---- */

#define ROUNDS_MAX 200

/* Returns P(T > t) for Student's t, t >= 0. The relative error stays small far into the tail. */
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

double f_upper(double f, double df1, double df2)
{
    double scaled = df1 * f, sum = df2 + scaled;
    if (!(f > 0))
        return 1;
    if (isinf(sum))
        return 0;
    return beta_share(df2 / 2, df1 / 2, df2 / sum, scaled / sum);
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
 * Returns the x >= 0 with tail(x) = q, 0 < q < 0.5, by Newton's method on ln(tail), which is
 * concave and nearly a parabola for the normal distribution. A step that leaves the bracket around
 * x is replaced by a bisection of the bracket.
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

/* Wilson (1927). */
struct proportion proportion_wilson(double successes, double trials, double confidence)
{
    if (!(trials > 0))
        return (struct proportion){.value = NAN, .low = 0, .high = 1};
    double p = successes / trials;
    double z = normal_quantile((1 + confidence) / 2);
    double z2 = z * z / trials;
    double centre = (p + z2 / 2) / (1 + z2);
    double half = sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2);
    return (struct proportion){
        .value = p, .low = fmax(0, centre - half), .high = fmin(1, centre + half)};
}
