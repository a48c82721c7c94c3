/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maintains the union of intervals as they are added. */
#include "stat/basic/busy_time.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void busy_list_init(struct busy_list *l, uint64_t gap_min)
{
    l->count = 0;
    l->part = 0;
    l->gap_min = gap_min;
    l->gap = 0;
}

static bool joins(const struct busy_list *l, const struct busy_stretch *last,
                  const struct busy_stretch *next)
{
    return last->part == next->part && next->begin - last->end <= l->gap;
}

/* Merges neighbouring stretches until at least a quarter of the list is free, so that merging is
   rare. Stretches of different parts are not merged, so each part keeps at least one. */
static void make_room(struct busy_list *l)
{
    while (l->count > BUSY_LIST_MAX / 4 * 3 && l->gap < UINT64_MAX / 2) {
        size_t kept = 0;
        l->gap = l->gap ? 2 * l->gap : l->gap_min;
        for (size_t i = 1; i < l->count; i++) {
            struct busy_stretch *last = &l->stretch[kept];
            if (joins(l, last, &l->stretch[i])) {
                last->end = l->stretch[i].end;
                last->busy += l->stretch[i].busy;
            } else {
                l->stretch[++kept] = l->stretch[i];
            }
        }
        l->count = kept + 1;
    }
}

void busy_list_add(struct busy_list *l, uint64_t begin, uint64_t end)
{
    const struct busy_stretch next = {begin, end, end - begin, l->part};
    if (l->count == BUSY_LIST_MAX)
        make_room(l);
    struct busy_stretch *last = l->count ? &l->stretch[l->count - 1] : NULL;
    if (last && joins(l, last, &next)) {
        last->end = end;
        last->busy += end - begin;
    } else if (l->count < BUSY_LIST_MAX) {
        l->stretch[l->count++] = next;
    }
}

void busy_init(struct busy *b)
{
    b->list = NULL;
    b->settled = b->settled_until = 0;
    b->count = 0;
}

static void remove_stretches(struct busy *b, size_t first, size_t count)
{
    memmove(b->stretch + first, b->stretch + first + count,
            (b->count - first - count) * sizeof b->stretch[0]);
    b->count -= count;
}

void busy_add(struct busy *b, uint64_t begin, uint64_t end)
{
    if (b->count == BUSY_STRETCHES)
        busy_settle(b, b->stretch[BUSY_STRETCHES / 4 - 1].end);
    if (begin < b->settled_until)
        begin = b->settled_until;
    if (end <= begin)
        return;

    /* the common case (one worker at iodepth 1): the interval comes after all others */
    if (b->count && begin > b->stretch[b->count - 1].end) {
        b->stretch[b->count++] = (struct busy_interval){begin, end};
        return;
    }
    /* [first, last) are the busy stretches that the interval overlaps or touches. */
    size_t last = b->count;
    while (last > 0 && b->stretch[last - 1].begin > end)
        last--;
    size_t first = last;
    while (first > 0 && b->stretch[first - 1].end >= begin)
        first--;
    if (first == last) {
        memmove(b->stretch + first + 1, b->stretch + first,
                (b->count - first) * sizeof b->stretch[0]);
        b->stretch[first] = (struct busy_interval){begin, end};
        b->count++;
        return;
    }
    struct busy_interval *merged = &b->stretch[first];
    if (begin < merged->begin)
        merged->begin = begin;
    merged->end = b->stretch[last - 1].end > end ? b->stretch[last - 1].end : end;
    if (last - first > 1)
        remove_stretches(b, first + 1, last - first - 1);
}

void busy_settle(struct busy *b, uint64_t limit)
{
    size_t whole = 0;
    while (whole < b->count && b->stretch[whole].end <= limit) {
        b->settled += b->stretch[whole].end - b->stretch[whole].begin;
        if (b->list)
            busy_list_add(b->list, b->stretch[whole].begin, b->stretch[whole].end);
        whole++;
    }
    remove_stretches(b, 0, whole);
    if (b->count > 0 && b->stretch[0].begin < limit) {
        b->settled += limit - b->stretch[0].begin;
        if (b->list)
            busy_list_add(b->list, b->stretch[0].begin, limit);
        b->stretch[0].begin = limit;
    }
    if (limit > b->settled_until)
        b->settled_until = limit;
}

uint64_t busy_total(const struct busy *b)
{
    uint64_t total = b->settled;
    for (size_t i = 0; i < b->count; i++)
        total += b->stretch[i].end - b->stretch[i].begin;
    return total;
}
