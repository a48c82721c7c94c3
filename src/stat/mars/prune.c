/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pruning removes terms one by one, each time the one that costs the least RSS (Miller, *Subset
 * Selection in Regression* (2002), 3.4). It works on the triangle R of the terms' QR decomposition.
 * A removed term is rotated to the end of the remaining ones, and each leading part of the columns
 * is a model as well. The best model of each size is kept.
 */
#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/mars/internal.h"

/* A column depends on the others when its remainder is below this share of its length. */
#define DEPENDENT 1e-8

/* QR decomposition of the columns of terms, in the order `order`: R is upper triangular. */
struct triangle {
    size_t columns, max;
    size_t *order; /* [columns]: terms */
    double *r;     /* [max][max], the upper triangular matrix R, row by row */
    double *along; /* [max]: components of y along the columns of Q */
    double rss;    /* residual sum of squares of the model of all columns */
};

struct subsets {
    double *rss;     /* [max]: RSS of the best model of i + 1 terms */
    size_t *members; /* [max][max]: the terms of the best model of i + 1 terms */
};

struct pruning {
    struct triangle triangle;
    struct subsets best;
    double *q;       /* [max][n] */
    double *rest;    /* [n]: y minus the part that the columns explain */
    double *inverse; /* [max][max] */
};

double mars_gcv(double rss, size_t terms, size_t n, double penalty)
{
    double cost = ((double)terms + penalty * ((double)terms - 1) / 2) / (double)n;
    return cost >= 1 ? INFINITY : rss / ((double)n * (1 - cost) * (1 - cost));
}

static void take_off(double from[], const double column[], double along, size_t n)
{
    for (size_t i = 0; i < n; i++)
        from[i] -= along * column[i];
}

/*
 * Computes the QR decomposition of the terms order[0..count), orthogonalised twice. A term that
 * depends on earlier terms is removed from the order.
 */
static void decompose(struct pruning *p, const struct mars_terms *t, size_t count, const double y[],
                      size_t n)
{
    struct triangle *r = &p->triangle;
    size_t wide = r->max;
    r->columns = 0;
    memcpy(p->rest, y, n * sizeof *y);
    for (size_t k = 0; k < count; k++) {
        size_t term = r->order[k], at = r->columns;
        const double *values = t->basis + term * n;
        double *q = p->q + at * n, before = sqrt(sum_of_products(values, values, n));
        memcpy(q, values, n * sizeof *q);
        for (size_t c = 0; c < at; c++)
            r->r[c * wide + at] = 0;
        for (size_t c = 0; c < 2 * at; c++) {
            const double *column = p->q + c % at * n;
            double along = sum_of_products(column, q, n);
            r->r[c % at * wide + at] += along;
            take_off(q, column, along, n);
        }
        double length = sqrt(sum_of_products(q, q, n));
        if (!(length > DEPENDENT * before))
            continue;
        for (size_t i = 0; i < n; i++)
            q[i] /= length;
        r->r[at * wide + at] = length;
        r->along[at] = sum_of_products(q, p->rest, n);
        take_off(p->rest, q, r->along[at], n);
        r->order[r->columns++] = term;
    }
    r->rss = sum_of_products(p->rest, p->rest, n);
}

/* Computes the inverse of the first `size` rows and columns of R. */
static void invert(const struct triangle *t, size_t size, double inverse[])
{
    size_t wide = t->max;
    for (size_t column = 0; column < size; column++) {
        inverse[column * wide + column] = 1 / t->r[column * wide + column];
        for (size_t row = column; row-- > 0;) {
            double sum = 0;
            for (size_t k = row + 1; k <= column; k++)
                sum += t->r[row * wide + k] * inverse[k * wide + column];
            inverse[row * wide + column] = -sum / t->r[row * wide + row];
        }
    }
}

/* Returns the column among the first `size`, except the intercept, whose removal increases the RSS
   least. */
static size_t cheapest_column(const struct pruning *p, size_t size)
{
    size_t cheapest = 1, wide = p->triangle.max;
    double least = INFINITY;
    for (size_t c = 1; c < size; c++) {
        const double *row = p->inverse + c * wide + c;
        double coefficient = sum_of_products(row, p->triangle.along + c, size - c);
        double cost = coefficient * coefficient / sum_of_products(row, row, size - c);
        if (cost < least) {
            least = cost;
            cheapest = c;
        }
    }
    return cheapest;
}

/* Exchanges columns c and c + 1 and makes R triangular again with one rotation. */
static void exchange_columns(struct triangle *t, size_t c)
{
    size_t wide = t->max, term = t->order[c];
    double *above = t->r + c * wide, *below = above + wide;
    t->order[c] = t->order[c + 1];
    t->order[c + 1] = term;
    for (size_t row = 0; row <= c + 1; row++) {
        double *r = t->r + row * wide, value = r[c];
        r[c] = r[c + 1];
        r[c + 1] = value;
    }
    double length = hypot(above[c], below[c]), cosine = above[c] / length, sine = below[c] / length;
    for (size_t k = c; k < t->columns; k++) {
        double a = above[k], b = below[k];
        above[k] = cosine * a + sine * b;
        below[k] = cosine * b - sine * a;
    }
    below[c] = 0;
    double a = t->along[c], b = t->along[c + 1];
    t->along[c] = cosine * a + sine * b;
    t->along[c + 1] = cosine * b - sine * a;
}

