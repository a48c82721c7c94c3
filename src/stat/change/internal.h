/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/change. */
#ifndef CUPEL_STAT_CHANGE_INTERNAL_H
#define CUPEL_STAT_CHANGE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stat/change/changepoint.h"

/* Follows the cuts back from last_cut[n] and writes the first `capacity` of them, ascending, to
   `out`. Returns the number of all cuts, which may be larger than `capacity`. */
size_t cuts_collect(const uint32_t last_cut[], size_t n, size_t out[], size_t capacity);

/* ---- cut_confirmation ---- */

/*
 * Keeps the proposed cuts that autocorrelated and skewed noise does not explain.
 *
 * Each cut is tested on the two segments beside it. The worth of a cut, which is compared with a
 * chi-squared value, is the larger of two measures:
 *
 *   likelihood  an autoregressive model is fitted about one mean and about two:
 *               n ln(var_1 / var_2), each fit penalised for its order. Because each fit has its
 *               own autocorrelation, a slow wander of the noise is explained without a cut, and a
 *               real step is not (cf. Davis, Lee, Rodriguez-Yam, JASA 101, 2006).
 *
 *   step        the squared difference of the means over its variance, from the fit about two
 *               means, with the persistence at an upper limit: corrected for its bias (twice
 *               (1+3r)/n) and two standard errors up. This measure keeps the steps of a drift,
 *               which an autoregression about one mean would follow. The persistence is limited
 *               to that of the longest segment, if that segment holds a third of the readings,
 *               because it shows the noise of this series.
 *
 * The worth w becomes w / (1 + g sqrt(w) / 3) when the skewness g of the difference of the means
 * makes a difference of this sign likely (first correction of the large deviations of a mean).
 * The weakest cut below `min_worth` is removed first, then its neighbours are judged again.
 */

size_t confirm_scratch_bytes(size_t cut_count);

/* Removes unconfirmed cuts of x[0..n) from `cuts` and returns how many are left. */
size_t confirm_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count, double min_worth,
                    struct arena *scratch);

/* ---- edm ---- */

/*
 * Change points by differences of medians, as Pilot and the programs it took them from compute
 * them, including their error: the first change is never tested, so a series without any change
 * is cut. For comparison with Pilot's results only.
 *
 * F[s] is the score of the first s readings, for s from 2 delta to n. Z are the readings, t from
 * delta to s - delta is the last cut, and p is the last cut before t:
 *
 *   F[s] = max over t of F[t] + (t - p)(s - t)/(s - p)^2 (median Z[p,t) - median Z[t,s))^2
 *
 * If several t give the maximum, the smallest is used. The factor G(k) of edm_percent is 1 for
 * degree 1, 2k + 1 for degree 2, 0 for any other.
 *
 * Time O(n^2): for each t the medians of Z[t,s) come from an ordered list from which one reading
 * after another is removed. Memory O(n).
 */

/* The arguments that Pilot passes to edm_percent. */
#define EDM_PILOT_DELTA   30
#define EDM_PILOT_PERCENT 0.25
#define EDM_PILOT_DEGREE  1

size_t edm_scratch_bytes(size_t n);

/*
 * EDM_percent: a cut is kept when it raises F by `percent` times G(number of cuts before it) times
 * F before it. Writes the first `capacity` cuts (0-based first index of each new segment,
 * ascending) and returns the number of all. delta is at least 1.
 */
size_t edm_percent(const double x[], size_t n, size_t delta, double percent, int degree,
                   size_t out[], size_t capacity, struct arena *scratch);

/* ---- longrun ---- */

/*
 * Removes the cuts that the long-run variance of the readings about their levels can explain.
 *
 * What looks like a level may be a cluster of rare stalls, or slow movement under fast noise.
 * Both raise the variance of the mean of many readings, but are seen less in neighbouring
 * readings, from which noise_level and confirm_cuts judge. Therefore the worth of a cut is
 * computed from s0, the long-run variance (mean_variance.h, df degrees of freedom) of the
 * deviations of readings from the means of their segments:
 *
 *     (df + 1) ln(1 + t^2 / df), t = step of the means / sqrt(s0 (1/n1 + 1/n2)),
 *
 * where n1 and n2 are the lengths of the two segments beside the cut. The worth is t^2 if s0 is
 * well known, and less if s0 rests on few independent readings. As in confirm_cuts, it is reduced
 * where the skewness of the noise favours a step of this sign. Since stalls come in clusters, the
 * largest skewness of sums of 1, 2, 4 ... readings is used.
 *
 * The weakest cut is removed, again and again, as long as its worth is below `min_worth`, the
 * penalty of a cut. s0 is measured once, with all the proposed cuts, so that removing one cut
 * does not weaken better ones.
 */

size_t longrun_scratch_bytes(size_t n, size_t cut_count);

/* Removes unconfirmed cuts of x[0..n) from `cuts` and returns how many are left. */
size_t longrun_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count, double min_worth,
                    struct arena *scratch);

/* ---- pelt ---- */

