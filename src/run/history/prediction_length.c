/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how wide a prediction is for a session of another length. */
#include "run/history/internal.h"

#include <math.h>

static double difference_variance(double n, double m, double d)
{
    const double power = 2 * d + 1;
    return pow(n, power - 2) + pow(m, power - 2) -
           (pow(n + m, power) - pow(n, power) - pow(m, power)) / (n * m);
}

double prediction_stretch(double then, double now, double memory)
{
    if (!(memory > 0)) /* without memory, the powers in the formula cancel */
        return sqrt((1 + then / now) / 2);
    return sqrt(difference_variance(1, now / then, memory) / difference_variance(1, 1, memory));
}
