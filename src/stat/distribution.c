/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions over GSL's. */
#include "stat/distribution.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/*
 * GSL goes over to an expansion in 1/df above 30 degrees of freedom, which far out in the tail is
 * good to 1e-8 only. The beta function is exact there, and in turn loses its digits when df is very
 * large.
 */
#define EXPANSION_DF 10000

double student_t_two_sided(double t, double df)
{
    double square = t * t;
    if (df > EXPANSION_DF)
        return 2 * gsl_cdf_tdist_Q(fabs(t), df);
    if (square < df)
        return gsl_cdf_beta_Q(square / (df + square), 0.5, df / 2);
    return gsl_cdf_beta_P(df / (df + square), df / 2, 0.5);
}

double student_t_quantile(double p, double df)
{
    return gsl_cdf_tdist_Pinv(p, df);
}

double normal_quantile(double p)
{
    return gsl_cdf_ugaussian_Pinv(p);
}

double binomial_cdf(double k, double n, double p)
{
    if (k < 0)
        return 0;
    if (k >= n)
        return 1;
    return gsl_cdf_beta_P(1 - p, n - k, k + 1);
}
