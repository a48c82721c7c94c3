/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probability distributions, checked against R to 1e-9 relative in tests/unit/test_distribution.c.
 * Pure, any thread.
 */
#ifndef CUPEL_STAT_BASIC_DISTRIBUTION_H
#define CUPEL_STAT_BASIC_DISTRIBUTION_H

/* ln(gamma(z)) for z > 0. Unlike lgamma it writes no global variable, so any thread may call it. */
double log_gamma(double z);

/* Returns the t with P(T <= t) = p, for Student's t with df > 0, which may be a fraction. */
double student_t_quantile(double p, double df);

/* Returns P(|T| >= |t|) for Student's t, exact far into the tail. */
double student_t_two_sided(double t, double df);

/* Returns P(F > f) for Fisher's F with df1 and df2 degrees of freedom, exact far into the tail. */
double f_upper(double f, double df1, double df2);

/* Returns the z with P(Z <= z) = p for the standard normal Z. */
double normal_quantile(double p);

/*
 * P(K <= k) for K ~ Binomial(n, p), through the incomplete beta function: n may be fractional, as
 * an effective sample size is. k < 0 gives 0, k >= n gives 1.
 */
double binomial_cdf(double k, double n, double p);

/*
 * Confidence interval of a proportion, successes out of trials. Wilson's score interval keeps its
 * coverage near 0 and 1, where mean +- t sd/sqrt(n) does not.
 */
struct proportion {
    double value;     /* successes / trials; NaN when there are no trials */
    double low, high; /* ends of the confidence interval; 0 and 1 when there are no trials */
};

/* `trials` may be fractional, as an effective sample size is. The arguments must satisfy 0 <=
   successes <= trials. */
struct proportion proportion_wilson(double successes, double trials, double confidence);

#endif
