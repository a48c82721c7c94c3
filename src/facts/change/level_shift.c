/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a shift of a level in words. */
#include "facts/change/level_shift.h"

#include <math.h>
#include <stdio.h>

#define MANY_TIMES 10 /* a rise by this share or more is written as a factor, not in % */

const char *level_shift_words(char *to, size_t size, const struct level_shift *s)
{
    double a = fabs(s->low), b = fabs(s->high), low = fmin(a, b), high = fmax(a, b);
    if (isnan(s->share))
        snprintf(to, size, "moves away from 0");
    else if (s->share >= MANY_TIMES)
        snprintf(to, size, "rises to %.3g times its first level (%.3g to %.3g)", 1 + s->share,
                 1 + s->low, 1 + s->high);
    else
        snprintf(to, size, "%s by %.3g %% (%.3g to %.3g %%)", s->share < 0 ? "falls" : "rises",
                 100 * fabs(s->share), 100 * low, 100 * high);
    return to;
}
