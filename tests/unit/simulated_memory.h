/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series about 0 with known kinds of memory: a table of processes, for the unit tests of
 * comparisons and percentiles, and for their bench. Fractional Gaussian noise is made by circulant
 * embedding (R. B. Davies, D. S. Harte, "Tests for Hurst effect", 1987), which is exact.
 */
#ifndef TESTS_UNIT_SIMULATED_MEMORY_H
#define TESTS_UNIT_SIMULATED_MEMORY_H

#include <complex.h>
#include <math.h>

#include "simulated.h"

#define MEMORY_READINGS_MAX   4096
#define MEMORY_FRACTIONAL_MAX 32768 /* limit of memory_fractional only */
#define MEMORY_CIRCLE         ((size_t)2 * MEMORY_FRACTIONAL_MAX)

enum memory_kind {
    MEMORY_AUTOREGRESSIVE,
    MEMORY_LOGNORMAL,
    MEMORY_LEVELS,
    MEMORY_UNDER_NOISE,
    MEMORY_HURST,
    MEMORY_WALK
};

struct memory_process {
    const char *name;
    enum memory_kind kind;
    /* by process: autocorrelation; unused; probability of another level; autocorrelation of a level
       under noise; Hurst's exponent; step of the walk under noise of 1 */
    double parameter;
};

static const struct memory_process memory_processes[] = {
    {"independent", MEMORY_AUTOREGRESSIVE, 0},
    {"lognormal", MEMORY_LOGNORMAL, 0},
    {"AR(1) .5", MEMORY_AUTOREGRESSIVE, 0.5},
    {"AR(1) .9", MEMORY_AUTOREGRESSIVE, 0.9},
    {"AR(1) .95", MEMORY_AUTOREGRESSIVE, 0.95},
    {"levels of 10", MEMORY_LEVELS, 0.1},
    {"levels of 50", MEMORY_LEVELS, 0.02},
    {"under noise .97", MEMORY_UNDER_NOISE, 0.97},
    {"Hurst .7", MEMORY_HURST, 0.7},
    {"Hurst .8", MEMORY_HURST, 0.8},
    {"Hurst .9", MEMORY_HURST, 0.9},
    {"walk under noise", MEMORY_WALK, 0.1},
};
#define MEMORY_PROCESSES (sizeof memory_processes / sizeof *memory_processes)

/* Computes the Fourier transform in place; n is a power of 2. */
static inline void memory_transform(double complex x[], size_t n)
{
    const double two_pi = 6.283185307179586;
    for (size_t i = 1, k = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            double complex held = x[i];
            x[i] = x[k];
            x[k] = held;
        }
    }
    for (size_t length = 2; length <= n; length <<= 1)
        for (size_t k = 0; k < length / 2; k++) {
            double complex turn = cexp(-I * two_pi * (double)k / (double)length);
            for (size_t i = k; i < n; i += length) {
                double complex other = x[i + length / 2] * turn;
                x[i + length / 2] = x[i] - other;
                x[i] += other;
            }
        }
}

static inline void memory_fractional(double x[], size_t n, double hurst, uint64_t *state)
{
    static double complex circle[MEMORY_CIRCLE];
    static double powers[MEMORY_CIRCLE], hurst_before;
    static size_t count;
    size_t needed = 2;
    while (needed < 2 * n)
        needed *= 2;
    if (needed != count || fabs(hurst - hurst_before) > 0) {
        count = needed;
        hurst_before = hurst;
        for (size_t k = 0; k < count; k++) {
            double lag = (double)(k <= count / 2 ? k : count - k);
            circle[k] = (pow(fabs(lag - 1), 2 * hurst) - 2 * pow(lag, 2 * hurst) +
                         pow(lag + 1, 2 * hurst)) /
                        2;
        }
        memory_transform(circle, count);
        for (size_t k = 0; k < count; k++)
            powers[k] = fmax(creal(circle[k]), 0);
    }
    for (size_t k = 0; k < count; k++) {
        double real = simulated_normal(state), imaginary = simulated_normal(state);
        circle[k] = sqrt(powers[k] / (double)count) * (real + I * imaginary);
    }
    memory_transform(circle, count);
    for (size_t i = 0; i < n; i++)
        x[i] = creal(circle[i]);
}

/* Fills x with n readings, at most MEMORY_READINGS_MAX. Their long-term mean is 0 (a walk has
   none), and their standard deviation about 1. */
static inline void memory_fill(double x[], size_t n, const struct memory_process *process,
                               uint64_t *state)
{
    const double e = 2.718281828459045, p = process->parameter;
    double level = simulated_uniform(state) < 0.5 ? 0.8 : -0.8, walk = 0;
    if (process->kind == MEMORY_AUTOREGRESSIVE || process->kind == MEMORY_UNDER_NOISE)
        simulated_ar1(x, n, p, state);
    if (process->kind == MEMORY_HURST)
        memory_fractional(x, n, p, state);
    for (size_t i = 0; i < n; i++)
        switch (process->kind) {
        case MEMORY_AUTOREGRESSIVE:
            x[i] *= sqrt(1 - p * p);
            break;
        case MEMORY_LOGNORMAL:
            x[i] = (exp(simulated_normal(state)) - sqrt(e)) / sqrt((e - 1) * e);
            break;
        case MEMORY_LEVELS:
            level = simulated_uniform(state) < p ? -level : level;
            x[i] = level + 0.3 * simulated_normal(state);
            break;
        case MEMORY_UNDER_NOISE:
            x[i] = x[i] * sqrt((1 - p * p) / 2) + simulated_normal(state) * sqrt(0.5);
            break;
        case MEMORY_WALK:
            walk += p * simulated_normal(state);
            x[i] = walk + simulated_normal(state);
            break;
        case MEMORY_HURST:
            break;
        }
}

/*
 * Fills d with the differences of n blocks of two equal alternatives on one machine, whose level is
 * the process: two rounds per block, in random order, as cupel compare makes them.
 */
static inline void memory_turns(double d[], size_t n, const struct memory_process *process,
                                uint64_t *state)
{
    static double rounds[MEMORY_READINGS_MAX];
    memory_fill(rounds, 2 * n, process, state);
    for (size_t i = 0; i < n; i++)
        d[i] = (rounds[2 * i] - rounds[2 * i + 1]) * (simulated_uniform(state) < 0.5 ? 1 : -1);
}

#endif
