/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Terms orthogonal to each other: modified Gram-Schmidt, one column at a time.
 *
 * Sums are computed in the order that R's earth uses, and a row is centred by the mean that the
 * column had before it was normalised, as in earth. Where terms nearly depend on each other, as
 * products of factors in KiB do, rounding decides which knot comes next: with any other order one
 * model in forty differs from earth's.
 */
#include <math.h>
#include <string.h>

#include "stat/mars/internal.h"

#define NEXT_TO_NOTHING 0.01 /* sum of squares of the rest of a column */

static double product(const double a[], const double b[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double mean(const double a[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] / (double)n;
    return sum;
}

/* Subtracts from `values` the parts along the used columns before `at`. */
static void orthogonalise(const struct mars_projection *p, size_t at, const double values[],
                          const bool used[])
{
    size_t n = p->n;
    double *column = p->column + at * n;
    if (at == 1) { /* only the intercept comes before */
        double middle = mean(values, n);
        for (size_t i = 0; i < n; i++)
            column[i] = values[i] - middle;
        return;
    }
    memcpy(column, values, n * sizeof *column);
    for (size_t c = 0; c < at; c++) {
        if (!used[c])
            continue;
        const double *before = p->column + c * n;
        double along = product(before, column, n);
        for (size_t i = 0; i < n; i++)
            column[i] -= along * before[i];
    }
}

bool mars_project(struct mars_projection *p, size_t at, const double values[], const bool used[],
                  const double y[], bool refuse)
{
    size_t n = p->n;
    double *column = p->column + at * n, length = INFINITY, middle = 0;
    orthogonalise(p, at, values, used);
    double squares = product(column, column, n);
    if (squares > (refuse ? NEXT_TO_NOTHING : 0)) {
        length = sqrt(squares);
        middle = at == 0 ? values[0] / length : mean(column, n);
    }
    for (size_t i = 0; i < n; i++)
        column[i] /= length;
    for (size_t i = 0; i < n; i++)
        p->centred_row[i * p->max + at] = column[i] - middle;
    p->y_along[at] = product(y, column, n);
    return squares > NEXT_TO_NOTHING;
}
