/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slices of the timeline as readings: the slices at the edges were not measured for their whole
   time. */
#include "many/merge/internal.h"

static uint64_t shorter_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void take_slice(const struct merge *m, const struct timeline_interval *from, unsigned i,
                       bool with_stretches, struct slice *to)
{
    *to = (struct slice){.busy_ns = 0};
    for (int op = 0; op < OPERATIONS; op++)
        to->op[op] = from->slices[i].op[op];
    if (!with_stretches)
        return;
    to->asked_bytes = from->slices[i].asked_bytes;
    to->busy_ns = (uint64_t)(timeline_busy_ns(from, judged_timeline(m)->length_ns, i) + 0.5);
}

/* Adds the part of a slice that lies in the interval of that instant. */
static void add_slice_at(const struct merge *m, uint64_t at_ns, bool with_stretches,
                         struct slice *to)
{
    const struct timeline *t = judged_timeline(m);
    const uint64_t length = t->length_ns, number = at_ns / length;
    const unsigned i = (unsigned)((at_ns - number * length) * TIMELINE_SLICES / length);
    const size_t k = timeline_from(t, number);
    struct slice add;
    if (k == t->count || t->intervals[k]->number != number)
        return;
    take_slice(m, t->intervals[k], i, with_stretches, &add);
    slice_add(to, &add);
}

/*
 * Adds to the slice [begin, end) its neighbours at the edges of which less than half was measured:
 * they say little about a rate, but their I/Os must not be lost, since the longest of all may end
 * there. Returns the measured time of the added neighbours.
 */
static uint64_t join_edges(const struct merge *m, const struct span_ns *span, uint64_t begin,
                           uint64_t end, struct slice *to)
{
    const uint64_t shorter = shorter_of(span->end - span->begin, end - begin);
    uint64_t joined = 0;
    if (span->begin < begin && 2 * (begin - span->begin) < shorter) {
        add_slice_at(m, begin - 1, span->has_stretches, to);
        joined += begin - span->begin;
    }
    if (span->end > end && 2 * (span->end - end) < shorter) {
        add_slice_at(m, end, span->has_stretches, to);
        joined += span->end - end;
    }
    return joined;
}

bool reading_of_slice(const struct merge *m, const struct timeline_interval *from, unsigned i,
                      const struct span_ns *span, struct slice *to)
{
    const uint64_t length = judged_timeline(m)->length_ns, base = from->number * length;
    const uint64_t begin = base + length * i / TIMELINE_SLICES;
    const uint64_t end = base + length * (i + 1) / TIMELINE_SLICES;
    const uint64_t first = span->begin > begin ? span->begin : begin;
    const uint64_t last = span->end < end ? span->end : end;
    uint64_t covered = last > first ? last - first : 0;
    if (!covered || 2 * covered < shorter_of(span->end - span->begin, end - begin))
        return false;
    take_slice(m, from, i, span->has_stretches, to);
    covered += join_edges(m, span, begin, end, to);
    to->unmeasured_ns = (int64_t)(end - begin) - (int64_t)covered;
    return true;
}
