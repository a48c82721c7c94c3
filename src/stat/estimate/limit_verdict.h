/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a mean or a percentile keeps its limit: sequential.h over what estimate.h and
 * exceedance.h found. Clauses of a session and those of a column of numbers are judged by it. Pure,
 * any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_LIMIT_VERDICT_H
#define CUPEL_STAT_ESTIMATE_LIMIT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/estimate/estimate.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/sequential.h"

struct limit {
    double value;
    bool above;   /* what is judged has to lie above the value; otherwise below it */
    double alpha; /* the chance that the verdict is ever wrong */
};

struct limit_verdict {
    enum sequential_verdict verdict;
    double more; /* how many times as many readings are expected to decide; 1: they do already */
    const char *lack; /* why nothing can be decided yet, or NULL */
};

/* `mean` with the interval that it would be reported with (stop_widened). */
struct limit_verdict limit_verdict_of_mean(const struct estimate *mean, const struct limit *limit);

/* A share of `effective_n` independent trials. */
struct limit_verdict limit_verdict_of_share(double share, double effective_n,
                                            const struct limit *limit);

/*
 * A percentile. `most` counts every value that may lie above the limit, `least` those that surely
 * do: where values are known to a bucket, the one that holds the limit is counted against it for a
 * pass, and for it for a failure. `below`: the percentile itself lies below the limit.
 *
 * Few values lie above a limit that is kept easily, and little is known of their clusters. But a
 * percentile below a smaller threshold lies below the limit too: most[1..thresholds) are of smaller
 * thresholds, least[1..thresholds) of larger ones, and a weighted mean of the evidence at all of
 * them counts, which is evidence of the same kind. Up to LIMIT_THRESHOLDS, the limit itself first.
 *
 * A level that wanders makes the tail wander more than a short run shows. `wide`, or NULL, are
 * exceedances of thresholds that many values lie above (the one that LIMIT_WIDER times as many
 * exceed as the percentile, and the median): evidence that a limit is kept takes the tail to wander
 * as these do, with twice their variance, and waits for LIMIT_STRETCHES independent stretches of
 * time.
 */
#define LIMIT_THRESHOLDS 3
#define LIMIT_WIDE       2
#define LIMIT_WIDER      10
#define LIMIT_STRETCHES  8
struct limit_verdict limit_verdict_of_percentile(const struct exceedance most[],
                                                 const struct exceedance least[], size_t thresholds,
                                                 const struct exceedance wide[LIMIT_WIDE],
                                                 double share, bool below, size_t stretches,
                                                 const struct limit *limit);

#endif
