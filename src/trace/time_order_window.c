/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order by time within a window: a queue of what came in order, a binary heap of the rest. */
#include "trace/internal.h"

#include <stdlib.h>

/* An event that waits: its time, its place among all that came, and where it is. */
struct waiting {
    uint64_t time_ns;
    uint64_t order;
    uint32_t slot;
};

struct window {
    uint64_t next_order;
    uint32_t slot_count; /* in use at any time so far: others stay untouched */
    size_t free_count, queue_begin, queue_count, heap_count;
    uint32_t free_slots[WINDOW_EVENTS];
    struct waiting queue[WINDOW_EVENTS]; /* a ring */
    struct waiting heap[WINDOW_EVENTS];
    struct trace_event events[WINDOW_EVENTS];
};

struct window *window_create(void)
{
    struct window *w = malloc(sizeof *w);
    if (!w)
        return NULL;
    w->next_order = 0;
    w->queue_begin = w->queue_count = w->heap_count = 0;
    w->slot_count = 0;
    w->free_count = 0;
    return w;
}

void window_free(struct window *w)
{
    free(w);
}

bool window_is_full(const struct window *w)
{
    return w->free_count == 0 && w->slot_count == WINDOW_EVENTS;
}

static bool is_before(const struct waiting *a, const struct waiting *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
}

static void heap_push(struct window *w, const struct waiting *new)
{
    size_t i = w->heap_count++;
    while (i > 0 && is_before(new, &w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = *new;
}

static void heap_pop(struct window *w)
{
    const struct waiting *last = &w->heap[--w->heap_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= w->heap_count)
            break;
        if (child + 1 < w->heap_count && is_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!is_before(&w->heap[child], last))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = *last;
}

void window_push(struct window *w, const struct trace_event *event)
{
    const uint32_t slot = w->free_count ? w->free_slots[--w->free_count] : w->slot_count++;
    const struct waiting new = {event->time_ns, w->next_order++, slot};
    const size_t tail = (w->queue_begin + w->queue_count - 1) % WINDOW_EVENTS;
    w->events[new.slot] = *event;
    if (w->queue_count == 0 || new.time_ns >= w->queue[tail].time_ns)
        w->queue[(w->queue_begin + w->queue_count++) % WINDOW_EVENTS] = new;
    else
        heap_push(w, &new);
}

bool window_pop(struct window *w, struct trace_event *event)
{
    struct waiting first;
    if (w->queue_count == 0 && w->heap_count == 0)
        return false;
    if (w->heap_count &&
        (w->queue_count == 0 || is_before(&w->heap[0], &w->queue[w->queue_begin]))) {
        first = w->heap[0];
        heap_pop(w);
    } else {
        first = w->queue[w->queue_begin];
        w->queue_begin = (w->queue_begin + 1) % WINDOW_EVENTS;
        w->queue_count--;
    }
    *event = w->events[first.slot];
    w->free_slots[w->free_count++] = first.slot;
    return true;
}