/* Considers the models of the first `from` to `to` columns, and keeps each one that is the best of
   its size. */
static void keep_best(struct pruning *p, size_t from, size_t to)
{
    const struct triangle *t = &p->triangle;
    double rss = t->rss;
    for (size_t size = t->columns; size >= from; size--) {
        if (size <= to && rss < p->best.rss[size - 1]) {
            p->best.rss[size - 1] = rss;
            memcpy(p->best.members + (size - 1) * t->max, t->order, size * sizeof *t->order);
        }
        rss += t->along[size - 1] * t->along[size - 1];
    }
}

static void remove_terms(struct pruning *p)
{
    struct triangle *t = &p->triangle;
    for (size_t size = 0; size < t->columns; size++)
        p->best.rss[size] = INFINITY;
    keep_best(p, 1, t->columns);
    for (size_t size = t->columns; size > 2; size--) {
        invert(t, size, p->inverse);
        size_t leaves = cheapest_column(p, size);
        for (size_t c = leaves; c + 1 < size; c++)
            exchange_columns(t, c);
        if (leaves + 1 < size)
            keep_best(p, leaves + 1, size - 1);
    }
}

static int make_pruning(struct pruning *p, size_t n, size_t max, struct arena *scratch)
{
    struct triangle *t = &p->triangle;
    t->max = max;
    t->order = arena_alloc(scratch, max, sizeof *t->order);
    t->r = arena_alloc(scratch, max * max, sizeof *t->r);
    t->along = arena_alloc(scratch, max, sizeof *t->along);
    p->best.rss = arena_alloc(scratch, max, sizeof *p->best.rss);
    p->best.members = arena_alloc(scratch, max * max, sizeof *p->best.members);
    p->q = arena_alloc(scratch, max * n, sizeof *p->q);
    p->rest = arena_alloc(scratch, n, sizeof *p->rest);
    p->inverse = arena_alloc(scratch, max * max, sizeof *p->inverse);
    return p->inverse ? 0 : -1;
}

static size_t pruning_bytes(size_t n, size_t max)
{
    return arena_bytes(max, sizeof(size_t)) + 2 * arena_bytes(max, sizeof(double)) +
           2 * arena_bytes(max * max, sizeof(double)) + arena_bytes(max * max, sizeof(size_t)) +
           arena_bytes(max * n, sizeof(double)) + arena_bytes(n, sizeof(double));
}

/* Returns the number of terms with the smallest GCV, the first of equal ones. */
static size_t best_size(const struct pruning *p, size_t n, double penalty)
{
    size_t best = 1;
    for (size_t size = 2; size <= p->triangle.columns; size++) {
        if (mars_gcv(p->best.rss[size - 1], size, n, penalty) <
            mars_gcv(p->best.rss[best - 1], best, n, penalty))
            best = size;
    }
    return best;
}

/* Copies the chosen terms, in the order of the forward pass, with their coefficients and sums, into
   the model. */
static void choose(struct mars *m, struct pruning *p, const struct mars_terms *t,
                   const struct mars_fit_case *c, bool keep[], double coefficient[])
{
    struct triangle *r = &p->triangle;
    size_t size = best_size(p, c->n, c->penalty), count = 0;
    const size_t *members = p->best.members + (size - 1) * r->max;
    double rss_alone = p->best.rss[0], gcv_alone = mars_gcv(rss_alone, 1, c->n, c->penalty);
    for (size_t i = 0; i < size; i++)
        keep[members[i]] = true;
    for (size_t term = 0; term < t->count; term++) {
        if (keep[term])
            r->order[count++] = term;
    }
    decompose(p, t, count, c->y, c->n);
    invert(r, r->columns, p->inverse);
    for (size_t k = 0; k < r->columns; k++) {
        const double *row = p->inverse + k * r->max + k;
        coefficient[k] = sum_of_products(row, r->along + k, r->columns - k);
    }
    m->terms = r->columns;
    m->rss = r->rss;
    m->gcv = mars_gcv(m->rss, m->terms, c->n, c->penalty);
    m->r_squared = rss_alone > 0 ? 1 - m->rss / rss_alone : 0;
    m->generalised_r_squared = rss_alone > 0 ? 1 - m->gcv / gcv_alone : 0;
}

int mars_prune(struct mars *m, const struct mars_terms *t, const struct mars_fit_case *c,
               bool keep[], double coefficient[], struct err *e)
{
    struct arena scratch;
    struct pruning p = {.triangle = {0}};
    if (arena_init_untouched(&scratch, pruning_bytes(c->n, t->max), e) != 0)
        return -1;
    if (make_pruning(&p, c->n, t->max, &scratch) != 0) {
        arena_free(&scratch);
        return err_no_memory(e, "pruning the terms of MARS");
    }
    size_t count = 0;
    for (size_t term = 0; term < t->count; term++) {
        if (t->used[term])
            p.triangle.order[count++] = term;
    }
    decompose(&p, t, count, c->y, c->n);
    m->forward_terms = p.triangle.columns;
    remove_terms(&p);
    choose(m, &p, t, c, keep, coefficient);
    arena_free(&scratch);
    return 0;
}
