/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the range of readings that a line fits better than levels do, and tests the slope of that
   line. */
#include "stat/change/slow_shift.h"

#include <float.h>
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/mean_variance.h"

#define CONFIDENCE 0.95

size_t slow_shift_scratch_bytes(size_t n)
{
    return arena_bytes(n, sizeof(double)) + mean_variance_scratch_bytes(n);
}

/* Sums over readings. `n`: number of readings; `i`: a reading's index minus an origin; `x`: its
   value minus an origin; `ii`, `ix`, `xx`: products. */
struct sums {
    double n, i, x, ii, ix, xx;
};

static double squares_about_mean(const struct sums *s)
{
    return s->xx - s->x * s->x / s->n;
}

static double squares_about_line(const struct sums *s)
{
    double spread = s->ii - s->i * s->i / s->n, along = s->ix - s->i * s->x / s->n;
    return squares_about_mean(s) - (spread > 0 ? along * along / spread : 0);
}

static void add_readings(struct sums *s, const double x[], struct segment r, double centre,
                         double middle)
{
    for (size_t i = r.begin; i < r.end; i++) {
        double place = (double)i - middle, value = x[i] - centre;
        s->n++;
        s->i += place;
        s->x += value;
        s->ii += place * place;
        s->ix += place * value;
        s->xx += value * value;
    }
}

/* Returns the earliest cut at or before `stable` such that a line fits x[cut..end) better than
   levels do; `end` when there is no such cut. */
static size_t line_begin(const double x[], size_t end, const size_t cuts[], size_t cut_count,
                         struct segment stable)
{
    struct sums all = {0};
    double levels = 0, centre = mean_of(x + stable.begin, stable.end - stable.begin);
    size_t begin = end, last = end;
    while (cut_count > 0 && cuts[cut_count - 1] >= end)
        cut_count--;
    for (size_t k = cut_count + 1; k-- > 0;) {
        struct segment level = {k > 0 ? cuts[k - 1] : 0, last};
        struct sums own = {0};
        add_readings(&own, x, level, centre, (double)stable.begin);
        levels += squares_about_mean(&own);
        add_readings(&all, x, level, centre, (double)stable.begin);
        last = level.begin;
        if (last <= stable.begin && squares_about_line(&all) < levels)
            begin = last;
    }
    return begin;
}

static struct segment stretch_of(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                                 struct segment stable)
{
    struct segment all = {line_begin(x, n, cuts, cut_count, stable), n};
    struct segment early = {line_begin(x, stable.end, cuts, cut_count, stable), stable.end};
    size_t all_length = all.end - all.begin, early_length = early.end - early.begin;
    struct segment longer = all_length >= early_length ? all : early;
    return longer.end - longer.begin > stable.end - stable.begin ? longer : stable;
}

struct slow_shift slow_shift_of(const double x[], size_t n, const size_t cuts[], size_t cut_count,
                                struct segment stable, struct arena *scratch)
{
    struct segment stretch = stretch_of(x, n, cuts, cut_count, stable);
    if (stretch.end - stretch.begin < SLOW_SHIFT_MIN_READINGS)
        return (struct slow_shift){.begin = stretch.begin, .end = stretch.end};
    return slow_shift_fit(x, stretch, scratch);
}

struct slow_shift slow_shift_fit(const double x[], struct segment stretch, struct arena *scratch)
{
    struct slow_shift s = {.begin = stretch.begin, .end = stretch.end};
    size_t n = stretch.end - stretch.begin;
    x += stretch.begin;
    double centre = ((double)n - 1) / 2, mean = mean_of(x, n), along = 0, spread = 0;
    for (size_t i = 0; i < n; i++) {
        double place = (double)i - centre;
        along += place * (x[i] - mean);
        spread += place * place;
    }
    s.slope = along / spread;
    s.change = s.slope * (double)n;
    double least = x[0], greatest = x[0];
    for (size_t i = 1; i < n; i++) {
        least = fmin(least, x[i]);
        greatest = fmax(greatest, x[i]);
    }
    s.first = fmin(fmax(mean - s.change / 2, least), greatest);

    size_t mark = arena_mark(scratch);
    double *deviation = arena_alloc(scratch, n, sizeof *deviation);
    for (size_t i = 0; i < n; i++)
        deviation[i] = x[i] - mean - s.slope * ((double)i - centre);
    struct mean_variance v = mean_variance_of(deviation, n, CONFIDENCE, scratch);
    arena_reset(scratch, mark);
    /* the fitted slope costs one independent reading */
    double degrees = fmax(v.degrees - 1, 1);
    double density = v.value * (double)n * (v.degrees + 1) / fmax(v.degrees, 1);
    double error = sqrt(density / spread);
    double half = student_t_quantile((1 + CONFIDENCE) / 2, degrees) * error;
    s.low = s.slope - half;
    s.high = s.slope + half;
    s.found = student_t_two_sided(s.slope / fmax(error, DBL_MIN), degrees) < SLOW_SHIFT_ERROR &&
              fabs(s.change) >= SLOW_SHIFT_MIN_CHANGE * fabs(mean);
    return s;
}

/* Returns the change as a share of `first`; the loss of a level above 0 is limited to 1. */
static double share_of_first(double change, double first)
{
    double share = change / fabs(first);
    return first > 0 ? fmax(share, -1) : share;
}

struct level_shift slow_shift_share(const struct slow_shift *s)
{
    double n = (double)(s->end - s->begin);
    struct level_shift share = {s->found, s->end - s->begin, (double)NAN, (double)NAN, (double)NAN};
    if (s->first == 0)
        return share;
    share.share = share_of_first(s->change, s->first);
    share.low = share_of_first(s->low * n, s->first);
    share.high = share_of_first(s->high * n, s->first);
    return share;
}
