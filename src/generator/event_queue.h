/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of things to come: a heap with four children a node, by time and then by the order in
 * which they were put in. Of fixed capacity, in the arena's memory; an entry is 16 bytes and four
 * siblings share a cache line. Not for two threads.
 */
#ifndef CUPEL_GENERATOR_EVENT_QUEUE_H
#define CUPEL_GENERATOR_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct event_item {
    uint64_t at_ns;
    uint32_t order;
    uint32_t what; /* the caller's: an index */
};

struct event_queue {
    struct event_item *items;
    uint32_t count, capacity;
    uint32_t next_order;
};

size_t event_queue_bytes(uint32_t capacity);

/* -1: the arena is used up. */
int event_queue_init(struct event_queue *q, uint32_t capacity, struct arena *arena);

static inline void event_queue_clear(struct event_queue *q)
{
    q->count = 0;
}

/* The caller has seen to it that there is room. */
void event_queue_push(struct event_queue *q, uint64_t at_ns, uint32_t what);

/* The earliest; NULL: none. */
static inline const struct event_item *event_queue_first(const struct event_queue *q)
{
    return q->count ? q->items : NULL;
}

/* Takes the earliest out; there is one. Returns its `what`. */
uint32_t event_queue_pop(struct event_queue *q);

/* Entries of now_ns or before. Takes time in proportion to them. */
uint32_t event_queue_due(const struct event_queue *q, uint64_t now_ns);

#endif
