/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evidence that a mean is not 0, which may be looked at after every reading. The readings are
 * differences of two alternatives that were measured in turns. Pure, any thread.
 *
 * The evidence is a Bayes factor. Under the null hypothesis the readings are a first-order
 * autoregression about 0; under the other one about a mean m, which has a mixture of normal
 * distributions about 0, .3 to 30 times as wide as that of a reading: small differences and large
 * ones. Both share the right Haar measure of the standard deviation, which makes the factor of
 * independent readings a test martingale of t (Rushton 1950; Lai 1976; Hendriksen, de Heide,
 * Gruenwald 2021): the chance that it ever reaches 1/alpha is at most alpha, however often one
 * looks (Ville's inequality). Both also share a distribution of the autocorrelation, even from -.5
 * to .8 and thinner at .9: while few readings leave it open, a drift explains what would otherwise
 * look like a difference. The chance holds on average over these autocorrelations; the chance at
 * single ones was measured (docs/statistics.md).
 *
 * One look asks for less: the chance of a mean beyond 0 given the readings, where nothing is known
 * of the mean beforehand. That is Student's t of generalised least squares, averaged over the same
 * autocorrelations, all alike, each by the likelihood that it gives the readings. Its share of
 * wrong answers is as requested on average over them, and was measured at some.
 *
 * For independent readings the evidence is that of t, and one look is Student's test.
 *
 * Hundreds of readings may show slower movement than such a model knows: from
 * DIFFERENCE_MODEL_READINGS on, both say no more than the t which mean_variance.h gives.
 */
#ifndef CUPEL_STAT_COMPARE_DIFFERENCE_H
#define CUPEL_STAT_COMPARE_DIFFERENCE_H

#include <stddef.h>

#include "base/arena.h"

#define DIFFERENCE_MIN_READINGS   3
#define DIFFERENCE_MODEL_READINGS 100

/* What the caller knows about how readings depend on earlier ones. */
enum dependence { DEPENDENCE_OPEN, DEPENDENCE_NONE };

size_t difference_scratch_bytes(size_t n);

/*
 * The natural logarithm of the evidence that the mean of d[0..n) is not 0: decided at ln(1/alpha).
 * -infinity below DIFFERENCE_MIN_READINGS and for readings that are all 0; infinite for equal
 * readings that are not.
 */
double difference_evidence(const double d[], size_t n, enum dependence dependence,
                           struct arena *scratch);

/*
 * The evidence computed from t and its degrees of freedom, for `n` independent readings. It rises
 * with |t|.
 */
double difference_evidence_of_t(double t, double degrees, double n);

/* Two-sided p-value, of one look, for the mean of d[0..n) being 0. Returns 1 for fewer than 2
   readings or readings that are all 0, and 0 for equal readings that are not 0. */
double difference_p_value(const double d[], size_t n, enum dependence dependence,
                          struct arena *scratch);

#endif
