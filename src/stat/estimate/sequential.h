/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verdicts that the caller may ask for at any time: the chance of ever deciding wrongly stays
 * below alpha, however often the caller asks, and whenever it stops.
 *
 * The evidence for a verdict is a test martingale: how much better the data fit a mixture of
 * parameters on one side of the limit than the limit itself. The verdict is decided when the
 * evidence reaches 1/alpha (Ville's inequality). For shares it is a mixture of binomials, half of
 * it spread evenly over the whole side, half of it close to the limit. For means it is half a
 * normal distribution (Howard et al., "Time-uniform, nonparametric, nonasymptotic confidence
 * sequences", 2021), sharpest at SEQUENTIAL_SHARPEST independent readings.
 *
 * All functions assume independent values: pass effective numbers. Pure, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_SEQUENTIAL_H
#define CUPEL_STAT_ESTIMATE_SEQUENTIAL_H

enum sequential_verdict { SEQUENTIAL_UNDECIDED, SEQUENTIAL_PASS, SEQUENTIAL_FAIL };

#define SEQUENTIAL_SHARPEST 100

/* Natural logarithms of the evidence that the limit holds, and that it is broken. */
struct sequential {
    double pass, fail;
};

/*
 * Returns the evidence that the share of values above a threshold is below `rare`, 0 < rare < 1,
 * when `above` of `above + rest` values lie above it. The numbers may be fractions.
 */
struct sequential sequential_share(double above, double rest, double rare);

/*
 * Returns the evidence that a mean of n independent readings keeps its limit. `distance` is how far
 * inside the limit the mean lies, in standard errors (negative: outside).
 */
struct sequential sequential_mean(double distance, double n, double alpha);

enum sequential_verdict sequential_decide(const struct sequential *evidence, double alpha);

/*
 * Return the factor by which the number of values is expected to have to grow until there is a
 * verdict, if further values are like the present ones: 1 if there is one already, infinity if
 * there would never be one.
 */
double sequential_share_needs(double above, double rest, double rare, double alpha);
double sequential_mean_needs(double distance, double n, double alpha);

#endif
