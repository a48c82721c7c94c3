/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stop rule of a session, and the sample size that it is expected to need.
 *
 * A session that stops when its interval happens to be narrow reports intervals that are too
 * narrow: by Wald's identity the estimated variance of the mean is, at that moment, too small on
 * average by its own relative variance. That is about 4 / effective_n for a model of single
 * readings, and 4 over the number of batches for a model of batch means; estimate_mean makes
 * n^(2/3) batches. Two measures correct this, so that the interval keeps its coverage at the
 * moment the rule fires (measured in tests/unit/test_coverage.c):
 *
 *   - the rule decides on a wider interval, sqrt(1 + 6 / effective_n + 4 / n^(2/3)) times the
 *     estimate's (6 rather than 4, because of skewed readings and the choice of the model's order),
 *     and reports this wider interval when it fires;
 *   - it never fires before there are 4 readings for each required independent one, and at least
 *     250 readings, because fewer do not distinguish slow changes from independence. Readings that
 *     take much longer, because each is a run of a program, may have another minimum
 *     (minimum_readings). Rare events can still be missed: with stalls of 3 readings in 100 the
 *     coverage is .86 when the rule fires after 350 readings, and .92 for levels that hold for 50.
 *
 * If a series has long memory, the first judgement that happens not to find it would end the
 * session. So the width on which the rule decides, and which it reports, allows for memory that
 * is merely plausible (estimate.h, `doubt`). Where memory was found, the effective number of
 * readings stays small at any length and says nothing about how well the variance is known. In
 * that case the rule has no minimum for this number.
 *
 * The rule for INTERVAL_PILOT is Pilot's own (Li et al., *Pilot*, 2016, III-D), for comparison:
 * it fires when there are h = ceil(var_q (t / (w / 2))^2) subsessions, and at least
 * `minimum_subsessions`. var_q is the variance of the subsession means, w the required full width,
 * and t has as many degrees of freedom as the present subsessions allow. Neither of the two
 * measures above applies to it.
 */
#ifndef CUPEL_STAT_ESTIMATE_STOP_RULE_H
#define CUPEL_STAT_ESTIMATE_STOP_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/estimate/estimate.h"

struct stop_rule {
    enum interval_method method; /* method of the estimates on which the rule decides */
    double target_width;         /* required full width of the interval over |mean| */
    size_t minimum_subsessions;  /* minimum number of independent readings */
    /* replaces both the minimum of 4 readings for each independent one and that of 250; 0: these
       minima apply */
    size_t minimum_readings;
    /* replaces target_width: required full width in the unit of the mean; 0: use target_width */
    double absolute_width;
};

/* Returns the full width of the interval over |mean|; infinite when there is no interval or the
   mean is 0. */
double relative_width(const struct estimate *e);

/* Returns the full width over |mean| that the rule requires. */
double stop_target_width(const struct estimate *e, const struct stop_rule *rule);

/*
 * Returns the estimate with the wider interval on which the rule decides, which is reported after
 * the rule has fired; under Pilot's rule the estimate is returned unchanged.
 */
struct estimate stop_widened(const struct estimate *e, const struct stop_rule *rule);

/* Each returns whether one of the three conditions of the rule is met. `e` is the estimate before
   stop_widened. */
bool stop_narrow_enough(const struct estimate *e, const struct stop_rule *rule);
bool stop_independent_enough(const struct estimate *e, const struct stop_rule *rule);
bool stop_long_enough(const struct estimate *e, const struct stop_rule *rule);

/* Returns true if all three conditions hold. */
bool stop_now(const struct estimate *e, const struct stop_rule *rule);

/* Returns the smallest number of readings at which the rule can fire. */
size_t stop_min_n(const struct stop_rule *rule);

/*
 * Returns the total number of readings at which the rule is expected to fire, which follows from
 * how the variance of the mean falls with their number. The result is above e->n while the rule
 * does not fire; it is infinite for a mean of 0, and stop_min_n if there are too few readings for
 * an interval. `e` is the estimate before stop_widened.
 */
double stop_required_n(const struct estimate *e, const struct stop_rule *rule);

/* Returns the relative width on which the rule would decide at n readings, predicted from the
   readings so far. Infinite: there is no interval yet. `e` is the estimate before stop_widened. */
double stop_expected_width(const struct estimate *e, const struct stop_rule *rule, double n);

#endif
