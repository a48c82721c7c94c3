/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The periodogram of a series: how much of its variation has which period.
 *
 *   I(l) = |sum (x[t] - mean) exp(-ilt)|^2 / n   at l[j] = 2 pi j / n, j = 1 .. (n - 1) / 2
 *
 * Its expectation is 2 pi times the spectral density. Pure: arrays in, numbers out, any thread.
 */
#ifndef CUPEL_STAT_ESTIMATE_PERIODOGRAM_H
#define CUPEL_STAT_ESTIMATE_PERIODOGRAM_H

#include <stddef.h>

/* The time grows with the square of n, so callers with more readings pass block means. */
#define PERIODOGRAM_MAX_READINGS 4096

/* Returns the number of frequencies below Nyquist's. */
size_t periodogram_count(size_t n);

/* Computes power[0..periodogram_count(n)), and the cosines of its frequencies in the array of the
   same length. */
void periodogram_of(const double x[], size_t n, double power[], double cosine[]);

/* Computes power[0..count) at any frequencies, which are given by their cosines. */
void periodogram_at(const double x[], size_t n, const double cosine[], size_t count,
                    double power[]);

/*
 * Returns the readings for a periodogram: x[0..*n) itself, or, above PERIODOGRAM_MAX_READINGS,
 * means of blocks of equal length, written to `room` (PERIODOGRAM_MAX_READINGS values). Sets *n to
 * their number; readings left over at the end are not used.
 */
const double *periodogram_readings(const double x[], size_t *n, double room[]);

#endif
