/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the forward pass of MARS: adds pairs of terms, each time the pair that explains the most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/mars/internal.h"

/* ---- terms orthogonal to each other ---- */

/*
 * Modified Gram-Schmidt, one column at a time. Sums are computed in the same order as in R's earth,
 * and a row is centred by the mean that the column had before it was normalised, as in earth. Where
 * terms nearly depend on each other, as products of factors in KiB do, rounding decides which knot
 * comes next: with any other order of the sums one model in forty differs from earth's.
 */

/* sum of squares below which the remainder of a column counts as zero */
#define NEXT_TO_NOTHING 0.01

static double mean(const double a[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] / (double)n;
    return sum;
}

/* Subtracts from `values` their projections on the used columns before `at`. */
static void orthogonalise(const struct mars_projection *p, size_t at, const double values[],
                          const bool used[])
{
    size_t n = p->n;
    double *column = p->column + at * n;
    if (at == 1) { /* then the intercept is the only earlier column */
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
        double along = sum_of_products(before, column, n);
        for (size_t i = 0; i < n; i++)
            column[i] -= along * before[i];
    }
}

/*
 * Sets column `at` to the part of `values` that is orthogonal to the used columns before it.
 * Returns false when that part is below NEXT_TO_NOTHING; if `refuse` is set, the column then
 * becomes zero.
 */
static bool mars_project(struct mars_projection *p, size_t at, const double values[],
                         const bool used[], const double y[], bool refuse)
{
    size_t n = p->n;
    double *column = p->column + at * n, length = INFINITY, middle = 0;
    orthogonalise(p, at, values, used);
    double squares = sum_of_products(column, column, n);
    if (squares > (refuse ? NEXT_TO_NOTHING : 0)) {
        length = sqrt(squares);
        middle = at == 0 ? values[0] / length : mean(column, n);
    }
    for (size_t i = 0; i < n; i++)
        column[i] /= length;
    for (size_t i = 0; i < n; i++)
        p->centred_row[i * p->max + at] = column[i] - middle;
    p->y_along[at] = sum_of_products(y, column, n);
    return squares > NEXT_TO_NOTHING;
}

/* ---- the queue of parents ---- */

/*
 * A term that may be tried as a parent (*Fast MARS*). Parents are ranked by the gain of their best
 * child at their last trial, and by how long ago this trial was.
 */
struct mars_parent {
    size_t term;
    double gain;
    size_t tried_at; /* number of terms at the time of the parent's last trial */
    double aged_rank;
};

struct mars_parents {
    size_t count;
    struct mars_parent *by_term; /* [max] */
    struct mars_parent *ranked;  /* [max]: a copy in order of rank, which a step goes through */
};

/* Compares gains. Infinite gains, which untried terms have, are equal. */
static int compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

static int by_gain(const void *a, const void *b)
{
    const struct mars_parent *p = a, *q = b;
    int order = compare(q->gain, p->gain);
    return order != 0 ? order : compare((double)p->term, (double)q->term);
}

static int by_aged_rank(const void *a, const void *b)
{
    const struct mars_parent *p = a, *q = b;
    int order = compare(p->aged_rank, q->aged_rank);
    return order != 0 ? order : by_gain(a, b);
}

/*
 * Adds an entry to the queue. The n-th entry stands for term n, not for the term that was added
 * last. The two differ where terms have no partner, and then the last terms have no entry yet. This
 * follows R's earth, because other parents would lead to other terms.
 */
static void mars_parents_add(struct mars_parents *q, size_t terms, double gain)
{
    q->by_term[q->count] = (struct mars_parent){.term = q->count, .gain = gain, .tried_at = terms};
    q->count++;
}

static void mars_parents_rank(struct mars_parents *q, size_t terms, double ageing)
{
    for (size_t i = 0; i < q->count; i++)
        q->ranked[i] = q->by_term[i];
    qsort(q->ranked, q->count, sizeof *q->ranked, by_gain);
    for (size_t i = 0; i < q->count; i++) {
        struct mars_parent *parent = &q->ranked[i];
        parent->aged_rank = (double)i + ageing * (double)(terms - parent->tried_at);
    }
    qsort(q->ranked, q->count, sizeof *q->ranked, by_aged_rank);
}

/* ---- the pass ---- */

#define LEAST_GENERALISED_R_SQUARED (-10.0)
#define FEWEST_PARENTS              3
#define ROUNDING                    1e-10 /* of sums over y, whose variance is 1 */

/* The best term found so far in one step. */
struct candidate {
    double gain; /* by how much the term lowers the RSS */
    bool found, linear;
    bool paired; /* the hinge on the other side of the knot is added as well */
    size_t parent, factor, place;
};

struct forward {
    const struct mars_case_table *cases;
    const struct mars_options *options;
    struct mars_terms *terms;
    struct mars_parents parents;
    struct mars_projection projection;
    double *child; /* [n] */
    double *room;  /* [2 * max] */
};

