/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The number of runs of a configuration that a given precision needs. It follows from how the
 * interval of a mean, a standard deviation or a percentile narrows with the number of runs (Cameron
 * et al., *MOANA* (2019), section 6). This is measured by resampling, and for comparison computed
 * by the law that the interval narrows as 1 / sqrt(runs).
 *
 * Runs must be independent. If the sessions of a configuration follow each other closely, the
 * caller passes one value per session.
 *
 * Pure; any thread. The same seed gives the same answer.
 */
#ifndef CUPEL_STAT_CONVERGENCE_CONVERGENCE_H
#define CUPEL_STAT_CONVERGENCE_CONVERGENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum convergence_statistic { CONVERGENCE_MEAN, CONVERGENCE_DEVIATION, CONVERGENCE_PERCENTILE };

struct convergence_request {
    const double *runs; /* [n], finite; n >= 2 */
    size_t n;
    enum convergence_statistic statistic;
    double share; /* for a percentile: its share, such as 0.99 */
    double confidence;
    size_t resamples; /* number of draws for each number of runs; 0 means 2000 */
    uint64_t seed;
};

/* ---- how the interval narrows (section 6 of the paper) ---- */

struct convergence_step {
    size_t runs;
    double low, high; /* interval of the statistic over this number of runs, at the confidence */
};

/* Computes the steps for first, first + 1, ... last runs, drawn with replacement; 2 <= first <=
   last. Returns -1 with ERR_MACHINE if there is no memory. */
int convergence_curve(struct convergence_step steps[], size_t first, size_t last,
                      const struct convergence_request *q, struct err *e);

/* Returns how far the interval has narrowed, from 0 at the first step to 1 at the last. */
double convergence_reached(const struct convergence_step steps[], size_t count, size_t step);

/* Return the smallest number of runs at which the interval has narrowed by `share`.
   convergence_runs takes it from the measured steps; the other function computes it by the law 1 /
   sqrt(runs), which may give a fraction. */
size_t convergence_runs(const struct convergence_step steps[], size_t count, double share);
double convergence_runs_by_law(double first, double last, double share);

/* ---- runs for a precision ---- */

struct runs_needed {
    /* precision that n runs have: half the interval over |statistic|; infinite if the statistic is
       0 */
    double precision;
    /* total number of runs for the requested precision; infinite: never reached */
    double runs;
    /* total number of runs by the law 1 / sqrt(runs), from the present precision */
    double by_law;
    /* `runs` is above n, so it assumes that further runs are like the measured ones */
    bool beyond;
};

/* Computes the number of runs that `precision` needs (> 0; 0.05 for +- 5 %). The caller gets the
   number of further runs as runs - n. */
int runs_needed_for(struct runs_needed *out, const struct convergence_request *q, double precision,
                    struct err *e);

/* ---- CONFIRM ---- */

/*
 * Computes the ranks, from 1, of the ends of the interval of a median of n values by the normal
 * approximation (Le Boudec, *Performance Evaluation* (2010)). Returns false if n is too small for
 * an interval.
 */
bool median_ranks(size_t n, double confidence, size_t *lower, size_t *upper);

/*
 * Finds the smallest number of these runs whose interval of the median lies, on average over random
 * choices, within +- precision of the median of all runs (Maricq et al., *Taming performance
 * variability*, OSDI 2018). *out becomes 0 if more runs are needed than were measured. The
 * statistic must be the median.
 */
int confirm_runs(size_t *out, const struct convergence_request *q, double precision, struct err *e);

#endif
