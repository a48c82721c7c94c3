/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges an index: change points, stable segment, interval, stop rule, and the mean of its type.
 *
 * A proportion has Wilson's interval for the effective number of trials, widened as the stop rule
 * widens other intervals. Its readings may lie between 0 and 1. Its width is compared with the
 * target as an absolute value, because a relative width of a proportion near 0 would take for ever.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/invariant.h"
#include "program/exec/internal.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"

int judging_reserve(struct judging *j, size_t readings, size_t indices, struct err *e)
{
    if (readings <= j->capacity)
        return 0;
    size_t capacity = j->capacity ? j->capacity : 256;
    while (capacity < readings)
        capacity *= 2;
    judging_free(j);
    size_t bytes = judge_scratch_bytes(capacity) + arena_bytes(capacity, sizeof(double)) +
                   indices * arena_bytes(capacity, sizeof(size_t));
    if (arena_init_untouched(&j->scratch, bytes, e))
        return -1;
    for (size_t i = 0; i < indices; i++)
        j->changepoints[i] = arena_alloc(&j->scratch, capacity, sizeof(size_t));
    j->capacity = capacity;
    return 0;
}

void judging_free(struct judging *j)
{
    arena_free(&j->scratch);
    *j = (struct judging){0};
}

static void decide_proportion(struct judgement *j, const struct judge_config *config)
{
    struct estimate *est = &j->estimate;
    struct stop_rule rule = judge_stop_rule(config);
    double trials = est->effective_n;
    if (config->stopping) {
        struct estimate unit = {.low = -1, .high = 1, .n = est->n, .effective_n = trials};
        double factor = stop_widened(&unit, &rule).high;
        trials = trials > 0 ? fmax(trials / (factor * factor), 1) : 0;
    }
    struct proportion p = proportion_wilson(est->mean * trials, trials, est->confidence);
    est->low = p.low;
    est->high = p.high;
    est->next_low = fmax(est->mean - M_SQRT2 * (est->mean - p.low), 0);
    est->next_high = fmin(est->mean + M_SQRT2 * (p.high - est->mean), 1);
    double width = p.high - p.low, excess = width / config->target_width;
    j->enough = j->phase != PHASE_NO_STEADY_STATE && stop_long_enough(est, &rule) &&
                stop_independent_enough(est, &rule) && width <= config->target_width;
    j->held_back = false; /* reasons to go on (claim.doubt) exist only for means */
    double n = (double)est->n;
    j->required_n =
        j->enough ? n : fmax(fmax(n + 1, (double)stop_min_n(&rule)), n * excess * excess);
}

static void describe(const double x[], size_t n, double scratch[], struct execution_index *to)
{
    to->min = to->max = n ? x[0] : NAN;
    for (size_t i = 1; i < n; i++) {
        to->min = fmin(to->min, x[i]);
        to->max = fmax(to->max, x[i]);
    }
    memcpy(scratch, x, n * sizeof *x);
    to->median = median_of(scratch, n);
    to->sd = standard_deviation_of(x, n, mean_of(x, n));
}

/* Returns true if the unit is that of a size, a time, or an amount per time, none of which is below
   0. */
static bool is_amount(const char *unit)
{
    static const char *const units[] = {"s",   "ms",  "us",  "ns",   "B",   "KB",  "MB", "GB",
                                        "KiB", "MiB", "GiB", "IOPS", "tps", "qps", "Hz"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(unit, units[i]))
            return true;
    const char *slash = strrchr(unit, '/');
    return slash && (!strcmp(slash, "/s") || !strcmp(slash, "/min") || !strcmp(slash, "/h"));
}

void index_predict_from_interval(struct execution_index *to)
{
    const bool is_known = isfinite(to->low) && isfinite(to->high);
    to->next_low = is_known ? to->value - M_SQRT2 * (to->value - to->low) : (double)NAN;
    to->next_high = is_known ? to->value + M_SQRT2 * (to->high - to->value) : (double)NAN;
    if (to->type == INDEX_PROPORTION) {
        to->next_low = fmax(to->next_low, 0);
        to->next_high = fmin(to->next_high, 1);
    }
}

