/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a series in steps: change points, stable segment, interval, stop rule. */
#include "stat/judge.h"

#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/change/level_changes.h"
#include "stat/change/segment.h"
#include "stat/estimate/long_memory.h"
#include "stat/estimate/mean_variance.h"
#include "stat/estimate/slow_end.h"

/* Largest shift of the mean that is accepted, as a share of half the interval. */
#define SHIFT_SHARE    (1.0 / 3)
#define APPROACH_STEPS 100
/* A segment of at least SLOW_READINGS readings shows no level if it is worth fewer than
   SLOW_INDEPENDENT independent readings, which is hardly more than a random walk is worth
   (MEAN_VARIANCE_MIN_INDEPENDENT). */
#define SLOW_READINGS    60
#define SLOW_INDEPENDENT (MEAN_VARIANCE_MIN_INDEPENDENT + 0.5)
/* A session goes on while it is in doubt whether the present level holds: while this level began
   after the first third of the readings (LATE_SHARE), or, if it was reached by a step rather than
   gradually, after the first fifth (LATE_STEP_SHARE). In series whose level changes at random
   times, the present level began within the first fifth in only one of five. */
#define LATE_SHARE      3
#define LATE_STEP_SHARE 5

size_t judge_scratch_bytes(size_t n)
{
    size_t estimate = estimate_scratch_bytes(n);
    size_t max = estimate > settling_scratch_bytes(n) ? estimate : settling_scratch_bytes(n);
    max = max > dip_scratch_bytes(n) ? max : dip_scratch_bytes(n);
    max = max > slow_shift_scratch_bytes(n) ? max : slow_shift_scratch_bytes(n);
    max = max > approach_scratch_bytes(n) ? max : approach_scratch_bytes(n);
    max = max > period_scratch_bytes(n) ? max : period_scratch_bytes(n);
    for (int method = CHANGEPOINT_PELT; method <= CHANGEPOINT_NONE; method++) {
        size_t bytes = changepoint_scratch_bytes((enum changepoint_method)method, n);
        if (bytes > max)
            max = bytes;
    }
    return arena_bytes(n, sizeof(double)) + arena_bytes(n, sizeof(size_t)) + max;
}

/*
 * Leaves out the readings that still settle after a warm-up. The remaining segment has to hold more
 * than half of all readings, like the stable segment.
 */
static void leave_out_settling(struct segment_verdict *stable, const double x[], size_t n,
                               struct arena *scratch)
{
    if (stable->begin == 0 || stable->phase == PHASE_NO_STEADY_STATE)
        return;
    size_t length = stable->end - stable->begin, min = n / 2 + 1;
    size_t max = length > min ? length - min : 0;
    max = max < length / 2 ? max : length / 2;
    stable->begin += settling_length(x, stable->begin, stable->end, max, scratch);
}

struct stop_rule judge_stop_rule(const struct judge_config *config)
{
    return (struct stop_rule){config->estimate.method, config->target_width,
                              config->minimum_subsessions, config->minimum_readings,
                              config->absolute_width};
}

/* Returns true if the series left the level of the stable segment and ends at another level. */
static bool ends_elsewhere(const struct judgement *j)
{
    for (size_t i = 0; i < j->changepoint_count; i++)
        if (j->changepoints[i] == j->stable_end)
            return true;
    return false;
}

bool judge_predicts(const struct judgement *j)
{
    const bool known = j->level == LEVEL_HOLDS || j->level == LEVEL_WANDERS;
    return known && !ends_elsewhere(j) && j->phase != PHASE_NO_STEADY_STATE &&
           isfinite(j->estimate.next_low) && isfinite(j->estimate.next_high);
}

void judge_decide(struct judgement *j, const struct judge_config *config)
{
    struct stop_rule rule = judge_stop_rule(config);
    j->required_n = stop_required_n(&j->estimate, &rule);
    const bool reached = j->phase != PHASE_NO_STEADY_STATE && j->level == LEVEL_HOLDS &&
                         stop_now(&j->estimate, &rule);
    j->held_back = reached && config->stopping && j->doubt;
    j->enough = reached && !j->held_back;
    if (!j->enough)
        j->required_n = fmax(j->required_n, (double)j->estimate.n + 1);
    if (reached && config->stopping)
        j->estimate = stop_widened(&j->estimate, &rule);
}