/*
 * Exact penalised least squares for changes of the mean.
 *
 * Minimises, over all ways to cut x[0..n) into segments of at least `minimum_segment` readings,
 *
 *     sum over the segments of sum (x - mean of the segment)^2, plus `penalty` for every cut
 *
 * which is what PELT minimises (Killick, Fearnhead, Eckley, JASA 107, 2012). The caller scales x
 * so that its noise has variance 1. PELT's own pruning needs O(n^2) steps when there is no
 * change, the best case for a measurement, so this search prunes functionally (FPOP: Maidstone,
 * Hocking, Rigaill, Fearnhead, Statistics and Computing 27, 2017): it keeps, for every value that
 * the current mean could have, the best last cut. This finds the same optimum in about O(n log n)
 * steps. At most 32 ranges of means are kept: noisy readings take about 20; on a smooth ramp the
 * optimum is approximate.
 *
 * The minimum length is enforced by letting a cut t compete only from reading t + minimum_segment
 * on, with the cost of all readings since the cut. Pruning stays exact: the costs of two cuts, as
 * functions of the mean, differ only by the readings between the two, so the sign of that
 * difference never changes afterwards. The cost of each remaining candidate is stored as count,
 * mean and sum of squares about that mean (Welford), so that long series and large levels lose no
 * digits.
 */

size_t pelt_scratch_bytes(size_t n, size_t minimum_segment);

/*
 * Writes the first `capacity` cuts (first index of each new segment, ascending) to `out` and
 * returns the number of all. x is finite, n below 2^32; minimum_segment is at least 1.
 */
size_t pelt_mean(const double x[], size_t n, double penalty, size_t minimum_segment, size_t out[],
                 size_t capacity, struct arena *scratch);

/* ---- noise: levels that recur ---- */

/*
 * Levels that come and go: a drive that collects garbage every few seconds, or a cache that hits or
 * misses for a while, switches between levels for ever. If such a series were cut at each switch,
 * it would have no steady state, although it is stationary on a longer scale.
 */

/*
 * Returns the noise level of a series whose levels between the cuts recur, on the scale of the
 * switching; 0 if the levels do not recur. The levels recur if their direction turns, up or down,
 * at least three times, and if neighbouring levels differ as much as any two levels do (von
 * Neumann's ratio of the squared differences to the squared deviations: small for a drift and for a
 * random walk, 2 for independent levels, 4 for two that alternate). The noise level is the long-run
 * standard deviation of x[0..n): the root of b/2 times the mean squared difference of neighbouring
 * means of b readings, the larger of the two values for b = one turn and b = two turns.
 */
double recurrence_noise_level(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                              struct arena *scratch);

/* ---- short_series ---- */

/*
 * Finds changes in series that are too short for the search for change points. Only plain changes
 * are found.
 *
 * One level is compared with two: every range of 4 readings or more against the readings outside
 * it, which lie before it, after it or on both sides. The range that fits best, by least squares,
 * is a step if the square of its Student's t is 70 or more, and larger than the square for a
 * line; afterwards the parts are searched in turn. If there is no step, a line is a trend if its
 * square is 30 or more.
 *
 * Both limits allow for correlated neighbours, a correlation that few readings do not show: in 3
 * % of AR(1) series with coefficient .6 the square for the best range reaches 40 (12 readings) to
 * 59 (59 readings), and the square for a line 21 to 27. In .5 % of the series, independent noise
 * reaches 25 and 13; independent draws of two levels, one of them rarer, reach 66. A step is
 * found from about 3.3 standard deviations on in 26 readings, from 2.4 in 50.
 * tests/unit/test_short_series.c counts these shares.
 */

#define SHORT_SERIES_MIN 12 /* in fewer readings, chance produces a step too often */
#define SHORT_SERIES_MAX (CHANGE_SEARCH_FULL_READINGS - 1)

/* ---- noise ---- */

/*
 * The noise level of a series: how much readings scatter when nothing changes. The series may hold
 * outliers, autocorrelation and a few changes of its mean.
 */

size_t noise_scratch_bytes(size_t n); /* bytes that are enough for any function of noise.c */

/*
 * Hampel's filter: a reading whose distance from the running median of 15 readings is more than 5
 * MAD is clipped to that distance. At most `largest_share` of the readings are treated as outliers:
 * the limit rises until no larger share lies beyond it. More frequent readings are part of the
 * distribution, such as the second level of a bimodal one; if they were clipped, they would look
 * like a change of the mean. x and out do not overlap.
 */
void noise_clean(const double x[], size_t n, double largest_share, double out[],
                 struct arena *scratch);

/*
 * Returns the long-run standard deviation of x[0..n), which are already cleaned: the square root
 * of n times the variance of their mean.
 *
 *   v_k  mean of the squared differences x[i+k] - x[i], without those that span a jump
 *   rho  v_2 / v_1 - 1, clipped to [0, .99]: the autocorrelation of an AR(1) series
 *   s^2  v_1 / (2 (1 - rho)) (1 + rho) / (1 - rho)
 *
 * A jump is a difference of neighbours above 6 MAD: a change of level. Jumps are rare; if there
 * are more than one in 30 readings, they belong to the noise and are not left out. Returns 0 when
 * x is constant except for rare jumps.
 */
double noise_level(const double x[], size_t n, struct arena *scratch);

/* Returns the noise level of a series assumed to have no autocorrelation: sqrt(v_1 / 2). */
double noise_level_independent(const double x[], size_t n, struct arena *scratch);

/* ---- running_median ---- */

/*
 * Running median: out[i] is the median of x[i - half .. i + half]; near the ends the window is cut
 * short. Pure; O(n * half) with a small constant.
 */

#define RUNNING_MEDIAN_MAX_HALF 31

/* `half` is at most RUNNING_MEDIAN_MAX_HALF; x and out do not overlap. */
void running_median(const double x[], size_t n, size_t half, double out[]);

#endif
