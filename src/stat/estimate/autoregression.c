/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Burg's recursion and the choice of the order. */
#include "stat/estimate/autoregression.h"

#include <math.h>
#include <string.h>

size_t autoregression_scratch_bytes(size_t n)
{
    return 2 * arena_bytes(n, sizeof(double));
}

/* Forward and backward prediction errors of one order; x[t - order] is aligned with x[t]. */
struct prediction_errors {
    double *forward, *backward;
    size_t n;
};

/* Returns the reflection coefficient that minimises the errors of the next order. */
static double reflection(const struct prediction_errors *e, size_t order)
{
    double product = 0, squares = 0;
    for (size_t t = order; t < e->n; t++) {
        product += e->forward[t] * e->backward[t - 1];
        squares += e->forward[t] * e->forward[t] + e->backward[t - 1] * e->backward[t - 1];
    }
    return squares > 0 ? 2 * product / squares : 0;
}

static void raise_order(struct prediction_errors *e, size_t order, double k)
{
    for (size_t t = e->n - 1; t >= order; t--) {
        double forward = e->forward[t], backward = e->backward[t - 1];
        e->forward[t] = forward - k * backward;
        e->backward[t] = backward - k * forward;
    }
}

/* Levinson's step: computes the coefficients of the next order from those of this one. */
static void extend_coefficients(double a[], size_t order, double k)
{
    double before[AUTOREGRESSION_MAX_ORDER];
    memcpy(before, a, sizeof before);
    for (size_t i = 0; i + 1 < order; i++)
        a[i] = before[i] - k * before[order - 2 - i];
    a[order - 1] = k;
}

static double akaike(double variance, size_t n, size_t order)
{
    return (double)n * log(variance) + 2 * (double)order;
}

struct autoregression autoregression_fit(const double x[], size_t n, double mean, size_t max_order,
                                         struct arena *scratch)
{
    struct autoregression best = {.n = n};
    if (n < 2)
        return best;
    size_t mark = arena_mark(scratch);
    struct prediction_errors e = {arena_alloc(scratch, n, sizeof(double)),
                                  arena_alloc(scratch, n, sizeof(double)), n};
    double variance = 0;
    for (size_t t = 0; t < n; t++) {
        e.forward[t] = e.backward[t] = x[t] - mean;
        variance += e.forward[t] * e.forward[t];
    }
    variance /= (double)n;

    if (max_order > AUTOREGRESSION_MAX_ORDER)
        max_order = AUTOREGRESSION_MAX_ORDER;
    if (max_order > n - 2)
        max_order = n - 2;
    double a[AUTOREGRESSION_MAX_ORDER] = {0};
    double best_variance = variance, best_criterion = akaike(variance, n, 0);
    for (size_t order = 1; order <= max_order && variance > 0; order++) {
        double k = reflection(&e, order);
        raise_order(&e, order, k);
        extend_coefficients(a, order, k);
        variance *= 1 - k * k;
        double criterion = akaike(variance, n, order);
        if (variance > 0 && criterion < best_criterion) {
            best_criterion = criterion;
            best_variance = variance;
            best.order = order;
            memcpy(best.coefficient, a, sizeof a);
        }
    }
    best.variance = best_variance * (double)n / (double)(n - best.order - 1);
    for (size_t i = 0; i < best.order; i++)
        best.persistence += best.coefficient[i];
    arena_reset(scratch, mark);
    return best;
}

double autoregression_density_at_zero(const struct autoregression *a)
{
    double rest = 1 - a->persistence;
    return a->variance / (rest * rest);
}
