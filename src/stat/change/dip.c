/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the levels on both sides of each segment. */
#include "stat/change/segment.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/mean/mean_variance.h"

#define SIDES_TO_DIP 2
#define CONFIDENCE   0.95

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
