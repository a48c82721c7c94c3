/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line per figure: name, ours, reference, ratio, target, reached. The ratio is always ours
 * divided by the reference. Of paired measurements the medians are printed, and the median and the
 * quartiles of the ratios within the pairs, which show how far the machine's noise reaches.
 */
#ifndef TESTS_BENCH_FIGURE_H
#define TESTS_BENCH_FIGURE_H

#include <stdio.h>
#include <string.h>

#include "stat/basic/descriptive.h"

#define FIGURE_PAIRS_MAX 512

enum figure_relation { FIGURE_NO_TARGET, FIGURE_AT_MOST, FIGURE_AT_LEAST };

struct figure {
    const char *name;
    const char *unit;
    int decimals;          /* of ours and the reference */
    const char *reference; /* what ours is compared with */
    enum figure_relation relation;
    double target; /* of the ratio */
};

static inline double figure_median(const double x[], unsigned n)
{
    double copy[FIGURE_PAIRS_MAX];
    memcpy(copy, x, n * sizeof *copy);
    return median_of(copy, n);
}

static inline void figure_print(const struct figure *f, double ours, double reference, double ratio,
                                const char *quartiles)
{
    const char *sign = f->relation == FIGURE_AT_MOST ? "<=" : ">=";
    int reached = f->relation == FIGURE_AT_MOST ? ratio <= f->target : ratio >= f->target;
    printf("%-28s %10.*f  %-24s %10.*f %-7s %6.3f %-13s", f->name, f->decimals, ours, f->reference,
           f->decimals, reference, f->unit, ratio, quartiles);
    if (f->relation != FIGURE_NO_TARGET)
        printf(" %s %-5.4g %s", sign, f->target, reached ? "yes" : "NO");
    putchar('\n');
    fflush(stdout);
}

/* ours[i] and reference[i] were measured one right after the other. */
static inline void figure_pairs(const struct figure *f, const double ours[],
                                const double reference[], unsigned n)
{
    double ratio[FIGURE_PAIRS_MAX] = {0};
    char quartiles[32];
    for (unsigned i = 0; i < n; i++)
        ratio[i] = ours[i] / reference[i];
    double middle = quantile_of(ratio, n, 0.5), lower = quantile_of(ratio, n, 0.25);
    snprintf(quartiles, sizeof quartiles, "%.3f..%.3f", lower, quantile_of(ratio, n, 0.75));
    figure_print(f, figure_median(ours, n), figure_median(reference, n), middle, quartiles);
}

/* A limit that is a plain number: ours must not exceed it. */
static inline void figure_limit(const char *name, const char *unit, int decimals, double ours,
                                double limit)
{
    struct figure f = {name, unit, decimals, "limit", FIGURE_AT_MOST, 1};
    figure_print(&f, ours, limit, ours / limit, "");
}

#endif