static double *basis_of(const struct forward *f, size_t term)
{
    return f->terms->basis + term * f->cases->n;
}

/*
 * Returns true if a term of `factor` on this parent would have a new form. It has no new form only
 * if there are used terms, and each of them contains the factor and the same other factors as the
 * parent.
 */
static bool has_new_form(const struct forward *f, size_t parent, size_t factor)
{
    size_t factors = f->cases->factors;
    const signed char *wanted = f->terms->direction + parent * factors;
    bool any = false;
    for (size_t t = 1; t < f->terms->count; t++) {
        if (!f->terms->used[t])
            continue;
        const signed char *there = f->terms->direction + t * factors;
        any = true;
        if (there[factor] == MARS_ABSENT)
            return true;
        for (size_t k = 0; k < factors; k++) {
            if (k != factor && (there[k] != MARS_ABSENT) != (wanted[k] != MARS_ABSENT))
                return true;
        }
    }
    return !any;
}

/* Tries the plain factor, and then its knots, on this parent. Returns the largest gain. */
static double try_factor(struct forward *f, size_t parent, size_t factor, double max_gain,
                         const struct mars_spans *spans, struct candidate *best)
{
    const struct mars_case_table *cases = f->cases;
    const double *x = cases->x + factor * cases->n, *basis = basis_of(f, parent);
    size_t count = f->terms->count, place = 0;
    bool fresh = has_new_form(f, parent, factor);
    double linear_gain = 0;
    if (fresh) {
        for (size_t i = 0; i < cases->n; i++)
            f->child[i] = x[i] * basis[i];
        fresh = mars_project(&f->projection, count, f->child, f->terms->used, cases->y, true);
        linear_gain = f->projection.y_along[count] * f->projection.y_along[count];
        if (linear_gain > best->gain) {
            *best = (struct candidate){.gain = linear_gain,
                                       .found = true,
                                       .linear = true,
                                       .paired = best->paired,
                                       .parent = parent,
                                       .factor = factor};
        }
    }
    struct mars_knot_search search = {.cases = cases,
                                      .projection = &f->projection,
                                      .parent = basis,
                                      .factor = factor,
                                      .columns = count + fresh,
                                      .spans = *spans,
                                      .linear_gain = linear_gain,
                                      .max_gain = max_gain,
                                      .room = f->room};
    double gain = linear_gain;
    if (mars_search_knots(&search, &gain, &place) && gain > best->gain) {
        *best = (struct candidate){.gain = gain,
                                   .found = true,
                                   .paired = fresh,
                                   .parent = parent,
                                   .factor = factor,
                                   .place = place};
    }
    return gain;
}

/* Returns the best child of the parents at the head of the queue. */
static struct candidate find_term(struct forward *f, double max_gain)
{
    const struct mars_terms *t = f->terms;
    size_t factors = f->cases->factors, parents = f->parents.count;
    size_t tried = f->options->fast_parents;
    struct candidate best = {0};
    if (tried > 0 && tried < parents)
        parents = tried > FEWEST_PARENTS ? tried : FEWEST_PARENTS;
    if (parents > f->parents.count)
        parents = f->parents.count;
    for (size_t i = 0; i < parents; i++) {
        size_t parent = f->parents.ranked[i].term;
        if (parent >= t->count || !t->used[parent] || t->degree[parent] >= f->options->degree)
            continue;
        struct mars_spans spans =
            mars_spans_of(f->options, f->cases, basis_of(f, parent), t->degree[parent] + 1);
        double largest = -1;
        for (size_t factor = 0; factor < factors; factor++) {
            if (t->direction[parent * factors + factor] != MARS_ABSENT)
                continue;
            double gain = try_factor(f, parent, factor, max_gain, &spans, &best);
            largest = fmax(largest, gain);
        }
        f->parents.by_term[parent].gain = largest;
        f->parents.by_term[parent].tried_at = t->count;
    }
    return best;
}

/* Copies the parent to the index of a new term. */
static void copy_term(struct mars_terms *t, size_t to, size_t parent, size_t factors)
{
    memcpy(t->direction + to * factors, t->direction + parent * factors, factors);
    memcpy(t->knot + to * factors, t->knot + parent * factors, factors * sizeof *t->knot);
    t->degree[to] = t->degree[parent] + 1;
}

/*
 * Adds the candidate and its partner. They occupy two indices even if the partner is unused. The
 * cases up to the knot, in the factor's order, belong to the hinge below the knot.
 */