/* If the change of a short series that rises or falls throughout is large enough for a slow shift,
   the series has no steady level. */
static void take_trend(struct judgement *j, struct segment_verdict *stable, const double x[],
                       size_t n, struct arena *scratch)
{
    struct slow_shift line = slow_shift_fit(x, (struct segment){0, n}, scratch);
    if (fabs(line.change) < SLOW_SHIFT_MIN_CHANGE * fabs(mean_of(x, n)))
        return;
    j->shift = line;
    j->shift.found = true;
    stable->phase = PHASE_NO_STEADY_STATE;
}

/* Makes all readings after the warm-up the stable segment if levels come back often enough to count
   as one process. Returns true if they do. */
static bool take_returning(struct segment_verdict *stable, size_t n,
                           const struct level_changes *changes)
{
    if (changes->count < LEVEL_CHANGES_MANY || changes->ends_off)
        return false;
    *stable =
        (struct segment_verdict){changes->begin, n, changes->begin ? PHASE_WARMUP : PHASE_FLAT};
    return true;
}

/*
 * Moves the beginning of the stable segment until the approach to the level shifts the segment's
 * mean by no more than SHIFT_SHARE of half the interval. If that would leave half of the readings
 * or fewer, the level still moves.
 */
static void leave_out_approach(struct judgement *j, const double x[], size_t n, size_t cuts[],
                               size_t count, const struct judge_config *config,
                               struct arena *scratch)
{
    struct estimate *e = &j->estimate;
    size_t end = j->stable_end, begin = j->stable_begin, length = end - begin;
    while (count > 0 && cuts[count - 1] >= end)
        count--;
    j->approach = approach_of(x, end, cuts, count, scratch);
    if (!j->approach.found)
        return;
    double half = (e->high - e->low) / 2;
    for (; fabs(approach_shift(&j->approach, begin, end)) >
           SHIFT_SHARE * half * sqrt((double)length / (double)(end - begin));
         begin += 1 + n / APPROACH_STEPS)
        if (end - begin <= n / 2 + 1) {
            j->level = LEVEL_MOVES;
            break;
        }
    if (begin == j->stable_begin)
        return;
    j->stable_begin = begin;
    j->phase = j->phase == PHASE_FLAT ? PHASE_WARMUP : j->phase;
    j->estimate = estimate_mean(x + begin, end - begin, &config->estimate, scratch);
}

/*
 * Judges whether the stable segment has one level, after its estimate is known. A level that varies
 * by less than the requested interval counts as one level.
 */
static void judge_level(struct judgement *j, const double x[], size_t n,
                        const struct level_changes *changes, const struct stop_rule *rule)
{
    const struct estimate *e = &j->estimate;
    const bool few_changes = changes->count > 0 && changes->count < LEVEL_CHANGES_MANY &&
                             fabs(changes->shift) > SHIFT_SHARE * (e->high - e->low) / 2;
    const double harmless =
        fmax(SHIFT_SHARE * (e->high - e->low) / 2, SLOW_SHIFT_MIN_CHANGE * fabs(e->mean));
    const bool few_periods =
        j->period.found && j->period.cycles < PERIOD_MIN_CYCLES && j->period.shift > harmless;
    const bool slow = j->level == LEVEL_HOLDS && !(e->memory > 0) && e->n >= SLOW_READINGS &&
                      e->effective_n < SLOW_INDEPENDENT;
    j->level_changes = changes->count;
    if (e->memory >= LONG_MEMORY_NO_MEAN && !(e->doubt > 1) && !stop_narrow_enough(e, rule))
        j->level = LEVEL_WANDERS;
    else if (few_changes || few_periods || slow)
        j->level = LEVEL_CYCLES;
    const size_t late_share = j->approach.found ? LATE_SHARE : LATE_STEP_SHARE;
    const bool late = j->stable_begin > n / late_share && changes->count < LEVEL_CHANGES_MANY;
    j->doubt = late                                     ? LEVEL_DOUBT_LATE
               : slow_end_moves(x + j->stable_begin, e) ? LEVEL_DOUBT_SLOW_END
                                                        : LEVEL_DOUBT_NONE;
}

