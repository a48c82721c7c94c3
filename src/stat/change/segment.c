/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the stable segment: the longest one, whether it holds more than half of the readings, and
   its phase. Removes dips, and the tail of a warm-up at its beginning. */
#include "stat/change/segment.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/change/internal.h"
#include "stat/estimate/mean_variance.h"

#define SIDES_TO_DIP   2
#define STEPS          20 /* each step leaves out 1/STEPS of the level's readings */
#define BEGINNING      5
#define END            2
#define SETTLED_ERRORS 1.0
#define CLEAR_ERRORS   3.0
#define CONFIDENCE     0.95

size_t cuts_collect(const uint32_t last_cut[], size_t n, size_t out[], size_t capacity)
{
    size_t count = 0;
    for (size_t i = last_cut[n]; i > 0; i = last_cut[i])
        count++;
    size_t place = count;
    for (size_t i = last_cut[n]; i > 0; i = last_cut[i])
        if (--place < capacity)
            out[place] = i;
    return count;
}

struct segment segment_longest(size_t n, const size_t cuts[], size_t cut_count)
{
    struct segment longest = {0, 0};
    size_t begin = 0;
    for (size_t i = 0; i <= cut_count; i++) {
        size_t end = i < cut_count ? cuts[i] : n;
        if (end - begin > longest.end - longest.begin)
            longest = (struct segment){begin, end};
        begin = end;
    }
    return longest;
}

struct segment_verdict segment_judge(const double x[], size_t n, const size_t cuts[],
                                     size_t cut_count, bool higher_is_better)
{
    struct segment stable = segment_longest(n, cuts, cut_count);
    size_t length = stable.end - stable.begin;
    if (cut_count > 0 && length <= n - length)
        return (struct segment_verdict){0, n, PHASE_NO_STEADY_STATE};
    struct segment_verdict verdict = {stable.begin, stable.end, PHASE_WARMUP};
    if (length == n)
        verdict.phase = PHASE_FLAT;
    if (stable.end == n)
        return verdict;
    double change = mean_of(x + stable.end, n - stable.end) - mean_of(x + stable.begin, length);
    bool worse = higher_is_better ? change < 0 : change > 0;
    if (worse && n - stable.end > stable.begin)
        verdict.phase = PHASE_SLOWDOWN;
    return verdict;
}

/* ---- dips ---- */

size_t dip_scratch_bytes(size_t n)
{
    return mean_variance_scratch_bytes(n);
}

static bool is_one_level(const double a[], size_t a_count, const double b[], size_t b_count,
                         double min_worth, struct arena *scratch)
{
    struct mean_variance va = mean_variance_of(a, a_count, CONFIDENCE, scratch);
    struct mean_variance vb = mean_variance_of(b, b_count, CONFIDENCE, scratch);
    double step = mean_of(a, a_count) - mean_of(b, b_count);
    double degrees = fmax(va.degrees + vb.degrees, 1);
    double square = step * step / fmax(va.value + vb.value, DBL_MIN);
    return (degrees + 1) * log1p(square / degrees) < min_worth;
}

size_t dip_remove_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count,
                       double min_worth, struct arena *scratch)
{
    for (size_t i = 0; i + 1 < cut_count;) {
        size_t begin = i > 0 ? cuts[i - 1] : 0, end = i + 2 < cut_count ? cuts[i + 2] : n;
        size_t before = cuts[i] - begin, dip = cuts[i + 1] - cuts[i], after = end - cuts[i + 1];
        if (SIDES_TO_DIP * dip <= before && SIDES_TO_DIP * dip <= after && before + after > n / 2 &&
            is_one_level(x + begin, before, x + cuts[i + 1], after, min_worth, scratch)) {
            memmove(&cuts[i], &cuts[i + 2], (cut_count - i - 2) * sizeof cuts[0]);
            cut_count -= 2;
            i = i > 0 ? i - 1 : 0;
        } else {
            i++;
        }
    }
    return cut_count;
}

/* ---- settling: Geweke's comparison of the beginning with the end, repeated on the remaining
   readings ---- */

size_t settling_scratch_bytes(size_t n)
{
    return mean_variance_scratch_bytes(n);
}

/* Returns the difference of the means of the two ranges of readings, first minus second, in
   standard errors. */
static double errors_between(const double first[], size_t first_count, const double second[],
                             size_t second_count, double density)
{
    double step = mean_of(first, first_count) - mean_of(second, second_count);
    double variance = density * (1 / (double)first_count + 1 / (double)second_count);
    return step / sqrt(fmax(variance, DBL_MIN));
}

size_t settling_length(const double x[], size_t begin, size_t end, size_t max,
                       struct arena *scratch)
{
    size_t n = end - begin, step = n / STEPS, last = n / END, half = begin / 2;
    if (step == 0 || half == 0)
        return 0;
    struct mean_variance v = mean_variance_of(x + end - last, last, CONFIDENCE, scratch);
    double density = v.value * (double)last;
    double from = mean_of(x, begin) > mean_of(x + end - last, last) ? 1 : -1;
    if (from * errors_between(x, half, x + begin - half, half, density) <= CLEAR_ERRORS)
        return 0;
    size_t length = 0;
    for (; length + step <= max; length += step) {
        const double *rest = x + begin + length;
        size_t left = n - length;
        double errors =
            errors_between(rest, left / BEGINNING, rest + left - left / END, left / END, density);
        if (!(from * errors > SETTLED_ERRORS))
            break;
    }
    return length;
}
