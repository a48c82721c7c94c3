/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scans all knots of a factor, by Friedman's updating formulas (1991), section 3.9. */
#include <math.h>
#include <string.h>

#include "stat/mars/internal.h"

/* A hinge is refused if the part of it that is orthogonal to the other terms is a smaller share
   than this. For models with few terms the minimum is larger. */
#define NEW_SHARE_FEW  0.01
#define NEW_SHARE_MANY 1e-5
#define FEW_COLUMNS    15

/* Constants of Friedman's equations 43 and 45, which space the knots so that, with probability .95,
   no run of noise between them has the same sign throughout. */
#define LOG_LOG_05 2.9702  /* -log(-log .95) */
#define SPAN_SCALE 1.7329  /* 2.5 log 2 */
#define END_BITS   7.32193 /* 3 + log2 20 */
#define LOG_2      0.69315

static size_t end_span_of(const struct mars_options *o, size_t factors, size_t n, unsigned degree)
{
    size_t span = o->end_span;
    if (span == 0)
        span = (size_t)(END_BITS + log((double)factors) / LOG_2);
    if (degree >= 2)
        span += (size_t)(o->adjust_end_span * (double)span + 0.5);
    size_t most = n >= 4 ? n / 2 - 1 : 1; /* at least one knot must remain possible */
    return span > most ? most : span;
}

/* Returns the number of cases between two knots. Cases where the parent is zero do not count. */
static size_t span_between(size_t factors, const double parent[], size_t n)
{
    size_t inside = 0;
    for (size_t i = 0; i < n; i++)
        inside += parent[i] > 0;
    double span = (LOG_LOG_05 + log((double)(factors * inside))) / SPAN_SCALE;
    return span > 1 ? (size_t)span : 1;
}

/* Places the knots in the middle of the cases between the two end spans. */
struct mars_spans mars_spans_of(const struct mars_options *o, const struct mars_case_table *t,
                                const double parent[], unsigned degree)
{
    size_t each = o->min_span > 0 ? o->min_span : span_between(t->factors, parent, t->n);
    size_t end = end_span_of(o, t->factors, t->n, degree);
    size_t available = t->n > 2 * end ? t->n - 2 * end : 0, rest = available;
    if (available > each && each > 0)
        rest = (available - 1) % each + 1;
    return (struct mars_spans){.first = end + rest / 2, .each = each, .end = end};
}

/* Running sums over the cases above the knot; b is the parent's value of a case. */
struct hinge_sums {
    double b, b_x;     /* sum b, sum b x */
    double b_b, b_b_x; /* sum b^2, sum b^2 x */
    double b_y;        /* sum b y */
    double hinge;      /* sum of the hinge */
    double spread;     /* sum of squares of the hinge's deviations from its mean */
    double hinge_y;    /* sum of the hinge times y */
};

/* Moves the knot down from `above`, the factor's value of a case with parent value b and response
   y, to `x`. */
static void lower_knot(struct hinge_sums *s, double above, double x, double b, double y, size_t n)
{
    double step = above - x, before = s->hinge;
    s->b += b;
    s->b_x += b * above;
    s->b_b += b * b;
    s->b_b_x += b * b * above;
    s->b_y += y * b;
    s->hinge = s->b_x - s->b * x;
    s->spread += step * (2 * s->b_b_x - s->b_b * (x + above)) +
                 (before * before - s->hinge * s->hinge) / (double)n;
    s->hinge_y += step * s->b_y;
}

bool mars_search_knots(const struct mars_knot_search *s, double *gain, size_t *place)
{
    const struct mars_case_table *t = s->cases;
    const struct mars_projection *p = s->projection;
    const double *x = t->x + s->factor * t->n;
    const size_t *order = t->order + s->factor * t->n;
    /* products of the columns with the hinge (`along`), and with its slope */
    double *along = s->room, *slope = s->room + p->max;
    double new_share = s->columns < FEW_COLUMNS ? NEW_SHARE_FEW : NEW_SHARE_MANY;
    struct hinge_sums sums = {0};
    size_t wait = s->spans.first;
    bool found = false;

    memset(s->room, 0, 2 * p->max * sizeof *s->room);
    for (size_t i = t->n - 1; i-- > s->spans.end;) {
        size_t above = order[i + 1];
        double b = s->parent[above], knot = x[order[i]], step = x[above] - knot;
        const double *row = p->centred_row + above * p->max;
        for (size_t c = 0; c < s->columns; c++) {
            slope[c] += b * row[c];
            along[c] += step * slope[c];
        }
        lower_knot(&sums, x[above], knot, b, t->y[above], t->n);
        if (!(b > 0 && sums.spread > 0) || --wait != 0)
            continue;
        wait = s->spans.each;
        double fresh_y = 0, fresh = 0;
        for (size_t c = 0; c < s->columns; c++) {
            fresh_y += p->y_along[c] * along[c];
            fresh += along[c] * along[c];
        }
        fresh_y = sums.hinge_y - fresh_y;
        fresh = sums.spread - fresh;
        double tried = s->linear_gain;
        if (fresh / sums.spread > new_share)
            tried += fresh_y * fresh_y / fresh;
        if (tried > *gain && tried < s->max_gain) {
            *gain = tried;
            *place = i;
            found = true;
        }
    }
    return found;
}
