/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the bottleneck: the part of the data path that this session used to its limit, and the
 * share of the measured time in which it did. For a core, only the time of workers and interrupts
 * counts; other_programs.h reports the time of other programs.
 */
#include "run/watch/gauge_samples.h"

#include <math.h>

#define ROUNDING_SECONDS 1e-6 /* tolerance for sums of samples' lengths */

static bool is_saturated(const struct watch_window *window)
{
    return window->sum > WATCH_BOTTLENECK * window->seconds &&
           window->own_sum > WATCH_BOTTLENECK * window->seconds;
}

void watch_use(struct watch_part *p, const struct watch_sample *sample, double used, double seconds)
{
    struct watch_window *window = &p->window;
    double own = used;
    if (p->workers >= 0) {
        double workers = (double)sample->value[p->workers];
        double interrupts = p->interrupts >= 0 ? (double)sample->value[p->interrupts] : 0;
        own = (isnan(workers) ? 0 : workers) + (isnan(interrupts) ? 0 : interrupts);
    }
    p->sum += used * seconds;
    p->seconds += seconds;
    p->peak = fmax(p->peak, used);
    window->sum += used * seconds;
    window->own_sum += own * seconds;
    window->seconds += seconds;
    if (window->seconds < WATCH_WINDOW_SECONDS - ROUNDING_SECONDS)
        return;
    if (is_saturated(window)) {
        p->saturated_seconds += window->seconds;
        p->saturated_sum += window->sum;
    }
    *window = (struct watch_window){0};
}

/* For old records, which have no gauge of the workers' time on a core but only the mean over the
   session: returns true if workers and interrupts did not saturate the core, so that others did. */
static bool is_of_others(const struct watch *w, const struct watch_part *p)
{
    if (p->interrupts < 0 || p->workers >= 0)
        return false;
    const struct watch_gauge *g = &w->gauges[p->interrupts];
    return p->own + (g->seconds > 0 ? g->sum / g->seconds : 0) <= WATCH_BOTTLENECK;
}

double watch_saturated(const struct watch *w, const struct watch_part *p)
{
    if (!(p->seconds > 0))
        return NAN;
    if (is_of_others(w, p))
        return 0;
    double last =
        /* the last window may be shorter, so it is added separately */
        is_saturated(&p->window) ? p->window.seconds : 0;
    return fmin((p->saturated_seconds + last) / p->seconds, 1);
}

bool watch_is_refuted(const struct watch_part *p)
{
    return p->sum > WATCH_REFUTED * p->seconds ||
           p->saturated_sum > WATCH_REFUTED * p->saturated_seconds;
}

bool watch_is_bottleneck(const struct watch *w, const struct watch_part *p)
{
    return !p->under_test && !p->aside && !watch_is_refuted(p) &&
           watch_saturated(w, p) >= WATCH_SATURATED_TIME;
}
