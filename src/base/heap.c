/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/heap.h"

enum {
    CHILDREN = 4,
    /* The children of node 0 begin at 1. Three unused entries before node 0 put these children, and
       so every other group of siblings, at the start of a cache line. */
    UNUSED = 3,
};

size_t heap_bytes(uint32_t capacity)
{
    return arena_bytes((size_t)capacity + UNUSED, sizeof(struct heap_item));
}

int heap_init(struct heap *h, uint32_t capacity, struct arena *arena)
{
    struct heap_item *memory =
        arena_alloc(arena, (size_t)capacity + UNUSED, sizeof(struct heap_item));
    if (!memory)
        return -1;
    *h = (struct heap){.items = memory + UNUSED, .capacity = capacity};
    return 0;
}

void heap_push_item(struct heap *h, struct heap_item item)
{
    uint32_t i = h->count++;
    while (i) {
        uint32_t parent = (i - 1) / CHILDREN;
        if (!heap_item_before(&item, &h->items[parent]))
            break;
        h->items[i] = h->items[parent];
        i = parent;
    }
    h->items[i] = item;
}

uint32_t heap_pop(struct heap *h)
{
    uint32_t what = h->items[0].what;
    const struct heap_item last = h->items[--h->count];
    uint32_t i = 0, first;
    while ((first = i * CHILDREN + 1) < h->count) {
        uint32_t end = first + CHILDREN < h->count ? first + CHILDREN : h->count;
        uint32_t earliest = first;
        for (uint32_t child = first + 1; child < end; child++)
            if (heap_item_before(&h->items[child], &h->items[earliest]))
                earliest = child;
        if (!heap_item_before(&h->items[earliest], &last))
            break;
        h->items[i] = h->items[earliest];
        i = earliest;
    }
    h->items[i] = last;
    return what;
}

/* Counts the due entries from i downwards. If an entry is not due, no entry below it is due. The
   recursion is as deep as the heap: at most 16. */
static uint32_t due_below(const struct heap *h, uint32_t i, uint64_t now_ns)
{
    if (i >= h->count || h->items[i].at_ns > now_ns)
        return 0;
    uint32_t due = 1;
    for (uint32_t child = i * CHILDREN + 1; child <= i * CHILDREN + CHILDREN; child++)
        due += due_below(h, child, now_ns); // NOLINT(misc-no-recursion)
    return due;
}

uint32_t heap_due(const struct heap *h, uint64_t now_ns)
{
    return due_below(h, 0, now_ns);
}
