/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One level against two, and against a line, by least squares; changes far beyond chance stay. */
#include "stat/change/internal.h"

#include <math.h>

#include "stat/basic/descriptive.h"

#define LEAST_LEVEL  4
#define STEP_SQUARE  70.0
#define TREND_SQUARE 30.0
#define EXACT        1e-12 /* share of the squares about the mean; less is rounding */

/* Squares about the mean, and the squares that the best stretch of another level, or a line,
   explains. */
struct explained {
    double all, by_step, by_line;
    size_t begin, end; /* the stretch, half open; it may lie at either end of the series */
};

/* The square of Student's t. */
static double square_of(double explained, double all, size_t n)
{
    double left = fmax(all - explained, EXACT * all);
    return all > 0 ? ((double)n - 2) * explained / left : 0;
}

/* Returns whether the stretch, and each side of it that exists, hold LEAST_LEVEL readings or more;
   so must the sides together. */
static bool is_stretch(size_t begin, size_t end, size_t n)
{
    size_t length = end - begin;
    return length >= LEAST_LEVEL && n - length >= LEAST_LEVEL &&
           (begin == 0 || begin >= LEAST_LEVEL) && (end == n || n - end >= LEAST_LEVEL);
}

/* Explains the series by the best stretch and by a line, from running sums of the deviations from
   the mean. */
static struct explained explain(const double x[], size_t n)
{
    struct explained best = {0};
    double sums[SHORT_SERIES_MAX + 1] = {0}, mean = mean_of(x, n), along = 0, spread = 0;
    for (size_t i = 0; i < n; i++) {
        double deviation = x[i] - mean, place = (double)i - ((double)n - 1) / 2;
        sums[i + 1] = sums[i] + deviation;
        best.all += deviation * deviation;
        along += place * deviation;
        spread += place * place;
    }
    best.by_line = along * along / spread;
    for (size_t begin = 0; begin + LEAST_LEVEL <= n; begin++)
        for (size_t end = begin + LEAST_LEVEL; end <= n; end++) {
            if (!is_stretch(begin, end, n))
                continue;
            double sum = sums[end] - sums[begin], length = (double)(end - begin);
            double by_step = sum * sum * (1 / length + 1 / ((double)n - length));
            if (by_step > best.by_step) {
                best.by_step = by_step;
                best.begin = begin;
                best.end = end;
            }
        }
    return best;
}

static bool has_step(const struct explained *by, size_t n)
{
    return by->by_step > by->by_line && square_of(by->by_step, by->all, n) >= STEP_SQUARE;
}

/* Writes the cuts of x[from..to), ascending, to out[count..]. Returns the new count. */
static size_t add_cuts(const double x[], size_t from, size_t to, size_t out[], size_t count)
{
    size_t n = to - from;
    if (n < SHORT_SERIES_MIN)
        return count;
    struct explained by = explain(x + from, n);
    if (!has_step(&by, n))
        return count;
    count = add_cuts(x, from, from + by.begin, out, count);
    if (by.begin > 0)
        out[count++] = from + by.begin;
    count = add_cuts(x, from + by.begin, from + by.end, out, count);
    if (by.end < n) {
        out[count++] = from + by.end;
        count = add_cuts(x, from + by.end, to, out, count);
    }
    return count;
}

size_t short_series_cuts(const double x[], size_t n, size_t cuts[])
{
    return add_cuts(x, 0, n, cuts, 0);
}

bool short_series_is_trend(const double x[], size_t n)
{
    if (n < SHORT_SERIES_MIN || n > SHORT_SERIES_MAX)
        return false;
    struct explained by = explain(x, n);
    return !has_step(&by, n) && square_of(by.by_line, by.all, n) >= TREND_SQUARE;
}
