/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Goertzel's recursion, for several frequencies at a time. */
#include "stat/estimate/periodogram.h"

#include <math.h>

#include "stat/basic/descriptive.h"

/* One step of the recursion waits for the one before: other frequencies fill the time. */
#define TOGETHER 8

size_t periodogram_count(size_t n)
{
    return n ? (n - 1) / 2 : 0;
}

void periodogram_of(const double x[], size_t n, double power[], double cosine[])
{
    const double mean = mean_of(x, n);
    const size_t count = periodogram_count(n);
    for (size_t j = 0; j < count; j++)
        cosine[j] = cos(2 * M_PI * (double)(j + 1) / (double)n);
    for (size_t j = 0; j < count; j += TOGETHER) {
        double twice[TOGETHER], before[TOGETHER] = {0}, last[TOGETHER] = {0};
        for (size_t k = 0; k < TOGETHER; k++)
            twice[k] = 2 * cosine[j + k < count ? j + k : j];
        for (size_t t = 0; t < n; t++) {
            const double value = x[t] - mean;
            for (size_t k = 0; k < TOGETHER; k++) {
                double now = value + twice[k] * last[k] - before[k];
                before[k] = last[k];
                last[k] = now;
            }
        }
        for (size_t k = 0; k < TOGETHER && j + k < count; k++)
            power[j + k] =
                (last[k] * last[k] + before[k] * before[k] - twice[k] * last[k] * before[k]) /
                (double)n;
    }
}

const double *periodogram_readings(const double x[], size_t *n, double room[])
{
    size_t size = (*n + PERIODOGRAM_MAX_READINGS - 1) / PERIODOGRAM_MAX_READINGS;
    if (size < 2)
        return x;
    *n /= size;
    for (size_t i = 0; i < *n; i++)
        room[i] = mean_of(x + i * size, size);
    return room;
}
