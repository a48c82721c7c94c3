/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns single I/Os into disjoint stretches with I/O in flight, in order of time.
 *
 * I/Os come nearly in the order in which they completed. Short I/Os of which only the ms of their
 * end is known are summed ms by ms; the others become stretches. When there are many stretches, the
 * oldest are passed on, and a later I/O that begins before their end counts only from there.
 */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#define NS_MS    1000000u
#define CAPACITY ((size_t)1 << 18)

static bool is_exact(const struct merge_stretch *s)
{
    return s->busy_ns == s->end_ns - s->begin_ns;
}

static int by_begin(const void *a, const void *b)
{
    const struct merge_stretch *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns); /* the longest first */
}

/* Returns the part from `begin` to `end`, with the same share of gaps. */
static struct merge_stretch part_of(const struct merge_stretch *s, uint64_t begin, uint64_t end)
{
    struct merge_stretch part = {begin, end, end - begin};
    if (!is_exact(s))
        part.busy_ns = (uint64_t)((double)s->busy_ns * (double)(end - begin) /
                                  (double)(s->end_ns - s->begin_ns));
    return part;
}

/*
 * Joins two overlapping stretches, of which `last` begins first. If only one has no gaps, it keeps
 * its whole length, and the other is cut. Returns true if the rest of `next` follows *last; false
 * if *last contains it.
 */
static bool join(struct merge_stretch *last, struct merge_stretch *next)
{
    const uint64_t begin = next->begin_ns, end = next->end_ns;
    if (is_exact(last) && is_exact(next)) {
        last->end_ns = end > last->end_ns ? end : last->end_ns;
        last->busy_ns = last->end_ns - last->begin_ns;
        return false;
    }
    if (is_exact(last)) {
        if (end <= last->end_ns)
            return false;
        *next = part_of(next, last->end_ns, end);
        return true;
    }
    if (is_exact(next) && begin > last->begin_ns) {
        *last = part_of(last, last->begin_ns, begin);
        return true;
    }
    uint64_t busy = is_exact(next) ? end - begin : last->busy_ns + next->busy_ns;
    last->end_ns = end > last->end_ns ? end : last->end_ns;
    last->busy_ns = busy < last->end_ns - last->begin_ns ? busy : last->end_ns - last->begin_ns;
    return false;
}

static void make_disjoint(struct busy_gatherer *g)
{
    size_t n = 0;
    if (g->count > 1)
        qsort(g->at, g->count, sizeof *g->at, by_begin);
    for (size_t i = 0; i < g->count; i++) {
        struct merge_stretch next = g->at[i];
        if (n && next.begin_ns < g->at[n - 1].end_ns && !join(&g->at[n - 1], &next))
            continue;
        g->at[n++] = next;
    }
    g->count = n;
}

/* Adds the oldest stretches to the merge; `keep` of them stay. */
static int give_out(struct merge *m, struct busy_gatherer *g, size_t keep, struct err *e)
{
    make_disjoint(g);
    if (g->count <= keep)
        return 0;
    size_t n = g->count - keep;
    g->given_ns = g->at[n - 1].end_ns;
    if (merge_add_stretches(m, g->at, n, e))
        return -1;
    memmove(g->at, g->at + n, keep * sizeof *g->at);
    g->count = keep;
    return 0;
}

int busy_gatherer_begin(struct busy_gatherer *g, struct err *e)
{
    *g = (struct busy_gatherer){.at = malloc(CAPACITY * sizeof *g->at)};
    return g->at ? 0 : err_no_memory(e, "stretches of time");
}

void busy_gatherer_free(struct busy_gatherer *g)
{
    free(g->at);
    *g = (struct busy_gatherer){0};
}

/* Adds a short I/O to the sum of its ms, if the previous I/O is of the same ms. */
static bool joins_last(struct busy_gatherer *g, const struct merge_stretch *add)
{
    struct merge_stretch *last = &g->at[g->count ? g->count - 1 : 0];
    if (!g->count || last->begin_ns != add->begin_ns || last->end_ns != add->end_ns)
        return false;
    last->busy_ns += add->busy_ns;
    if (last->busy_ns > NS_MS)
        last->busy_ns = NS_MS;
    return true;
}

int busy_gather(struct merge *m, struct busy_gatherer *g, uint64_t end_ns, uint64_t latency_ns,
                bool exact, struct err *e)
{
    const uint64_t ms = end_ns / NS_MS;
    struct merge_stretch add = {end_ns > latency_ns ? end_ns - latency_ns : 0, end_ns, 0};
    if (end_ns <= g->given_ns) { /* time went back: the rows are of another job */
        if (give_out(m, g, 0, e))
            return -1;
        g->given_ns = 0;
    }
    if (add.begin_ns < g->given_ns)
        add.begin_ns = g->given_ns;
    add.busy_ns = add.end_ns - add.begin_ns;
    if (!exact && latency_ns < NS_MS) {
        add = (struct merge_stretch){ms * NS_MS, (ms + 1) * NS_MS, latency_ns};
        if (joins_last(g, &add))
            return 0;
    }
    if (!latency_ns || add.end_ns <= add.begin_ns)
        return 0;
    g->at[g->count++] = add;
    return g->count < CAPACITY ? 0 : give_out(m, g, CAPACITY / 2, e);
}

int busy_gatherer_end(struct merge *m, struct busy_gatherer *g, struct err *e)
{
    return give_out(m, g, 0, e);
}
