/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a model, and evaluates it at a point. */
#include "stat/mars/mars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/mars/internal.h"

#define TERMS_MIN        20
#define TERMS_MAX        200
#define NARROW_FACTOR    (1.0 / 1024)
#define DEGREE_PENALISED 2

struct mars_options mars_defaults(size_t factors, unsigned degree)
{
    size_t terms = 2 * factors;
    terms = terms < TERMS_MIN ? TERMS_MIN : terms > TERMS_MAX ? TERMS_MAX : terms;
    return (struct mars_options){.degree = degree,
                                 .max_terms = terms + 1,
                                 .penalty = degree >= DEGREE_PENALISED ? 3 : 2,
                                 .threshold = 0.001,
                                 .adjust_end_span = 2,
                                 .fast_parents = 20,
                                 .fast_ageing = 1,
                                 .linear_without_knot = true};
}

/* A case and its value, for sorting; equal values keep the order of the cases. */
struct place {
    double x;
    size_t at;
};

static int by_value(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

static void sort_cases(const double x[], size_t order[], size_t n, struct place room[])
{
    for (size_t i = 0; i < n; i++)
        room[i] = (struct place){x[i], i};
    qsort(room, n, sizeof *room, by_value);
    for (size_t i = 0; i < n; i++)
        order[i] = room[i].at;
}

/* Standardises with the precision of R's scale(); the head of forward.c explains why the last digit
   matters. */
static void standardise(double y[], const double value[], size_t n)
{
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    double mean = (double)(sum / (long double)n);
    for (size_t i = 0; i < n; i++) {
        y[i] = value[i] - mean;
        squares += y[i] * y[i];
    }
    double spread = sqrt((double)squares / (double)(n - 1));
    for (size_t i = 0; i < n; i++)
        y[i] = spread > 0 ? y[i] / spread : 0;
}

/* The memory of one fit: the cases as columns, and the terms. */
struct work {
    struct mars_case_table cases;
    struct mars_terms terms;
    bool *keep;          /* [max] */
    double *coefficient; /* [max] */
    double *scale;       /* [factors] */
    struct place *room;  /* [n] */
};

static size_t work_bytes(size_t n, size_t factors, size_t max)
{
    return arena_bytes(n * factors, sizeof(double)) + arena_bytes(n * factors, sizeof(size_t)) +
           arena_bytes(n, sizeof(double)) + arena_bytes(max * factors, 1) +
           arena_bytes(max * factors, sizeof(double)) + arena_bytes(max, sizeof(unsigned)) +
           2 * arena_bytes(max, sizeof(bool)) + arena_bytes(max * n, sizeof(double)) +
           arena_bytes(max, sizeof(double)) + arena_bytes(factors, sizeof(double)) +
           arena_bytes(n, sizeof(struct place));
}

static void make_work(struct work *w, size_t n, size_t factors, size_t max, struct arena *a)
{
    w->cases = (struct mars_case_table){.n = n,
                                        .factors = factors,
                                        .x = arena_alloc(a, n * factors, sizeof(double)),
                                        .order = arena_alloc(a, n * factors, sizeof(size_t)),
                                        .y = arena_alloc(a, n, sizeof(double))};
    w->terms = (struct mars_terms){.max = max,
                                   .direction = arena_alloc(a, max * factors, 1),
                                   .knot = arena_alloc(a, max * factors, sizeof(double)),
                                   .degree = arena_alloc(a, max, sizeof(unsigned)),
                                   .used = arena_alloc(a, max, sizeof(bool)),
                                   .basis = arena_alloc(a, max * n, sizeof(double))};
    w->keep = arena_alloc(a, max, sizeof(bool));
    w->coefficient = arena_alloc(a, max, sizeof(double));
    w->scale = arena_alloc(a, factors, sizeof(double));
    w->room = arena_alloc(a, n, sizeof(struct place));
}

/*
 * Returns the power of two by which a factor with a very narrow range is multiplied. This is needed
 * because, as in earth, the remainder of a column counts as zero below a fixed size
 * (NEXT_TO_NOTHING). A power of two changes no digit.
 */
static double widening_of(const double x[], const size_t order[], size_t n)
{
    double range = x[order[n - 1]] - x[order[0]];
    int exponent = 0;
    if (!(range > 0) || range >= NARROW_FACTOR)
        return 1;
    frexp(range, &exponent);
    return ldexp(1, -exponent);
}

static void fill_cases(struct work *w, const double at[], const double value[])
{
    struct mars_case_table *t = &w->cases;
    standardise(t->y, value, t->n);
    for (size_t f = 0; f < t->factors; f++) {
        double *x = t->x + f * t->n;
        size_t *order = t->order + f * t->n;
        for (size_t i = 0; i < t->n; i++)
            x[i] = at[i * t->factors + f];
        sort_cases(x, order, t->n, w->room);
        w->scale[f] = widening_of(x, order, t->n);
        for (size_t i = 0; i < t->n; i++)
            x[i] *= w->scale[f];
    }
}

/* Copies the remaining terms into the model, in the factors' own units. */
static int copy_model(struct mars *m, const struct work *w, struct err *e)
{
    size_t factors = w->cases.factors, kept = 0;
    size_t cells = m->terms * factors;
    if (arena_init(&m->arena,
                   arena_bytes(cells, 1) + arena_bytes(cells, sizeof(double)) +
                       arena_bytes(m->terms, sizeof(double)),
                   e) != 0)
        return -1;
    signed char *direction = arena_alloc(&m->arena, cells, 1);
    double *knot = arena_alloc(&m->arena, cells, sizeof *knot);
    double *coefficient = arena_alloc(&m->arena, m->terms, sizeof *coefficient);
    for (size_t t = 0; t < w->terms.count && kept < m->terms; t++) {
        if (!w->keep[t])
            continue;
        coefficient[kept] = w->coefficient[kept];
        for (size_t f = 0; f < factors; f++) {
            direction[kept * factors + f] = w->terms.direction[t * factors + f];
            knot[kept * factors + f] = w->terms.knot[t * factors + f] / w->scale[f];
            if (direction[kept * factors + f] != MARS_ABSENT)
                coefficient[kept] *= w->scale[f];
        }
        kept++;
    }
    m->factors = factors;
    m->direction = direction;
    m->knot = knot;
    m->coefficient = coefficient;
    return 0;
}

int mars_fit(struct mars *m, const double at[], const double value[], size_t n, size_t factors,
             const struct mars_options *options, struct err *e)
{
    struct arena scratch;
    struct work w;
    size_t max = options->max_terms < 1 ? 1 : options->max_terms;
    *m = (struct mars){.arena = {0}};
    if (arena_init_untouched(&scratch, work_bytes(n, factors, max), e) != 0)
        return -1;
    make_work(&w, n, factors, max, &scratch);
    fill_cases(&w, at, value);
    struct mars_fit_case whole = {.y = value, .n = n, .penalty = options->penalty};
    int failed = mars_forward(&w.terms, &w.cases, options, e) != 0 ||
                 mars_prune(m, &w.terms, &whole, w.keep, w.coefficient, e) != 0 ||
                 copy_model(m, &w, e) != 0;
    arena_free(&scratch);
    return failed ? -1 : 0;
}

double mars_value(const struct mars *m, const double at[])
{
    double sum = 0;
    for (size_t t = 0; t < m->terms; t++) {
        const signed char *direction = m->direction + t * m->factors;
        const double *knot = m->knot + t * m->factors;
        double term = m->coefficient[t];
        for (size_t f = 0; f < m->factors; f++) {
            if (direction[f] == MARS_LINEAR)
                term *= at[f];
            else if (direction[f] != MARS_ABSENT)
                term *= fmax(0, direction[f] * (at[f] - knot[f]));
        }
        sum += term;
    }
    return sum;
}

void mars_free(struct mars *m)
{
    arena_free(&m->arena);
}
