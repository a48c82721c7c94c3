/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evidence that a mean of differences a - r b is not 0, which may be looked at after every reading.
 * The readings are those of two alternatives that were measured in turns. Pure, any thread.
 *
 * The evidence is a Bayes factor. Under the null hypothesis the differences have one of the models
 * of internal.h about 0; under the other one about a mean m, which has a mixture of normal
 * distributions about 0, .3 to 30 times as wide as that of a reading: small differences and large
 * ones. Both share the right Haar measure of the standard deviation, which makes the factor of
 * independent readings a test martingale of t (Rushton 1950; Lai 1976; Hendriksen, de Heide,
 * Gruenwald 2021): the chance that it ever reaches 1/alpha is at most alpha, however often one
 * looks (Ville's inequality). With models of memory a drift, a long memory or a level that lasts
 * explain what would otherwise look like a difference. The chance holds on average over these
 * models; the chance at single ones was measured (docs/statistics.md).
 *
 * One look asks for less: the chance of a mean beyond 0 given the readings, where nothing is known
 * of the mean beforehand. That is Student's t of generalised least squares, averaged over the same
 * models, each by the likelihood that it gives the readings. Its share of wrong answers is as
 * requested on average over them, and was measured at some.
 *
 * For independent readings the evidence is that of t, and one look is Student's test.
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
 * Sums over two series and the constant 1 after a model was taken out of all three, which makes
 * them independent: x[i] is x less what the readings before it predict, over the standard deviation
 * of that error.
 */
struct whitened {
    double log_determinant; /* of the covariance */
    double ones;            /* sum of squares of the constant: the number of independent readings
                               whose mean is as certain */
    double xx, xy, yy, x1, y1;
};

/* What two series say about their differences at any ratio r. */
struct difference {
    const double *a, *b; /* must outlive it */
    size_t n;
    enum dependence dependence;
    double ratio; /* x is a - ratio b, and y is b; both less their means and scaled */
    double scale, mean_x, mean_y;
    struct {
        double null, other; /* weights */
        struct whitened whitened;
    } models[DEPENDENCE_MODELS];
    size_t count;
};

size_t difference_scratch_bytes(size_t n);

/* Fills in *to for a[0..n) and b[0..n), most exactly for ratios near `ratio`: O(n) for all of
   them. */
void difference_pairs(struct difference *to, const double a[], const double b[], size_t n,
                      double ratio, enum dependence dependence, struct arena *scratch);

/*
 * The natural logarithm of the evidence that the mean of a - ratio b is not 0: decided at
 * ln(1/alpha). -infinity below DIFFERENCE_MIN_READINGS and for differences that are all 0; infinite
 * for equal differences that are not.
 */
double difference_evidence(const struct difference *d, double ratio);

/*
 * The evidence computed from t and its degrees of freedom, for `n` independent readings. It rises
 * with |t|.
 */
double difference_evidence_of_t(double t, double degrees, double n);

/* Two-sided p-value, of one look, for that mean being 0. Returns 1 for fewer than 2 readings or
   differences that are all 0, and 0 for equal differences that are not 0. */
double difference_p_value(const struct difference *d, double ratio);

/* How many times as uncertain the mean is as that of independent readings, as a variance. */
double difference_inflation(const struct difference *d, double ratio);

#endif
