/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the interval of a standard deviation, for any distribution. */
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/shape/shape.h"

/* Returns the mean without the `cut` smallest and the `cut` largest values. It finds ranks by
   counting, since n is small and the caller's order must not change. */
static double trimmed_mean(const double x[], size_t n, size_t cut)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t below = 0;
        for (size_t k = 0; k < n; k++)
            below += x[k] < x[i] || (k < i && x[k] == x[i]);
        if (below >= cut && below < n - cut)
            sum += x[i];
    }
    return sum / (double)(n - 2 * cut);
}

struct deviation deviation_of(const double x[], size_t n, double confidence)
{
    double mean = mean_of(x, n), fourth = 0, count = (double)n;
    struct deviation d = {standard_deviation_of(x, n, mean), NAN, NAN};
    if (n < DEVIATION_MIN || !(d.sd > 0))
        return d;
    /* floor(n times the trimmed share), where that share is 1 / (2 sqrt(n - 4)) */
    size_t cut = (size_t)(count / (2 * sqrt(count - 4)));
    double middle = trimmed_mean(x, n, 2 * cut < n ? cut : (n - 1) / 2);
    for (size_t i = 0; i < n; i++)
        fourth += pow((x[i] - middle) / d.sd, 4);
    double kurtosis = count * fourth / ((count - 1) * (count - 1));
    double z = normal_quantile(0.5 + confidence / 2);
    if (!(count > z))
        return d;
    double factor = count / (count - z);
    double error = factor * sqrt(fmax(0, kurtosis - (count - 3) / count) / (count - 1));
    d.low = d.sd * sqrt(factor * exp(-z * error));
    d.high = d.sd * sqrt(factor * exp(z * error));
    return d;
}
