/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the stretches of an interval in which I/O was in flight, for its batch.
 *
 * The records show them if there are several workers, or one that is not too fast. For a faster
 * one, only the busy time of each slice is known: then a slice is one stretch with gaps. In both
 * cases the stretches of a slice have exactly its busy time, so that single slices can be left out.
 */
#include "run/loop/worker_group.h"

static uint64_t length_of(const struct busy_stretch *s)
{
    return s->end - s->begin;
}

/* Returns true if the list has all busy time: nothing of the interval was settled before the list
   existed. */
static bool has_all(const struct busy_list *l, const uint64_t busy_ticks[INTERVAL_SLICES])
{
    uint64_t listed[INTERVAL_SLICES] = {0};
    for (size_t i = 0; i < l->count; i++)
        listed[l->stretch[i].part] += l->stretch[i].busy;
    for (unsigned i = 0; i < INTERVAL_SLICES; i++)
        if (listed[i] != busy_ticks[i])
            return false;
    return true;
}

static void list_slices(struct collector *c, struct busy_list *l,
                        const uint64_t busy_ticks[INTERVAL_SLICES], uint64_t begin)
{
    l->count = 0;
    for (unsigned i = 0; i < INTERVAL_SLICES; i++, begin += c->slice_ticks) {
        uint64_t busy = busy_ticks[i];
        uint64_t length = busy > c->slice_ticks ? busy : c->slice_ticks;
        if (busy)
            l->stretch[l->count++] = (struct busy_stretch){begin, begin + length, busy, i};
    }
}

/* Puts the stretches into the batch, in ns since the interval began. Stretches without gaps inside
   or between them are merged. */
static void put(struct collector *c, const struct busy_list *l, uint64_t begin, unsigned slices)
{
    struct batch *b = &c->batch;
    uint64_t reached_ns = 0, full_until = 0, of_part = 0; /* full_until: ticks where the last
                                                             stretch ended; 0: it had gaps */
    for (size_t i = 0; i < l->count; i++) {
        const struct busy_stretch *s = &l->stretch[i];
        if (!i || s->part != s[-1].part)
            of_part = 0;
        uint64_t busy_ns = clock_ns(c->clock, of_part + s->busy) - clock_ns(c->clock, of_part);
        of_part += s->busy; /* rounded like the slices' busy time, so that the sums agree */
        if (!(slices >> s->part & 1) || !busy_ns)
            continue;
        const bool is_full = s->busy == length_of(s);
        struct batch_stretch *to = &c->stretches[b->stretch_count];
        if (is_full && full_until == s->begin && b->stretch_count) {
            to[-1].end_ns += busy_ns;
            to[-1].busy_ns += busy_ns;
            reached_ns = to[-1].end_ns;
        } else {
            uint64_t begin_ns = clock_ns(c->clock, s->begin - begin);
            to->begin_ns = begin_ns > reached_ns ? begin_ns : reached_ns;
            to->busy_ns = busy_ns;
            to->end_ns = to->begin_ns + busy_ns;
            uint64_t end_ns = clock_ns(c->clock, s->end - begin);
            if (!is_full && end_ns > to->end_ns)
                to->end_ns = end_ns;
            reached_ns = to->end_ns;
            b->stretch_count++;
        }
        full_until = is_full ? s->end : 0;
    }
}

void collector_put_stretches(struct collector *c, const uint64_t busy_ticks[INTERVAL_SLICES],
                             unsigned slices)
{
    struct busy_list *l = collector_list(c, c->next_interval);
    uint64_t begin = c->begin_ticks + c->next_interval * INTERVAL_SLICES * c->slice_ticks;
    if (!has_all(l, busy_ticks))
        list_slices(c, l, busy_ticks, begin);
    c->batch.stretches = c->stretches;
    c->batch.stretch_count = 0;
    put(c, l, begin, slices);
    busy_list_init(l, l->gap_min);
}
