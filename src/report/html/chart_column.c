/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summarises several points that fall into one column. */
#include <math.h>

#include "report/html/internal.h"

struct chart_column chart_column_of(const double values[], size_t begin, size_t end)
{
    struct chart_column c = {NAN, NAN, NAN};
    double sum = 0;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        if (!isfinite(values[i]))
            continue;
        sum += values[i];
        n++;
        c.low = fmin(c.low, values[i]); /* fmin and fmax ignore NaN */
        c.high = fmax(c.high, values[i]);
    }
    if (n > 0)
        c.mean = sum / (double)n;
    return c;
}
