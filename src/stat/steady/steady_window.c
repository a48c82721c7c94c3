/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the rule of the PTS to the range and slope of five rounds. */
#include <math.h>

#include "stat/steady/steady.h"

/* A value exactly at the limit is within the limit; rounding must not change that. */
#define ROUNDING 1e-12

struct steady_window steady_window_of(const double y[STEADY_WINDOW])
{
    const double middle = (STEADY_WINDOW - 1) / 2.0;
    struct steady_window w = {.min = y[0], .max = y[0]};
    double weight = 0;
    for (size_t i = 0; i < STEADY_WINDOW; i++) {
        double x = (double)i - middle;
        w.mean += y[i] / STEADY_WINDOW;
        w.slope += x * y[i];
        weight += x * x;
        w.min = fmin(w.min, y[i]);
        w.max = fmax(w.max, y[i]);
    }
    w.slope /= weight;
    w.first = w.mean - middle * w.slope;
    w.range = (w.max - w.min) / w.mean;
    w.change = w.slope * (STEADY_WINDOW - 1) / w.mean;
    w.steady = w.mean > 0 && isfinite(w.mean) && w.range <= STEADY_RANGE + ROUNDING &&
               fabs(w.change) <= STEADY_CHANGE + ROUNDING;
    return w;
}

size_t steady_after(const double *const y[], size_t count, size_t rounds)
{
    for (size_t end = STEADY_WINDOW; end <= rounds; end++) {
        size_t steady = 0;
        for (size_t i = 0; i < count; i++)
            steady += steady_window_of(y[i] + end - STEADY_WINDOW).steady;
        if (steady == count)
            return end;
    }
    return 0;
}
