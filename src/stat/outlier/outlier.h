/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One value against its peers: is it slower than chance explains? Values are logarithms, turned so
 * that larger is slower; a difference of 0.1 is about 10 %. Pure, any thread.
 *
 *   centre   the median of the peers, without the value itself
 *   scale    Qn of the peers (Rousseeuw and Croux, 1993): half of them may be anything
 *   t        (x - centre) / sqrt(between^2 + se^2 + (pi/2) Qn^2 / m), with between^2 = Qn^2 less
 *            the peers' own noise: a prediction interval of one more drive that is measured with
 *            the error se; between^2 + se^2 is never less than Qn^2. Student's t with .82 (m - 1)
 *            degrees of freedom, the efficiency of Qn; fewer than 24 peers cannot show how heavy
 *            their tails are: at most 6 degrees for them
 *   tail     from 24 peers on also the slow tail of the peers themselves, continued: a generalised
 *            Pareto tail above the k-th slowest peer, its scale out of the weighted spacings
 *            j (x_j - x_j+1) of the k slowest (Renyi), without the largest two, so that a few slow
 *            ones among the peers do not hide another. The shape is at least 0.07, heavier than an
 *            exponential tail: real drives are no normal distribution
 *
 * Both must find it: p is the larger one.
 */
#ifndef CUPEL_STAT_OUTLIER_OUTLIER_H
#define CUPEL_STAT_OUTLIER_OUTLIER_H

#include <stddef.h>

/* Fewer peers beside the value itself say nothing. */
#define OUTLIER_PEERS_MIN 4

/* The peers with which a value is compared. `sorted` stays with the caller. */
struct outlier_peers {
    const double *sorted; /* ascending, finite */
    size_t count;
    double noise; /* standard error of the peers' own values */
    double scale; /* Qn of all peers; NaN: it is computed without the value itself */
    double t;     /* Student's t of the interval for many peers; NaN: it is computed for each
                     value */
};

struct outlier {
    double excess, low, high; /* over the centre, with a 95 % interval */
    double p;                 /* chance that one more peer is as slow as this; 1 if it is not
                                 slower */
    double p_centre;          /* this chance by the prediction alone, without the tail */
};

/*
 * `self` is the value's own place in peers->sorted, or peers->count when it is not among them. All
 * NaN where fewer than OUTLIER_PEERS_MIN others are there.
 */
struct outlier outlier_of(double x, double se, const struct outlier_peers *peers, size_t self);

/* Qn of sorted[0..n) without the one at `self` (n: none is left out), consistent for normal values
   with the corrections for few of them; NaN for fewer than two. */
double robust_scale_of(const double sorted[], size_t n, size_t self);

/*
 * Holm (1979): adjusted[i] is the smallest level at which p[i] is rejected, so that the chance of
 * any wrong rejection among all m is at most that level, however they depend on each other. `room`
 * has space for 2 m.
 */
void holm_adjust(const double p[], size_t m, double adjusted[], double room[]);

#endif
