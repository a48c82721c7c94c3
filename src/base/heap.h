/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CUPEL_BASE_HEAP_H
#define CUPEL_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * A heap of future events, ordered by time and then by `order`, four children a node. An entry is
 * 16 bytes, and in memory of heap_init four siblings share a cache line. The capacity is fixed: the
 * caller of heap_push makes sure that there is room. One thread at a time.
 */

struct heap_item {
    uint64_t at_ns;
    /* number of the push. Numbers wrap round, which is harmless because entries that are in the
       heap together differ by less than 2^31 */
    uint32_t order;
    uint32_t what; /* an index that the caller chooses */
};

struct heap {
    struct heap_item *items; /* memory of the arena, or an array of the caller */
    uint32_t count, capacity;
    uint32_t next_order;
};

size_t heap_bytes(uint32_t capacity);

/* Makes an empty heap in the arena's memory. Returns -1 when the arena is used up. */
int heap_init(struct heap *h, uint32_t capacity, struct arena *arena);

static inline void heap_clear(struct heap *h)
{
    h->count = 0;
}

static inline bool heap_item_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && (int32_t)(a->order - b->order) < 0);
}

void heap_push_item(struct heap *h, struct heap_item item);

/* Adds an entry; entries of the same time keep the order of their pushes. */
static inline void heap_push(struct heap *h, uint64_t at_ns, uint32_t what)
{
    heap_push_item(h, (struct heap_item){.at_ns = at_ns, .order = h->next_order++, .what = what});
}

/* Returns the earliest entry; NULL when the heap is empty. */
static inline const struct heap_item *heap_first(const struct heap *h)
{
    return h->count ? h->items : NULL;
}

/* Removes the earliest entry, which must exist. Returns its `what`. */
uint32_t heap_pop(struct heap *h);

/* Returns the number of entries with a time of at most now_ns. Takes time in proportion to that
   number. */
uint32_t heap_due(const struct heap *h, uint64_t now_ns);

#endif
