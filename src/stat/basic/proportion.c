/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wilson's score interval (E. B. Wilson, 1927). */
#include "stat/basic/proportion.h"

#include <math.h>

#include "stat/basic/distribution.h"

struct proportion proportion_wilson(double successes, double trials, double confidence)
{
    if (!(trials > 0))
        return (struct proportion){.value = NAN, .low = 0, .high = 1};
    double p = successes / trials;
    double z = normal_quantile((1 + confidence) / 2);
    double z2 = z * z / trials;
    double centre = (p + z2 / 2) / (1 + z2);
    double half = sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2);
    return (struct proportion){
        .value = p, .low = fmax(0, centre - half), .high = fmin(1, centre + half)};
}
