/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which levels belong to the warm-up, and how much the levels after it shift the mean. */
#include "stat/change/level_changes.h"

#include <math.h>

#include "stat/basic/descriptive.h"

/* A level also counts as inside the range of the other levels if it lies beyond that range by at
   most this share of the step to the next level. */
#define RETURN_SHARE 0.25

struct range {
    double low, high;
};

static bool is_outside(const struct range *r, double level, double step)
{
    double margin = RETURN_SHARE * fabs(step);
    return level < r->low - margin || level > r->high + margin;
}

static struct range extended(struct range r, double level)
{
    return (struct range){fmin(r.low, level), fmax(r.high, level)};
}

struct level_changes level_changes_of(const double x[], size_t n, const size_t cuts[],
                                      size_t cut_count)
{
    struct level_changes c = {0, cut_count, false, 0};
    /* Goes from the last level to the first: the warm-up ends before the first level that lies
       within the range of the levels after it. */
    struct range later = {INFINITY, -INFINITY};
    double next = 0;
    size_t first = cut_count;
    for (size_t i = cut_count + 1; i-- > 0;) {
        size_t begin = i > 0 ? cuts[i - 1] : 0, end = i < cut_count ? cuts[i] : n;
        double level = mean_of(x + begin, end - begin);
        if (i < cut_count && !is_outside(&later, level, next - level))
            first = i;
        later = extended(later, level);
        next = level;
    }
    c.begin = first > 0 ? cuts[first - 1] : 0;
    c.count = cut_count - first;

    struct range others = {INFINITY, -INFINITY};
    size_t longest = 0, longest_other = 0;
    double main_level = 0, before = 0;
    for (size_t i = first; i <= cut_count; i++) {
        size_t begin = i > 0 ? cuts[i - 1] : 0, end = i < cut_count ? cuts[i] : n;
        double level = mean_of(x + begin, end - begin);
        if (end - begin > longest) {
            longest = end - begin;
            main_level = level;
        }
        if (i < cut_count) {
            others = extended(others, level);
            longest_other = longest;
        } else {
            c.ends_off = c.count > 0 && end - begin > longest_other &&
                         is_outside(&others, level, level - before);
        }
        before = level;
    }
    c.shift = mean_of(x + c.begin, n - c.begin) - main_level;
    return c;
}
