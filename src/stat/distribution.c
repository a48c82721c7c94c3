/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions over GSL's. */
#include "stat/distribution.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

double student_t_cdf(double t, double df)
{
    return gsl_cdf_tdist_P(t, df);
}

double student_t_quantile(double p, double df)
{
    return gsl_cdf_tdist_Pinv(p, df);
}

double student_t_two_sided(double t, double df)
{
    return 2 * gsl_cdf_tdist_Q(fabs(t), df);
}

double normal_cdf(double z)
{
    return gsl_cdf_ugaussian_P(z);
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