static void add_terms(struct forward *f, const struct candidate *best)
{
    struct mars_terms *t = f->terms;
    const struct mars_case_table *cases = f->cases;
    size_t factors = cases->factors, n = cases->n, above = t->count, below = above + 1;
    const double *x = cases->x + best->factor * n, *parent = basis_of(f, best->parent);
    const size_t *order = cases->order + best->factor * n;
    double knot = x[order[best->place]], *basis = basis_of(f, above);

    copy_term(t, above, best->parent, factors);
    copy_term(t, below, best->parent, factors);
    t->direction[above * factors + best->factor] = best->linear ? MARS_LINEAR : MARS_ABOVE;
    t->direction[below * factors + best->factor] = MARS_BELOW;
    t->knot[above * factors + best->factor] = t->knot[below * factors + best->factor] = knot;
    memset(basis, 0, 2 * n * sizeof *basis);
    for (size_t i = 0; i < n; i++) {
        size_t at = order[i];
        if (best->linear)
            basis[at] = parent[at] * x[at];
        else if (i > best->place)
            basis[at] = parent[at] * (x[at] - knot);
        else
            basis[n + at] = parent[at] * (knot - x[at]);
    }
    t->used[above] = true;
    mars_project(&f->projection, above, basis, t->used, cases->y, false);
    t->used[below] = !best->linear && best->paired;
    if (!t->used[below])
        memset(basis + n, 0, n * sizeof *basis);
    mars_project(&f->projection, below, basis + n, t->used, cases->y, false);
    t->count += 2;
}

static int make_forward(struct forward *f, struct arena *scratch)
{
    size_t n = f->cases->n, max = f->terms->max;
    f->parents.by_term = arena_alloc(scratch, max, sizeof *f->parents.by_term);
    f->parents.ranked = arena_alloc(scratch, max, sizeof *f->parents.ranked);
    f->projection.n = n;
    f->projection.max = max;
    f->projection.column = arena_alloc(scratch, max * n, sizeof(double));
    f->projection.centred_row = arena_alloc(scratch, max * n, sizeof(double));
    f->projection.y_along = arena_alloc(scratch, max, sizeof(double));
    f->child = arena_alloc(scratch, n, sizeof(double));
    f->room = arena_alloc(scratch, 2 * max, sizeof(double));
    return f->room ? 0 : -1;
}

static size_t forward_bytes(size_t n, size_t max)
{
    return 2 * arena_bytes(max, sizeof(struct mars_parent)) +
           2 * arena_bytes(max * n, sizeof(double)) + arena_bytes(max, sizeof(double)) +
           arena_bytes(n, sizeof(double)) + arena_bytes(2 * max, sizeof(double));
}

static void take_back(struct mars_terms *t)
{
    t->count -= 2;
    t->used[t->count] = t->used[t->count + 1] = false;
}

/* Adds pairs until one of the options' rules ends the pass; the last pair may be removed again. */
static void add_pairs(struct forward *f)
{
    struct mars_terms *t = f->terms;
    const struct mars_options *o = f->options;
    size_t n = f->cases->n, used = 1;
    double all = 0, r_squared = 0;
    for (size_t i = 0; i < n; i++)
        all += f->cases->y[i] * f->cases->y[i];
    double rss = all, gain = all, gcv_alone = mars_gcv(all, 1, n, o->penalty);

    while (t->count + 2 <= t->max && all > 0) {
        struct candidate best = find_term(f, fmin(1.01 * rss, 10 * gain));
        if (!best.found)
            return;
        if (best.linear && !o->linear_without_knot)
            best.linear = false;
        bool paired = best.place > 0 && best.paired;
        size_t first = t->count;
        add_terms(f, &best);
        used += 1 + paired;
        gain = best.gain;
        rss = rss - gain > ROUNDING ? rss - gain : 0;
        double before = r_squared;
        r_squared = 1 - rss / all;
        double generalised = 1 - mars_gcv(rss, used, n, o->penalty) / gcv_alone;
        if (o->threshold > 0 &&
            (r_squared - before < o->threshold || !(generalised >= LEAST_GENERALISED_R_SQUARED))) {
            take_back(t);
            return;
        }
        mars_parents_add(&f->parents, first, INFINITY);
        if (!best.linear && best.paired)
            mars_parents_add(&f->parents, first, INFINITY);
        mars_parents_rank(&f->parents, first, o->fast_ageing);
        if (r_squared >= 1 - o->threshold)
            return;
    }
}

int mars_forward(struct mars_terms *t, const struct mars_case_table *cases,
                 const struct mars_options *o, struct err *e)
{
    struct arena scratch;
    struct forward f = {.cases = cases, .options = o, .terms = t};
    if (arena_init_untouched(&scratch, forward_bytes(cases->n, t->max), e) != 0)
        return -1;
    if (make_forward(&f, &scratch) != 0) {
        arena_free(&scratch);
        return err_no_memory(e, "the terms of MARS");
    }
    for (size_t i = 0; i < cases->n; i++)
        t->basis[i] = 1;
    t->count = 1;
    t->used[0] = true;
    mars_project(&f.projection, 0, t->basis, t->used, cases->y, false);
    mars_parents_add(&f.parents, 1, 0);
    mars_parents_rank(&f.parents, 1, o->fast_ageing);
    add_pairs(&f);
    arena_free(&scratch);
    return 0;
}
