/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores sets of disjoint stretches of time (stretch_ns, from begin to end), and computes their
   unions. A stretch is a time during which I/O was in flight. */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the set's first stretch of time that ends at `at` or later. A new stretch
   that begins at `at` touches that one or lies before it. */
static size_t first_ending_from(const struct stretch_set *set, uint64_t at)
{
    size_t low = 0, high = set->count;
    if (high && set->at[high - 1].end < at)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->at[middle].end < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int make_room(struct stretch_set *set, size_t count, struct err *e)
{
    size_t capacity = set->capacity ? set->capacity : 2;
    while (capacity < count)
        capacity *= 2;
    if (capacity == set->capacity)
        return 0;
    struct stretch_ns *at = realloc(set->at, capacity * sizeof *at);
    if (!at)
        return err_no_memory(e, "the time with I/O in flight");
    set->at = at;
    set->capacity = capacity;
    return 0;
}

/* Unites two lists in order of their begins; `to` may be `a` when `b` is empty. */
static size_t unite(const struct stretch_ns a[], size_t a_count, const struct stretch_ns b[],
                    size_t b_count, struct stretch_ns to[])
{
    size_t count = 0;
    size_t i = 0, k = 0;
    while (i < a_count || k < b_count) {
        bool of_b = k < b_count && (i == a_count || b[k].begin < a[i].begin);
        struct stretch_ns next = of_b ? b[k++] : a[i++];
        if (count && next.begin <= to[count - 1].end) {
            if (next.end > to[count - 1].end)
                to[count - 1].end = next.end;
        } else if (next.end > next.begin) {
            to[count++] = next;
        }
    }
    return count;
}

size_t stretches_unite(struct stretch_ns stretches[], size_t n)
{
    return unite(stretches, n, stretches + n, 0, stretches);
}

/* Adds stretches. Only stretches that the new ones touch are merged with them, so that a source
   whose stretches arrive in pieces, in order of time, costs only its own stretches and those that
   they overlap. */
int stretch_set_add(struct stretch_set *set, const struct stretch_ns add[], size_t n, struct err *e)
{
    if (!n)
        return 0;
    size_t first = first_ending_from(set, add[0].begin), last = first;
    while (last < set->count && set->at[last].begin <= add[n - 1].end)
        last++;
    const struct stretch_ns *only = last - first == 1 ? &set->at[first] : NULL;
    if (only && only->begin <= add[0].begin && only->end >= add[n - 1].end)
        return 0;
    struct stretch_ns *united = malloc((last - first + n) * sizeof *united);
    if (!united || make_room(set, set->count + n, e)) {
        free(united);
        return err_no_memory(e, "the time with I/O in flight");
    }
    size_t count = unite(set->at + first, last - first, add, n, united);
    memmove(set->at + first + count, set->at + last, (set->count - last) * sizeof *set->at);
    memcpy(set->at + first, united, count * sizeof *united);
    set->count = set->count - (last - first) + count;
    free(united);
    return 0;
}

static uint64_t overlap(const struct stretch_ns *a, uint64_t begin, uint64_t end)
{
    uint64_t from = a->begin > begin ? a->begin : begin, to = a->end < end ? a->end : end;
    return to > from ? to - from : 0;
}

uint64_t stretch_set_length(const struct stretch_set *set, uint64_t begin, uint64_t end)
{
    uint64_t length = 0;
    for (size_t i = first_ending_from(set, begin); i < set->count && set->at[i].begin < end; i++)
        length += overlap(&set->at[i], begin, end);
    return length;
}

uint64_t stretch_set_length_without(const struct stretch_set *a, const struct stretch_set *b,
                                    uint64_t begin, uint64_t end)
{
    uint64_t length = 0;
    for (size_t i = first_ending_from(a, begin); i < a->count && a->at[i].begin < end; i++) {
        uint64_t from = a->at[i].begin > begin ? a->at[i].begin : begin;
        uint64_t to = a->at[i].end < end ? a->at[i].end : end;
        if (to > from)
            length += to - from - stretch_set_length(b, from, to);
    }
    return length;
}

void stretch_set_free(struct stretch_set *set)
{
    free(set->at);
    *set = (struct stretch_set){.at = NULL};
}
