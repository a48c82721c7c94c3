/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes test martingales for shares and means, each a mixture over alternative values. */
#include "stat/estimate/sequential.h"

#include <math.h>
#include <stdbool.h>

#include "stat/basic/distribution.h"

/* One half of the mixture lies between the limit and this fraction of the limit. */
#define CLOSE 0.7

#define MORE_MAX 1e6

static double log_mean(double a, double b)
{
    double larger = fmax(a, b), smaller = fmin(a, b);
    return isinf(larger) ? larger : larger + log1p(exp(smaller - larger)) - log(2);
}

struct sequential sequential_share(double above, double rest, double rare)
{
    double n = above + rest + 1;
    /* ln of the integral of the likelihood over shares 0..1 */
    double all = log_gamma(above + 1) + log_gamma(rest + 1) - log_gamma(n + 1);
    double at_limit = above * log(rare) + rest * log1p(-rare);
    /* CLOSE is applied to the odds here, so that the share stays below 1 */
    double further = rare / (rare + CLOSE * (1 - rare));
    double from_zero = 1 - binomial_cdf(above, n, rare);
    double to_one = binomial_cdf(above, n, rare);
    double from_close = from_zero - (1 - binomial_cdf(above, n, CLOSE * rare));
    double to_further = to_one - binomial_cdf(above, n, further);
    double even_pass = log(fmax(from_zero, 0) / rare);
    double even_fail = log(fmax(to_one, 0) / (1 - rare));
    double close_pass = log(fmax(from_close, 0) / (rare - CLOSE * rare));
    double close_fail = log(fmax(to_further, 0) / (further - rare));
    return (struct sequential){all - at_limit + log_mean(even_pass, close_pass),
                               all - at_limit + log_mean(even_fail, close_fail)};
}

struct sequential sequential_mean(double distance, double n, double alpha)
{
    double cost = 2 * log(1 / alpha);
    double rho = SEQUENTIAL_SHARPEST / (cost + log1p(cost));
    double weight = n / (n + rho);
    double symmetric = (log1p(-weight) + distance * distance * weight) / 2;
    double z = distance * sqrt(weight);
    return (struct sequential){symmetric + log(erfc(-z / sqrt(2))),
                               symmetric + log(erfc(z / sqrt(2)))};
}

enum sequential_verdict sequential_decide(const struct sequential *evidence, double alpha)
{
    double enough = log(1 / alpha);
    return evidence->pass >= enough   ? SEQUENTIAL_PASS
           : evidence->fail >= enough ? SEQUENTIAL_FAIL
                                      : SEQUENTIAL_UNDECIDED;
}

/* Returns the smallest factor for which `decided` is true, to within a hundredth of it. */
static double least_factor(bool (*decided)(const double x[4], double factor), const double x[4])
{
    double low = 1, high = 1;
    while (!decided(x, high)) {
        low = high;
        high *= 2;
        if (high > MORE_MAX)
            return INFINITY;
    }
    while (high > 1.01 * low) {
        double middle = sqrt(low * high);
        *(decided(x, middle) ? &high : &low) = middle;
    }
    return high;
}

static bool share_decided(const double x[4], double factor)
{
    struct sequential e = sequential_share(x[0] * factor, x[1] * factor, x[2]);
    return sequential_decide(&e, x[3]) != SEQUENTIAL_UNDECIDED;
}

double sequential_share_needs(double above, double rest, double rare, double alpha)
{
    return least_factor(share_decided, (double[]){above, rest, rare, alpha});
}

static bool mean_decided(const double x[4], double factor)
{
    struct sequential e = sequential_mean(x[0] * sqrt(factor), x[1] * factor, x[2]);
    return sequential_decide(&e, x[2]) != SEQUENTIAL_UNDECIDED;
}

double sequential_mean_needs(double distance, double n, double alpha)
{
    return least_factor(mean_decided, (double[]){distance, n, alpha, 0});
}
