/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest segment, whether it dominates, and what the readings around it say. */
#include "stat/change/segment.h"

#include "stat/basic/descriptive.h"

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

static enum phase phase_around(const double x[], size_t n, size_t begin, size_t end,
                               bool higher_is_better)
{
    if (begin == 0 && end == n)
        return PHASE_FLAT;
    if (end == n)
        return PHASE_WARMUP;
    double change = mean_of(x + end, n - end) - mean_of(x + begin, end - begin);
    bool worse = higher_is_better ? change < 0 : change > 0;
    return worse && n - end > begin ? PHASE_SLOWDOWN : PHASE_WARMUP;
}

struct segment_verdict segment_judge(const double x[], size_t n, const size_t cuts[],
                                     size_t cut_count, bool higher_is_better)
{
    struct segment stable = segment_longest(n, cuts, cut_count);
    size_t length = stable.end - stable.begin;
    if (cut_count > 0 && length <= n - length)
        return (struct segment_verdict){0, n, PHASE_NO_STEADY_STATE};
    enum phase phase = phase_around(x, n, stable.begin, stable.end, higher_is_better);
    return (struct segment_verdict){stable.begin, stable.end, phase};
}
