/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether a sample has one mode, by the bandwidth that smooths all other modes away. */
#include <math.h>

#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/shape/shape.h"

enum { GRID = 128, STEPS = 24, SAMPLES = 199 };
#define REACH 4 /* number of bandwidths beyond which a value adds almost nothing */

/* Returns the kernel density estimate at a point. x is sorted, so only the readings near the point
   are read. */
static double density_at(const double x[], size_t n, double h, double at)
{
    double sum = 0;
    for (size_t i = sorted_below(x, n, at - REACH * h); i < n && x[i] < at + REACH * h; i++) {
        double z = (x[i] - at) / h;
        sum += exp(-z * z / 2);
    }
    return sum;
}

/* Returns true if the kernel density estimate has more than one mode. The number of modes falls as
   the bandwidth h grows (Silverman 1981). */
static bool has_modes(const double x[], size_t n, double h)
{
    double low = x[0] - h, step = (x[n - 1] - x[0] + 2 * h) / (GRID - 1), before = 0;
    unsigned modes = 0;
    bool rises = false;
    for (unsigned i = 0; i < GRID; i++) {
        double now = density_at(x, n, h, low + step * i);
        if (now > before)
            rises = true;
        else if (now < before && rises) {
            modes++;
            rises = false;
        }
        before = now;
    }
    return modes + rises > 1;
}

/* Returns the smallest bandwidth at which the estimate has one mode. */
static double critical_bandwidth(const double x[], size_t n)
{
    double high = x[n - 1] - x[0], low = high / GRID;
    for (unsigned i = 0; i < STEPS; i++) {
        double middle = sqrt(low * high);
        *(has_modes(x, n, middle) ? &low : &high) = middle;
    }
    return high;
}

double one_mode_p(double x[], size_t n, double room[])
{
    double mean = mean_of(x, n), sd = standard_deviation_of(x, n, mean);
    double *sample = room, *more = room + n;
    struct random random;
    unsigned beyond = 0;
    if (n < MODES_MIN || !(sd > 0))
        return NAN;
    sort_values(x, n, room);
    double h = critical_bandwidth(x, n), shrink = 1 / sqrt(1 + h * h / (sd * sd));
    random_seed(&random, n, 0);
    for (unsigned k = 0; k < SAMPLES; k++) {
        for (size_t i = 0; i < n; i++) {
            double noise = normal_quantile((random_unit(&random) + 0x1p-54));
            sample[i] = mean + (x[random_below(&random, n)] - mean + h * noise) * shrink;
        }
        sort_values(sample, n, more);
        beyond += has_modes(sample, n, h);
    }
    return (beyond + 1.0) / (SAMPLES + 1);
}
