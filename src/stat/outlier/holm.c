/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holm's step-down adjustment of many p-values. */
#include <math.h>
#include <string.h>

#include "stat/basic/sort.h"
#include "stat/outlier/outlier.h"

void holm_adjust(const double p[], size_t m, double adjusted[], double room[])
{
    double *sorted = room, highest = 0;
    if (!m)
        return;
    memcpy(sorted, p, m * sizeof *p);
    sort_values(sorted, m, room + m);
    double *steps = room + m;
    for (size_t k = 0; k < m; k++) {
        highest = fmax(highest, fmin(1, (double)(m - k) * sorted[k]));
        steps[k] = highest;
    }
    for (size_t i = 0; i < m; i++)
        adjusted[i] = steps[sorted_below(sorted, m, p[i])];
}
