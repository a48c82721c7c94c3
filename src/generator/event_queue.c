/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap of things to come. */
#include "generator/internal.h"

enum {
    CHILDREN = 4,
    /* The children of node 0 begin at 1; three unused entries before node 0 put that on the begin
       of a cache line, and with it all other groups of siblings. */
    UNUSED = 3,
};

size_t event_queue_bytes(uint32_t capacity)
{
    return arena_bytes((size_t)capacity + UNUSED, sizeof(struct event_item));
}

int event_queue_init(struct event_queue *q, uint32_t capacity, struct arena *arena)
{
    struct event_item *memory =
        arena_alloc(arena, (size_t)capacity + UNUSED, sizeof(struct event_item));
    if (!memory)
        return -1;
    *q = (struct event_queue){.items = memory + UNUSED, .capacity = capacity};
    return 0;
}

/* The order wraps round after 2^32 entries; far fewer are in the queue at once. */
static inline bool before(const struct event_item *a, const struct event_item *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && (int32_t)(a->order - b->order) < 0);
}

void event_queue_push(struct event_queue *q, uint64_t at_ns, uint32_t what)
{
    const struct event_item item = {.at_ns = at_ns, .order = q->next_order++, .what = what};
    uint32_t i = q->count++;
    while (i) {
        uint32_t parent = (i - 1) / CHILDREN;
        if (!before(&item, &q->items[parent]))
            break;
        q->items[i] = q->items[parent];
        i = parent;
    }
    q->items[i] = item;
}

static uint32_t earliest_child(const struct event_queue *q, uint32_t first)
{
    uint32_t end = first + CHILDREN < q->count ? first + CHILDREN : q->count;
    uint32_t best = first;
    for (uint32_t child = first + 1; child < end; child++)
        if (before(&q->items[child], &q->items[best]))
            best = child;
    return best;
}

uint32_t event_queue_pop(struct event_queue *q)
{
    uint32_t what = q->items[0].what;
    const struct event_item last = q->items[--q->count];
    uint32_t i = 0, first;
    while ((first = i * CHILDREN + 1) < q->count) {
        uint32_t child = earliest_child(q, first);
        if (!before(&q->items[child], &last))
            break;
        q->items[i] = q->items[child];
        i = child;
    }
    q->items[i] = last;
    return what;
}

/* What is below an entry that is not due is not due either. The depth is the heap's: at most 16. */
static uint32_t due_below(const struct event_queue *q, uint32_t i, uint64_t now_ns)
{
    if (i >= q->count || q->items[i].at_ns > now_ns)
        return 0;
    uint32_t due = 1;
    for (uint32_t child = i * CHILDREN + 1; child <= i * CHILDREN + CHILDREN; child++)
        due += due_below(q, child, now_ns); // NOLINT(misc-no-recursion)
    return due;
}

uint32_t event_queue_due(const struct event_queue *q, uint64_t now_ns)
{
    return due_below(q, 0, now_ns);
}
