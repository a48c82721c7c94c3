/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks measured points before a method uses them, with messages that name the fault. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/model/internal.h"

/* A column whose rest, after its predecessors are subtracted, is below this share of its length
   depends on them. */
#define DEPENDENT 1e-8

/* Between these limits squares of squares neither overflow nor vanish. */
#define SMALLEST 1e-60
#define LARGEST  1e60

const char *points_factor_name(const struct model_points *p, size_t factor,
                               char text[static POINTS_NAME_BYTES])
{
    if (p->factor)
        snprintf(text, POINTS_NAME_BYTES, "%s", p->factor[factor]);
    else
        snprintf(text, POINTS_NAME_BYTES, "factor %zu", factor + 1);
    return text;
}

size_t points_nearest(const struct model_points *p, const double at[], double *distance)
{
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        double squares = 0;
        for (size_t j = 0; j < p->dimensions; j++) {
            double step = p->at[i * p->dimensions + j] - at[j];
            squares += step * step;
        }
        if (squares < least) {
            least = squares;
            nearest = i;
        }
    }
    *distance = sqrt(least);
    return nearest;
}

int points_check_value(double value, bool logarithmic, const char *name, struct err *e)
{
    if (!isfinite(value))
        return err_set(e, ERR_USAGE, "%s is not a finite number: correct or remove it", name);
    if (value != 0 && !(fabs(value) >= SMALLEST && fabs(value) <= LARGEST))
        return err_set(e, ERR_USAGE, "%s is %g, outside %g to %g: change its unit", name, value,
                       SMALLEST, LARGEST);
    if (logarithmic && value <= 0)
        return err_set(e, ERR_USAGE,
                       "%s is %g, which has no place on a logarithmic axis: take it on its own "
                       "axis, or remove the point",
                       name, value);
    return 0;
}

int points_check_values(const struct model_points *p, const struct model_options *options,
                        struct err *e)
{
    char name[POINTS_NAME_BYTES];
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = 0; j < p->dimensions; j++) {
            bool logarithmic = options->log_factor && options->log_factor[j];
            if (points_check_value(p->at[i * p->dimensions + j], logarithmic,
                                   points_factor_name(p, j, name), e))
                return err_context(e, "point %zu", i + 1);
        }
        if (points_check_value(p->value[i], options->log_response,
                               p->response ? p->response : "the response", e))
            return err_context(e, "point %zu", i + 1);
    }
    return 0;
}

/* A point with its number, so that sorting keeps both. */
struct numbered {
    const double *at;
    size_t dimensions, number;
};

static int compare_points(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    for (size_t j = 0; j < x->dimensions; j++)
        if (x->at[j] != y->at[j])
            return x->at[j] < y->at[j] ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

int points_check_distinct(const struct model_points *p, struct err *e)
{
    struct numbered *sorted = calloc(p->n, sizeof *sorted);
    if (!sorted)
        return err_no_memory(e, "%zu points", p->n);
    for (size_t i = 0; i < p->n; i++)
        sorted[i] = (struct numbered){p->at + i * p->dimensions, p->dimensions, i};
    qsort(sorted, p->n, sizeof *sorted, compare_points);
    int result = 0;
    for (size_t i = 1; i < p->n && result == 0; i++) {
        size_t j = 0;
        while (j < p->dimensions && sorted[i].at[j] == sorted[i - 1].at[j])
            j++;
        if (j == p->dimensions)
            result = err_set(e, ERR_USAGE,
                             "points %zu and %zu have the same factors: put their runs together, "
                             "as this method goes through every point",
                             sorted[i - 1].number + 1, sorted[i].number + 1);
    }
    free(sorted);
    return result;
}

/* Subtracts from the column what lies along `unit`. */
static void remove_along(double column[], const double unit[], size_t n)
{
    double along = 0;
    for (size_t i = 0; i < n; i++)
        along += column[i] * unit[i];
    for (size_t i = 0; i < n; i++)
        column[i] -= along * unit[i];
}

static double divide_by_length(double column[], size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += column[i] * column[i];
    for (size_t i = 0; i < n && squares > 0; i++)
        column[i] /= sqrt(squares);
    return sqrt(squares);
}

static void copy_centred(const struct model_points *p, size_t factor, double column[])
{
    double mean = 0, largest = 0;
    for (size_t i = 0; i < p->n; i++)
        mean += p->at[i * p->dimensions + factor] / (double)p->n;
    for (size_t i = 0; i < p->n; i++) {
        column[i] = p->at[i * p->dimensions + factor] - mean;
        largest = fmax(largest, fabs(column[i]));
    }
    for (size_t i = 0; i < p->n && largest > 0; i++)
        column[i] /= largest;
}

static bool is_constant(const struct model_points *p, size_t factor)
{
    for (size_t i = 1; i < p->n; i++)
        if (p->at[i * p->dimensions + factor] != p->at[factor])
            return false;
    return true;
}

int points_check_rank(const struct model_points *p, struct err *e)
{
    char name[POINTS_NAME_BYTES];
    double *unit = calloc(p->n * p->dimensions, sizeof *unit);
    if (!unit)
        return err_no_memory(e, "%zu points", p->n);
    int result = 0;
    for (size_t j = 0; j < p->dimensions && result == 0; j++) {
        double *column = unit + j * p->n;
        copy_centred(p, j, column);
        divide_by_length(column, p->n);
        for (size_t k = 0; k < j; k++)
            remove_along(column, unit + k * p->n, p->n);
        double left = divide_by_length(column, p->n);
        if (is_constant(p, j))
            result = err_set(e, ERR_USAGE,
                             "%s is the same at every point: leave it out, as nothing can be said "
                             "about its effect",
                             points_factor_name(p, j, name));
        else if (!(left > DEPENDENT))
            result = err_set(e, ERR_USAGE,
                             "%s follows from the factors before it (a linear combination of "
                             "them): leave one of them out",
                             points_factor_name(p, j, name));
    }
    free(unit);
    return result;
}