/* Cuts the interval at 0 if the mean cannot be negative; the interval then contains the mean as
   often as before. It is not cut if a reading is below 0: then the quantity is a difference,
   whatever its unit. */
void index_cut_at_zero(const struct exec_index *index, struct execution_index *to)
{
    bool never_below = index->type != INDEX_ORDINARY || is_amount(index->unit);
    to->cut = never_below && isfinite(to->low) && to->low < 0 && to->min >= 0;
    to->low = to->cut ? 0 : to->low;
    to->next_low = never_below && to->min >= 0 ? fmax(to->next_low, 0) : to->next_low;
}

void index_judge(struct judging *j, size_t number, const struct exec_index *index,
                 const struct judge_config *common, const double values[], size_t n,
                 struct execution_index *to)
{
    struct judge_config config = *common;
    struct judgement judged;
    struct err e;
    size_t mark = arena_mark(&j->scratch);
    double *work = arena_alloc(&j->scratch, n, sizeof *work);
    if (index->target_width > 0)
        config.target_width = index->target_width;
    config.absolute_width = index->absolute_width;
    config.higher_is_better = index->better == METRIC_BETTER_HIGHER;
    config.changepoints = j->changepoints[number];
    config.changepoint_capacity = j->capacity;
    int status = judge_mean_kind(&judged, values, n,
                                 index->type == INDEX_RATIO ? MEAN_HARMONIC : MEAN_ARITHMETIC,
                                 &config, &j->scratch, &e);
    INVARIANT(!status, "readings_take lets no reading in that its mean cannot have");
    if (index->type == INDEX_PROPORTION)
        decide_proportion(&judged, &config);
    struct estimate wide = config.stopping ? judge_decided(&judged, &config) : judged.estimate;
    const struct estimate *est = &judged.estimate;
    const bool predicts = judge_predicts(&judged);
    *to = (struct execution_index){.type = index->type,
                                   .better = index->better,
                                   .target_width = index->absolute_width > 0
                                                       ? index->absolute_width / fabs(est->mean)
                                                       : index->target_width,
                                   .values = values,
                                   .n = n,
                                   .stable_begin = judged.stable_begin,
                                   .stable_end = judged.stable_end,
                                   .used = judged.stable_end - judged.stable_begin,
                                   .changepoints = j->changepoints[number],
                                   .changepoint_count = judged.changepoints_found,
                                   .phase = phase_name(judged.phase),
                                   .search = judged.search,
                                   .value = est->mean,
                                   .low = est->low,
                                   .high = est->high,
                                   .confidence = est->confidence,
                                   .next_low = predicts ? est->next_low : (double)NAN,
                                   .next_high = predicts ? est->next_high : (double)NAN,
                                   .shift = slow_shift_share(&judged.shift),
                                   .effective_n = est->effective_n,
                                   .autocorrelation = est->autocorrelation,
                                   .required_n = judged.required_n + (double)judged.stable_begin,
                                   .claim = level_claim_unknown(),
                                   .enough = judged.enough,
                                   .held_back = judged.held_back};
    if (index->type == INDEX_ORDINARY || index->type == INDEX_DURATION) {
        struct stop_rule rule = judge_stop_rule(&config);
        to->claim = level_seen(values, &judged, est, to->required_n, &rule, NAN, 0);
    }
    to->width = index->type == INDEX_PROPORTION ? est->high - est->low : relative_width(&wide);
    snprintf(to->name, sizeof to->name, "%s", index->name);
    snprintf(to->op, sizeof to->op, "%s", index->op);
    snprintf(to->unit, sizeof to->unit, "%s", index->unit);
    describe(values + to->stable_begin, to->stable_end - to->stable_begin, work, to);
    index_cut_at_zero(index, to);
    arena_reset(&j->scratch, mark);
}
