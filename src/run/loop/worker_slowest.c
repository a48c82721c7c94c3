/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the slowest requests of a worker. */
#include <stdlib.h>

#include "run/loop/worker.h"

static uint64_t length_of(const struct finished_request *r)
{
    return r->end - r->begin;
}

static int by_length(const void *a, const void *b)
{
    const struct finished_request *one = a, *other = b;
    uint64_t ours = length_of(one), theirs = length_of(other);
    if (ours != theirs)
        return ours < theirs ? 1 : -1;
    return (one->begin > other->begin) - (one->begin < other->begin);
}

void slowest_add(struct slowest *s, const struct finished_request *request)
{
    if (length_of(request) <= s->floor)
        return;
    unsigned fastest = 0;
    if (s->count < SLOWEST_KEPT) {
        s->at[s->count++] = *request;
        if (s->count < SLOWEST_KEPT)
            return;
    } else {
        for (unsigned i = 1; i < SLOWEST_KEPT; i++)
            if (length_of(&s->at[i]) < length_of(&s->at[fastest]))
                fastest = i;
        s->at[fastest] = *request;
    }
    s->floor = UINT64_MAX;
    for (unsigned i = 0; i < SLOWEST_KEPT; i++)
        if (length_of(&s->at[i]) < s->floor)
            s->floor = length_of(&s->at[i]);
}

void slowest_sort(struct slowest *s)
{
    qsort(s->at, s->count, sizeof *s->at, by_length);
}
