/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds change points, the stable rounds and the interval of their slope. */
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/judge.h"
#include "stat/steady/steady.h"

const char *drift_verdict_name(enum drift_verdict verdict)
{
    static const char *const names[] = {
        [DRIFT_UNDECIDED] = "undecided",
        [DRIFT_STEADY] = "steady",
        [DRIFT_DRIFTING] = "drifting",
    };
    return names[verdict];
}

size_t drift_scratch_bytes(size_t rounds)
{
    return judge_scratch_bytes(rounds);
}

/* Fits a line to y[begin..end) by ordinary least squares; Student's t has n - 2 degrees of
   freedom. */
static void fit_line(struct drift *d, const double y[], double confidence)
{
    size_t n = d->end - d->begin;
    if (n < 3)
        return;
    const double *value = y + d->begin;
    double mean = mean_of(value, n), middle = (double)(n - 1) / 2, slope = 0, weight = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        slope += ((double)i - middle) * (value[i] - mean);
        weight += ((double)i - middle) * ((double)i - middle);
    }
    slope /= weight;
    for (size_t i = 0; i < n; i++) {
        double deviation = value[i] - mean - slope * ((double)i - middle);
        rest += deviation * deviation;
    }
    double degrees = (double)n - 2, over = (STEADY_WINDOW - 1) / fabs(mean);
    double error =
        student_t_quantile((1 + confidence) / 2, degrees) * sqrt(rest / degrees / weight);
    d->change = slope * over;
    d->low = (slope - error) * over;
    d->high = (slope + error) * over;
}

struct drift drift_of(const double y[], size_t rounds, bool higher_is_better, double confidence,
                      struct arena *scratch)
{
    const struct judge_config config = {
        .changepoint = CHANGEPOINT_PELT,
        .estimate = {INTERVAL_SPECTRAL, confidence, 0.1},
        .target_width = STEADY_CHANGE,
        .minimum_subsessions = STEADY_WINDOW,
        .minimum_readings = STEADY_WINDOW,
        .higher_is_better = higher_is_better,
    };
    /* Few rounds give no change points, so the first rounds may still approach the level gradually.
       Only the last half of the rounds is used. */
    struct judgement j = judge(y, rounds, &config, scratch);
    size_t half = (rounds + 1) / 2, last = half > STEADY_WINDOW ? half : STEADY_WINDOW;
    size_t begin = rounds > last ? rounds - last : 0;
    begin = begin > j.stable_begin && begin < j.stable_end ? begin : j.stable_begin;
    struct drift d = {.phase = j.phase,
                      .begin = begin,
                      .end = j.stable_end,
                      .mean =
                          estimate_mean(y + begin, j.stable_end - begin, &config.estimate, scratch),
                      .change = NAN,
                      .low = -INFINITY,
                      .high = INFINITY};
    fit_line(&d, y, confidence);
    if (d.phase == PHASE_NO_STEADY_STATE || d.phase == PHASE_SLOWDOWN || d.low > STEADY_CHANGE ||
        d.high < -STEADY_CHANGE)
        d.verdict = DRIFT_DRIFTING;
    else if (d.low >= -STEADY_CHANGE && d.high <= STEADY_CHANGE)
        d.verdict = DRIFT_STEADY;
    return d;
}
