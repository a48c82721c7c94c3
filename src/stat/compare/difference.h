/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evidence that a mean of differences a - r b is not 0, which may be evaluated after every
 * reading. The readings are those of two alternatives that were measured in turns. Pure, any
 * thread.
 *
 * The evidence is a Bayes factor. Under the null hypothesis the differences follow one of the
 * models of difference.c about 0; under the alternative about a mean m, whose prior is a mixture
 * of normal distributions, .3 to 30 times as wide as that of a reading, so that it covers small
 * and large differences. Both hypotheses use the right Haar measure as the prior of the standard
 * deviation, which makes the factor of independent readings a test martingale of t (Rushton 1950;
 * Lai 1976; Hendriksen, de Heide, Gruenwald 2021): the chance that it ever reaches 1/alpha is at
 * most alpha, however often it is evaluated (Ville's inequality). With models of memory, a drift, a
 * long memory or a level that lasts can explain what would otherwise look like a difference. This
 * bound holds on average over these models; for single models the chance was measured
 * (docs/statistics.md).
 *
 * A single judgement needs only a p-value: the posterior probability that the mean is on the other
 * side of 0, if nothing is known about the mean beforehand. It follows from Student's t of
 * generalised least squares, averaged over the same models, each weighted by its likelihood. Its
 * share of wrong answers is the requested one on average over the models, and was measured at
 * some of them.
 *
 * For readings known to be independent, the evidence is a function of Student's t, and the test
 * for a single judgement is Student's test.
 */
#ifndef CUPEL_STAT_COMPARE_DIFFERENCE_H
#define CUPEL_STAT_COMPARE_DIFFERENCE_H

#include <stddef.h>

#include "base/arena.h"

#define DIFFERENCE_MIN_READINGS 3
#define DEPENDENCE_MODELS       36

/* What the caller knows about how readings depend on earlier ones. */
enum dependence { DEPENDENCE_OPEN, DEPENDENCE_NONE };

/*
 * Sums over two series and the constant 1, after a model has been removed from all three, which
 * makes their terms independent: term i is x[i] minus its prediction from the readings before it,
 * over the standard deviation of that prediction's error.
 */
struct whitened {
    double log_determinant; /* log determinant of the covariance matrix */
    /* sum of squares of the constant: the number of independent readings whose mean would have the
       same uncertainty */
    double ones;
    double xx, xy, yy, x1, y1;
};

/* The data of two series from which the differences at any ratio r are judged. */
struct difference {
    const double *a, *b; /* [n], owned by the caller; they must outlive this struct */
    size_t n;
    enum dependence dependence;
    double ratio; /* x is a - ratio b, y is b; both minus their means and scaled */
    double scale, mean_x, mean_y;
    struct {
        double null, other; /* prior weights of the model: if the mean is 0, and if it is not */
        struct whitened whitened;
    } models[DEPENDENCE_MODELS];
    size_t count;
};

size_t difference_scratch_bytes(size_t n);

/* Fills in *to from a[0..n) and b[0..n), in O(n) for all ratios; results are most exact for ratios
   near `ratio`. */
void difference_pairs(struct difference *to, const double a[], const double b[], size_t n,
                      double ratio, enum dependence dependence, struct arena *scratch);

/*
 * Returns the natural logarithm of the evidence that the mean of a - ratio b is not 0; a difference
 * is decided when it reaches ln(1/alpha). It is -infinity below DIFFERENCE_MIN_READINGS and for
 * differences that are all 0; infinite for differences that are equal but not 0.
 */
double difference_evidence(const struct difference *d, double ratio);

/*
 * Returns the evidence of Student's t with its degrees of freedom, for `n` independent readings. It
 * rises with |t|.
 */
double difference_evidence_of_t(double t, double degrees, double n);

/* Returns the two-sided p-value, valid if it is evaluated only once, for the hypothesis that the
   mean is 0. It is 1 for fewer than 2 readings or differences that are all 0, and 0 for differences
   that are equal but not 0. */
double difference_p_value(const struct difference *d, double ratio);

/* Returns the variance of the mean over the variance it would have if the readings were
   independent. */
double difference_inflation(const struct difference *d, double ratio);

#endif
