/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random series for the tests of change points: seeded, so that every run sees the same numbers. */
#ifndef TESTS_UNIT_SIMULATED_H
#define TESTS_UNIT_SIMULATED_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* splitmix64 */
static inline uint64_t simulated_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double simulated_uniform(uint64_t *state)
{
    return (double)(simulated_bits(state) >> 11) * 0x1p-53;
}

static inline double simulated_normal(uint64_t *state)
{
    const double two_pi = 6.283185307179586;
    double radius = sqrt(-2 * log(1 - simulated_uniform(state)));
    return radius * cos(two_pi * simulated_uniform(state));
}

/* Fills x with AR(1) of autocorrelation rho, with innovations of standard deviation 1, starting
   from its stationary distribution. */
static inline void simulated_ar1(double x[], size_t n, double rho, uint64_t *state)
{
    double y = simulated_normal(state) / sqrt(1 - rho * rho);
    for (size_t i = 0; i < n; i++) {
        x[i] = y;
        y = rho * y + simulated_normal(state);
    }
}

#endif