struct judgement judge(const double x[], size_t n, const struct judge_config *config,
                       struct arena *scratch)
{
    struct judgement j = {0};
    const struct stop_rule rule = judge_stop_rule(config);
    const bool pelt = config->changepoint == CHANGEPOINT_PELT;
    size_t mark = arena_mark(scratch);
    double scale = safe_scale_of(x, n);
    if (scale != 1) {
        double *scaled = arena_alloc(scratch, n, sizeof *scaled);
        for (size_t i = 0; i < n; i++)
            scaled[i] = x[i] * scale;
        x = scaled;
    }

    size_t *cuts = arena_alloc(scratch, n, sizeof *cuts);
    size_t count = changepoint_find(config->changepoint, x, n, cuts, n, scratch);
    j.changepoints_found = count;
    j.changepoint_count = count < JUDGE_MAX_CHANGEPOINTS ? count : JUDGE_MAX_CHANGEPOINTS;
    memcpy(j.changepoints, cuts, j.changepoint_count * sizeof cuts[0]);
    if (config->changepoints)
        memcpy(config->changepoints, cuts,
               (count < config->changepoint_capacity ? count : config->changepoint_capacity) *
                   sizeof cuts[0]);
    const struct level_changes changes = level_changes_of(x, n, cuts, count);
    if (pelt)
        count = dip_remove_cuts(x, n, cuts, count, changepoint_penalty(n), scratch);
    struct segment_verdict stable = segment_judge(x, n, cuts, count, config->higher_is_better);
    const bool returning = pelt && take_returning(&stable, n, &changes);
    if (pelt && !returning)
        leave_out_settling(&stable, x, n, scratch);
    j.shift = slow_shift_of(x, n, cuts, count, (struct segment){stable.begin, stable.end}, scratch);
    j.search = changepoint_search(config->changepoint, n);
    if (!j.changepoints_found && changepoint_is_trend(config->changepoint, x, n))
        take_trend(&j, &stable, x, n, scratch);
    j.stable_begin = stable.begin;
    j.stable_end = stable.end;
    j.phase = stable.phase;
    j.estimate =
        estimate_mean(x + stable.begin, stable.end - stable.begin, &config->estimate, scratch);
    if (pelt && !returning && j.phase != PHASE_NO_STEADY_STATE)
        leave_out_approach(&j, x, n, cuts, count, config, scratch);
    if (pelt && j.phase != PHASE_NO_STEADY_STATE) {
        j.period = period_of(x + j.stable_begin, j.stable_end - j.stable_begin, scratch);
        judge_level(&j, x, n, &changes, &rule);
    }
    arena_reset(scratch, mark);
    judge_decide(&j, config);
    j.estimate.mean /= scale;
    j.estimate.low /= scale;
    j.estimate.high /= scale;
    j.estimate.next_low /= scale;
    j.estimate.next_high /= scale;
    j.estimate.sd /= scale;
    j.estimate.part_low /= scale;
    j.estimate.part_high /= scale;
    for (size_t i = 0; i < j.approach.count; i++)
        j.approach.amplitude[i] /= scale;
    j.period.low /= scale;
    j.period.middle /= scale;
    j.period.high /= scale;
    j.period.shift /= scale;
    j.shift.slope /= scale;
    j.shift.low /= scale;
    j.shift.high /= scale;
    j.shift.change /= scale;
    j.shift.first /= scale;
    return j;
}

const char *phase_name(enum phase phase)
{
    static const char *const names[] = {
        [PHASE_FLAT] = "flat",
        [PHASE_WARMUP] = "warmup",
        [PHASE_SLOWDOWN] = "slowdown",
        [PHASE_NO_STEADY_STATE] = "no_steady_state",
    };
    return names[phase];
}
