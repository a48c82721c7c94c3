/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts events by time within a window: a queue of the events in order, a heap of the others. */
#include "source/trace/internal.h"

#include <stdlib.h>

struct window {
    uint32_t next_order;
    uint32_t slot_count; /* slots that were ever used: memory of the others stays untouched */
    uint32_t free_count, queue_begin, queue_count;
    uint32_t free_slots[WINDOW_EVENTS];
    struct heap late; /* `what` is the event's slot, as in the queue */
    struct heap_item late_items[WINDOW_EVENTS];
    struct heap_item queue[WINDOW_EVENTS]; /* used as a ring */
    struct trace_event events[WINDOW_EVENTS];
};

/* Clears only the counts: unused pages of the arrays stay untouched. */
struct window *window_create(void)
{
    struct window *w = malloc(sizeof *w);
    if (!w)
        return NULL;
    w->next_order = w->slot_count = w->free_count = w->queue_begin = w->queue_count = 0;
    w->late = (struct heap){.items = w->late_items, .capacity = WINDOW_EVENTS};
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

void window_push(struct window *w, const struct trace_event *event)
{
    const uint32_t slot = w->free_count ? w->free_slots[--w->free_count] : w->slot_count++;
    const struct heap_item new = {event->time_ns, w->next_order++, slot};
    const uint32_t tail = (w->queue_begin + w->queue_count - 1) % WINDOW_EVENTS;
    w->events[slot] = *event;
    if (w->queue_count == 0 || new.at_ns >= w->queue[tail].at_ns)
        w->queue[(w->queue_begin + w->queue_count++) % WINDOW_EVENTS] = new;
    else
        heap_push_item(&w->late, new);
}

bool window_pop(struct window *w, struct trace_event *event)
{
    const struct heap_item *late = heap_first(&w->late);
    uint32_t slot;
    if (late && (w->queue_count == 0 || heap_item_before(late, &w->queue[w->queue_begin]))) {
        slot = heap_pop(&w->late);
    } else if (w->queue_count) {
        slot = w->queue[w->queue_begin].what;
        w->queue_begin = (w->queue_begin + 1) % WINDOW_EVENTS;
        w->queue_count--;
    } else {
        return false;
    }
    *event = w->events[slot];
    w->free_slots[w->free_count++] = slot;
    return true;
}
