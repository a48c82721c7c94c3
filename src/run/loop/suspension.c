/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the intervals of a round that are void, because the whole program was suspended during a
   gap between two beats of the heartbeat. */
#include "run/loop/worker_group.h"

void suspension_begin_round(struct suspension *s, const struct round_order *order)
{
    s->begin_ticks = order->begin_ticks;
    s->next = s->heartbeat ? atomic_load(&s->heartbeat->gap_count) : 0;
    s->all_vouched = s->active = false;
    s->count = 0;
    s->void_ticks = s->void_end = 0;
}

/* Returns true if the worker has published everything that it did before `ticks`. An interval is
   published when a later one begins. */
static bool is_past(struct worker *w, uint64_t ticks)
{
    const struct round_order *order = w->order;
    if (!atomic_load_explicit(&w->running, memory_order_acquire))
        return true;
    unsigned published = atomic_load_explicit(&w->intervals.published, memory_order_acquire);
    unsigned taken = atomic_load_explicit(&w->intervals.taken, memory_order_relaxed);
    if (published == taken)
        return false;
    const struct interval *newest =
        &w->intervals.intervals[(published - 1) % w->intervals.capacity];
    uint64_t interval_ticks = INTERVAL_SLICES * order->slice_ticks;
    return round_slices_begin(order) + (newest->index + 1) * interval_ticks > ticks;
}

/*
 * Returns true if the worker completed I/O in the middle half of the gap, in a slice that is wholly
 * inside. The edges of the gap do not count: threads are stopped within moments, not all at once,
 * and continue in the same way.
 */
static bool has_progressed(const struct worker *w, const struct heartbeat_gap *gap)
{
    uint64_t whole = gap->end - gap->begin;
    uint64_t length = whole > gap->waited ? whole - gap->waited : 0;
    uint64_t begin = gap->begin + length / 4, end = begin + length / 2;
    const struct round_order *order = w->order;
    unsigned published = atomic_load_explicit(&w->intervals.published, memory_order_acquire);
    unsigned taken = atomic_load_explicit(&w->intervals.taken, memory_order_relaxed);
    for (unsigned k = taken; k != published; k++) {
        const struct interval *interval = &w->intervals.intervals[k % w->intervals.capacity];
        for (unsigned i = 0; i < INTERVAL_SLICES; i++) {
            uint64_t at = round_slices_begin(order) +
                          (interval->index * INTERVAL_SLICES + i) * order->slice_ticks;
            if (at >= begin && at + order->slice_ticks <= end &&
                !slice_is_empty(&interval->slices[i]))
                return true;
        }
    }
    return false;
}

/* Decides whether the next gap, which reaches into the interval, was a suspension of the whole
   program or only of the heartbeat. */
static void judge_gap(struct suspension *s, const struct heartbeat_gap *gap,
                      const struct worker workers[], unsigned count)
{
    const struct clock *clock = s->heartbeat->clock;
    uint64_t moment = clock_ticks_of_ns(clock, HEARTBEAT_NS);
    s->next++;
    /* The program was suspended before the round began, and the heartbeat noticed it a moment
       later: the round is not affected. */
    if (gap->begin < s->begin_ticks && gap->end < s->begin_ticks + moment)
        return;
    for (unsigned i = 0; i < count; i++)
        if (has_progressed(&workers[i], gap))
            return;
    s->active = true;
    s->gap = *gap;
    s->count++;
    if (s->report)
        s->report(s->context, gap);
}

bool suspension_is_settled(struct suspension *s, struct worker workers[], unsigned count,
                           uint64_t end)
{
    if (!s->heartbeat)
        return true;
    if (!s->all_vouched && heartbeat_vouched(s->heartbeat) < end)
        return false;
    while (s->next < atomic_load_explicit(&s->heartbeat->gap_count, memory_order_acquire)) {
        const struct heartbeat_gap *gap = &s->heartbeat->gaps[s->next];
        if (gap->begin >= end)
            break;
        for (unsigned i = 0; i < count; i++)
            if (!is_past(&workers[i], gap->end))
                return false;
        judge_gap(s, gap, workers, count);
    }
    return true;
}

bool suspension_voids(struct suspension *s, uint64_t begin, uint64_t end, const struct batch *b)
{
    if (!s->active || end <= s->gap.begin)
        return false;
    /* The longest time that any request in the batch took. */
    uint64_t longest_ns = b->timing ? b->timing->issue_error.max : 0;
    for (int op = 0; op < OPERATIONS; op++)
        if (b->latency[op].max > longest_ns)
            longest_ns = b->latency[op].max;
    /* If nothing completed, the I/O in flight may have begun before the gap's end, so the interval
       is void. */
    bool empty = true;
    for (unsigned i = 0; i < b->slice_count; i++)
        empty &= slice_is_empty(&b->slices[i]);
    uint64_t clear = s->gap.end + clock_ticks_of_ns(s->heartbeat->clock, longest_ns);
    if (!s->ends_round && begin >= clear && !empty) {
        /* all later I/O began after the gap, so that the suspension affects no further interval */
        s->active = false;
        return false;
    }
    s->void_ticks += end - (begin > s->begin_ticks ? begin : s->begin_ticks);
    s->void_end = end;
    return true;
}
