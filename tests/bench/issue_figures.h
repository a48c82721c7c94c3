/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How late requests were issued: the figures of one run, by the same rules for every contender. */
#ifndef TESTS_BENCH_ISSUE_FIGURES_H
#define TESTS_BENCH_ISSUE_FIGURES_H

#include <stddef.h>
#include <stdlib.h>

#define ISSUE_LIMITS 4

static const double issue_limits_ns[ISSUE_LIMITS] = {1e3, 1e4, 5e4, 1e5};

struct issue_figures {
    double median_ns, p99_ns;
    double within[ISSUE_LIMITS]; /* share of requests */
};

static inline int issue_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of lateness that is known. Orders late_ns. */
static inline struct issue_figures issue_figures_of(double late_ns[], size_t n)
{
    struct issue_figures f = {0};
    if (!n)
        return f;
    qsort(late_ns, n, sizeof *late_ns, issue_compare);
    f.median_ns = late_ns[n / 2];
    f.p99_ns = late_ns[(size_t)((double)n * 0.99)];
    for (int i = 0; i < ISSUE_LIMITS; i++) {
        size_t k = 0;
        while (k < n && late_ns[k] <= issue_limits_ns[i])
            k++;
        f.within[i] = (double)k / (double)n;
    }
    return f;
}

/* Half of the shortest stretch of the ordered x[] that holds `share` of it. */
static inline double issue_half_width(const double x[], size_t n, double share)
{
    size_t inside = (size_t)((double)n * share);
    double least = x[n - 1] - x[0];
    for (size_t i = 0; i + inside < n; i++)
        if (x[i + inside] - x[i] < least)
            least = x[i + inside] - x[i];
    return least / 2;
}

/* The greatest share of the ordered x[] in a stretch of the width 2 * limit. */
static inline double issue_best_share(const double x[], size_t n, double limit)
{
    size_t most = 0, end = 0;
    for (size_t i = 0; i < n; i++) {
        while (end < n && x[end] - x[i] <= 2 * limit)
            end++;
        most = end - i > most ? end - i : most;
    }
    return (double)most / (double)n;
}

/*
 * Of lateness against a schedule whose start is not known: every figure has the start that is best
 * for it, and a request that would then have been too early by as much is within the limit too.
 * That is more than whoever issued them can ask for. Orders x.
 */
static inline struct issue_figures issue_figures_best(double x[], size_t n)
{
    struct issue_figures f = {0};
    if (!n)
        return f;
    qsort(x, n, sizeof *x, issue_compare);
    f.median_ns = issue_half_width(x, n, 0.5);
    f.p99_ns = issue_half_width(x, n, 0.99);
    for (int i = 0; i < ISSUE_LIMITS; i++)
        f.within[i] = issue_best_share(x, n, issue_limits_ns[i]);
    return f;
}

#endif
