/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes percentiles of single values: each distinct value is a cell of percentile.h. */
#include "stat/estimate/percentile_column.h"

#include <string.h>

#include "stat/basic/sort.h"

static size_t stretch_begin(const struct percentile_column *of, size_t i)
{
    return i * (of->n / of->stretches) + i * (of->n % of->stretches) / of->stretches;
}

size_t percentile_column_scratch_bytes(size_t n)
{
    return 4 * arena_bytes(n, sizeof(double)) +
           2 * arena_bytes(PERCENTILE_COLUMN_STRETCHES, sizeof(double)) +
           percentile_scratch_bytes(PERCENTILE_COLUMN_STRETCHES);
}

void percentile_column_make(struct percentile_column *to, const double x[], size_t n,
                            struct arena *scratch)
{
    double *sorted = arena_alloc(scratch, n, sizeof *sorted);
    double *value = arena_alloc(scratch, n, sizeof *value);
    double *count = arena_alloc(scratch, n, sizeof *count);
    size_t mark = arena_mark(scratch);
    double *room = arena_alloc(scratch, n, sizeof *room);
    *to = (struct percentile_column){
        .n = n,
        .stretches = n < PERCENTILE_COLUMN_STRETCHES ? n : PERCENTILE_COLUMN_STRETCHES,
        .sorted = sorted,
        .value = value,
        .count = count};
    memcpy(value, x, n * sizeof *value);
    memcpy(sorted, x, n * sizeof *sorted);
    sort_values(value, n, room);
    for (size_t i = 0; i < to->stretches; i++) {
        size_t begin = stretch_begin(to, i), end = stretch_begin(to, i + 1);
        sort_values(sorted + begin, end - begin, room);
    }
    arena_reset(scratch, mark);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || value[i] > value[to->cells - 1])
            value[to->cells++] = value[i];
        count[to->cells - 1]++;
    }
}

/* For each part i of the series, sets count[i] to its number of values and above[i] to the number
   of values above `threshold` (with `or_at`: at or above it). */
static void count_above(const struct percentile_column *of, double threshold, bool or_at,
                        double above[], double count[])
{
    for (size_t i = 0; i < of->stretches; i++) {
        size_t begin = stretch_begin(of, i), n = stretch_begin(of, i + 1) - begin;
        size_t rest = (or_at ? sorted_below : sorted_at_most)(of->sorted + begin, n, threshold);
        above[i] = (double)(n - rest);
        count[i] = (double)n;
    }
}

static void counts_above_cell(const void *source, size_t cell, double above[], double count[])
{
    const struct percentile_column *of = source;
    count_above(of, of->value[cell], false, above, count);
}

struct percentile percentile_of_column(const struct percentile_column *of, double share,
                                       double confidence, struct arena *scratch)
{
    struct percentile_cells cells = {.cells = of->cells,
                                     .low = of->value,
                                     .high = of->value,
                                     .count = of->count,
                                     .intervals = of->stretches,
                                     .counts = counts_above_cell,
                                     .source = of};
    return percentile_of_cells(&cells, share, confidence, scratch);
}

struct exceedance percentile_column_above(const struct percentile_column *of, double threshold,
                                          bool or_at, double confidence, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *above = arena_alloc(scratch, of->stretches, sizeof *above);
    double *count = arena_alloc(scratch, of->stretches, sizeof *count);
    count_above(of, threshold, or_at, above, count);
    struct exceedance e = exceedance_of(above, count, of->stretches, confidence, scratch);
    arena_reset(scratch, mark);
    return e;
}
