/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of parents. */
#include <math.h>
#include <stdlib.h>

#include "stat/mars/internal.h"

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
 * Adds entries to the queue. An entry stands for the term with the entry's number, not for the term
 * that was added last. Where terms have no partner the numbers differ, and the last terms wait. R's
 * earth does so, and other parents would lead to other terms.
 */
void mars_parents_add(struct mars_parents *q, size_t terms, double gain)
{
    q->by_term[q->count] = (struct mars_parent){.term = q->count, .gain = gain, .tried_at = terms};
    q->count++;
}

void mars_parents_rank(struct mars_parents *q, size_t terms, double ageing)
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
