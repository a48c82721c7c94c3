/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Geweke's comparison of the beginning with the end, repeated on what is left. */
#include "stat/change/segment.h"

#include <float.h>
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/mean/mean_variance.h"

#define STEPS          20 /* each takes this part of the readings */
#define BEGINNING      5
#define END            2
#define SETTLED_ERRORS 1.0
#define CLEAR_ERRORS   3.0
#define CONFIDENCE     0.95

size_t settling_scratch_bytes(size_t n)
{
    return mean_variance_scratch_bytes(n);
}

/* By how many standard errors does the first mean lie further up than the second? */
static double difference(const double first[], size_t first_count, const double second[],
                         size_t second_count, double density)
{
    double step = mean_of(first, first_count) - mean_of(second, second_count);
    double variance = density * (1 / (double)first_count + 1 / (double)second_count);
    return step / sqrt(fmax(variance, DBL_MIN));
}

static double beginning_against_end(const double x[], size_t n, double density)
{
    return difference(x, n / BEGINNING, x + n - n / END, n / END, density);
}

size_t settling_length(const double x[], size_t begin, size_t end, size_t most,
                       struct arena *scratch)
{
    size_t n = end - begin, step = n / STEPS, last = n / END, half = begin / 2;
    if (step == 0 || half == 0)
        return 0;
    struct mean_variance v = mean_variance_of(x + end - last, last, CONFIDENCE, scratch);
    double density = v.value * (double)last;
    double from = mean_of(x, begin) > mean_of(x + end - last, last) ? 1 : -1;
    if (from * difference(x, half, x + begin - half, half, density) <= CLEAR_ERRORS)
        return 0;
    size_t length = 0;
    while (length + step <= most &&
           from * beginning_against_end(x + begin + length, n - length, density) > SETTLED_ERRORS)
        length += step;
    return length;
}
