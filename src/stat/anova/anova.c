/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the sums of squares by Gram-Schmidt orthogonalisation of the terms' indicator columns,
   one term after another. */
#include "stat/anova/anova.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"

#define NUMBERS_MAX ((size_t)1 << 24)
#define SAME        1e-9 /* share of its length; with a smaller remainder, a column depends on others */

/* Orthonormal columns, and the part of the response that these columns leave unexplained. */
struct basis {
    const struct anova_data *data;
    size_t count;
    double *columns; /* [capacity][cells] */
    /* [cells], the weighted response minus the part that the columns explain */
    double *response;
    const double *weight; /* [cells], square roots of the cells' numbers of observations */
    double centre;
};

static void take_out(double x[], const double q[], size_t n)
{
    double share = sum_of_products(x, q, n);
    for (size_t i = 0; i < n; i++)
        x[i] -= share * q[i];
}

/* Makes the column at the end orthogonal to the others and adds it to the basis. Returns the sum of
   squares that it explains. A column that depends on the others is not added; the result is then
   below 0. */
static double add_column(struct basis *b)
{
    size_t n = b->data->cells;
    double *x = b->columns + b->count * n, before = sum_of_products(x, x, n), length = before, last;
    do { /* repeated when rounding may have lost digits (Kahan; Parlett, 1980) */
        last = length;
        for (size_t k = 0; k < b->count; k++)
            take_out(x, b->columns + k * n, n);
        length = sum_of_products(x, x, n);
    } while (length < 0.5 * last && length > SAME * SAME * before);
    if (!(length > SAME * SAME * before))
        return -1;
    for (size_t i = 0; i < n; i++)
        x[i] /= sqrt(length);
    double explained = sum_of_products(b->response, x, n);
    take_out(b->response, x, n);
    b->count++;
    return explained * explained;
}

static size_t columns_of(const struct anova_data *d, const struct anova_term *t)
{
    size_t first = d->level_count[t->first] - 1;
    return t->first == t->second ? first : first * (d->level_count[t->second] - 1);
}

/* Adds the term's indicator columns: one for each level, or for each pair of levels. The first
   level of each factor has no column, because the column of the mean already covers it. */
static void add_term(struct basis *b, const struct anova_term *t, double *squares, double *degrees)
{
    const struct anova_data *d = b->data;
    size_t seconds = t->first == t->second ? 2 : d->level_count[t->second];
    *squares = *degrees = 0;
    for (size_t j = 1; j < d->level_count[t->first]; j++)
        for (size_t k = 1; k < seconds; k++) {
            double *x = b->columns + b->count * d->cells;
            for (size_t i = 0; i < d->cells; i++) {
                const uint32_t *level = d->level + i * d->stride;
                bool in = level[t->first] == j && (t->first == t->second || level[t->second] == k);
                x[i] = in ? b->weight[i] : 0;
            }
            double explained = add_column(b);
            *squares += fmax(explained, 0);
            *degrees += explained >= 0;
        }
}

/* Resets the basis to the column of the mean alone. Returns the sum of squares of the cells about
   the mean. */
static double begin(struct basis *b)
{
    const struct anova_data *d = b->data;
    b->count = 0;
    for (size_t i = 0; i < d->cells; i++) {
        b->columns[i] = b->weight[i];
        b->response[i] = b->weight[i] * (d->mean[i] - b->centre);
    }
    add_column(b);
    return sum_of_products(b->response, b->response, d->cells);
}

static bool contains(const struct anova_term *a, const struct anova_term *b)
{
    return b->first == b->second && a->first != a->second &&
           (a->first == b->first || a->second == b->first);
}

static void compute_squares(struct anova *a, struct basis *b)
{
    double within = b->data->within;
    a->total = begin(b) + within;
    double degrees = a->observations - 1;
    for (size_t t = 0; t < a->term_count; t++) {
        struct anova_squares *s = &a->terms[t].type1;
        add_term(b, &a->terms[t], &s->squares, &s->degrees);
        degrees -= s->degrees;
    }
    a->residual = sum_of_products(b->response, b->response, b->data->cells) + within;
    a->residual_degrees = degrees;
    a->residual_mean_square = degrees > 0 ? a->residual / degrees : (double)NAN;
    for (size_t t = 0; t < a->term_count; t++) {
        struct anova_squares *s = &a->terms[t].type2;
        double squares, others;
        begin(b);
        for (size_t k = 0; k < a->term_count; k++)
            if (k != t && !contains(&a->terms[k], &a->terms[t]))
                add_term(b, &a->terms[k], &squares, &others);
        add_term(b, &a->terms[t], &s->squares, &s->degrees);
    }
}

static void judge(const struct anova *a, struct anova_squares *s)
{
    double noise = a->residual_mean_square;
    s->mean_square = s->degrees > 0 ? s->squares / s->degrees : (double)NAN;
    s->f = noise > 0 ? s->mean_square / noise : (double)NAN;
    s->p = isnan(s->f) ? (double)NAN : f_upper(s->f, s->degrees, a->residual_degrees);
    s->eta2 = a->total > 0 ? s->squares / a->total : (double)NAN;
    s->partial_eta2 =
        s->squares + a->residual > 0 ? s->squares / (s->squares + a->residual) : (double)NAN;
    s->omega2 =
        a->total + noise > 0 ? (s->squares - s->degrees * noise) / (a->total + noise) : (double)NAN;
}

static void list_terms(struct anova *a, size_t factors, bool interactions)
{
    for (size_t i = 0; i < factors; i++)
        a->terms[a->term_count++] = (struct anova_term){.first = i, .second = i};
    for (size_t i = 0; i < factors && interactions; i++)
        for (size_t k = i + 1; k < factors; k++)
            a->terms[a->term_count++] = (struct anova_term){.first = i, .second = k};
}

int anova_make(struct anova *a, const struct anova_data *data, bool interactions, struct err *e)
{
    size_t columns = 2, n = data->cells;
    struct basis b = {.data = data};
    *a = (struct anova){0};
    list_terms(a, data->factors, interactions);
    for (size_t t = 0; t < a->term_count; t++)
        columns += columns_of(data, &a->terms[t]);
    for (size_t i = 0; i < n; i++)
        a->observations += data->count[i];
    if (n == 0 || a->observations < 2)
        return err_set(e, ERR_USAGE, "an analysis of variance needs two observations at least");
    if (columns > NUMBERS_MAX / n)
        return err_set(e, ERR_USAGE,
                       "the factors have too many levels for an analysis of variance: %zu columns "
                       "for %zu configurations; leave factors out%s",
                       columns, n, interactions ? ", or interactions" : "");
    double *room = malloc((columns + 2) * n * sizeof *room);
    if (!room)
        return err_no_memory(e, "%zu columns", columns);
    double *weight = room + columns * n;
    b.columns = room;
    b.weight = weight;
    b.response = weight + n;
    for (size_t i = 0; i < n; i++) {
        weight[i] = sqrt(data->count[i]);
        b.centre += data->count[i] / a->observations * data->mean[i];
    }
    compute_squares(a, &b);
    free(room);
    for (size_t t = 0; t < a->term_count; t++) {
        judge(a, &a->terms[t].type1);
        judge(a, &a->terms[t].type2);
    }
    return 0;
}
