/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The regularized incomplete beta function. */
#include "stat/basic/internal.h"

#include <math.h>

#define STIRLING_FROM   15
#define DEVIANCE_SERIES 0.1
#define FRACTION_MAX    100000
#define TINY            1e-300

/*
 * ln(gamma(z + 1)) - ln(sqrt(2 pi z) (z / e)^z): what Stirling's formula lacks. Differences of
 * lgamma itself lose all digits when z is large.
 */
static double stirling_error(double z)
{
    if (z < STIRLING_FROM)
        return lgamma(z + 1) - (z + 0.5) * log(z) + z - 0.5 * log(2 * M_PI);
    double s = 1 / (z * z);
    return (1.0 / 12 -
            s * (1.0 / 360 -
                 s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * 691 / 360360))))) /
           z;
}

/* x ln(x / mean) - d, where d = x - mean, without cancellation near to mean (Loader, 2000). */
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

double beta_prefix(double a, double b, double x, double y)
{
    double n = a + b, d = a * y - b * x; /* a - n x */
    double exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x, d) - deviance(b, n * y, -d);
    return sqrt(a * b / (2 * M_PI * n)) * exp(exponent);
}

/* The continued fraction of I_x(a, b) by Lentz's method; converges fast for x below a / (a + b). */
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

double beta_share(double a, double b, double x, double y)
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
