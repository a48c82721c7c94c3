/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Percentiles of single values, in the order in which they were measured: percentile.h with each
 * distinct value as a cell. Pure, any thread.
 *
 * The series is divided into up to PERCENTILE_COLUMN_STRETCHES parts of equal length. Each part
 * is sorted, so that a binary search in each counts the values beyond a threshold. Fewer parts
 * would not show long memory (long_memory.h).
 */
#ifndef CUPEL_STAT_ESTIMATE_PERCENTILE_COLUMN_H
#define CUPEL_STAT_ESTIMATE_PERCENTILE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/percentile.h"

#define PERCENTILE_COLUMN_STRETCHES 1024

struct percentile_column {
    size_t n, stretches;
    const double *sorted; /* [n], the values; each part of the series is sorted separately */
    size_t cells;
    const double *value,
        *count; /* [cells]: the distinct values, ascending, and how often each occurs */
};

/* Scratch bytes that percentile_column_make needs, including those of the two functions below. */
size_t percentile_column_scratch_bytes(size_t n);

/* Makes the column from finite x[0..n), n > 0. Its memory comes from `scratch`. */
void percentile_column_make(struct percentile_column *to, const double x[], size_t n,
                            struct arena *scratch);

struct percentile percentile_of_column(const struct percentile_column *of, double share,
                                       double confidence, struct arena *scratch);

/* Returns the exceedance of a threshold. With `or_at`, values equal to it count as above. */
struct exceedance percentile_column_above(const struct percentile_column *of, double threshold,
                                          bool or_at, double confidence, struct arena *scratch);

#endif
