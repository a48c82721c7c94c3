/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periods of the wall clock with their latency histograms, and merging of periods. */
#include "run/measurement/measurement.h"

#include <string.h>

size_t latency_history_bytes(size_t periods, unsigned operations)
{
    return arena_bytes(periods, sizeof(struct latency_period)) +
           interval_histograms_bytes(periods, operations);
}

int latency_history_init(struct latency_history *h, size_t periods, unsigned operations,
                         struct arena *arena)
{
    *h = (struct latency_history){.capacity = periods};
    h->periods = arena_alloc(arena, periods, sizeof *h->periods);
    for (size_t i = 0; i < periods && h->periods; i++)
        if (interval_histograms_init(h->periods[i].latency, operations, arena))
            h->periods = NULL;
    return h->periods ? 0 : -1;
}

/* Returns the factor to the next length of 1, 2, 5 x 10^k that is a multiple of this one; other
   lengths double. */
static unsigned next_factor(uint64_t length_ns)
{
    while (length_ns % 10 == 0)
        length_ns /= 10;
    return length_ns == 2 ? 5 : 2;
}

/* Returns the shortest length of 1, 2, 5 x 10^k s that is a multiple of batch_ns, the length of one
   interval of the collector. */
static uint64_t shortest_length(uint64_t batch_ns)
{
    static const unsigned steps[] = {1, 2, 5};
    for (uint64_t power = HISTORY_NS_MIN; power < HISTORY_NS_MAX; power *= 10)
        for (int i = 0; i < 3; i++)
            if (steps[i] * power % batch_ns == 0)
                return steps[i] * power;
    return batch_ns;
}

static uint64_t least_multiple(uint64_t asked_ns, uint64_t batch_ns)
{
    uint64_t length = asked_ns;
    while (length % batch_ns != 0 && length < HISTORY_NS_MAX)
        length += asked_ns;
    return length % batch_ns == 0 ? length : batch_ns;
}

static void period_begin(struct latency_period *p, uint64_t number, uint64_t begin_ns)
{
    p->number = number;
    p->begin_ns = begin_ns;
    p->end_ns = p->since_ns = 0;
    interval_histograms_clear(p->latency);
}

/* Copies a period's values: every period keeps its own histograms. */
static void period_copy(struct latency_period *to, const struct latency_period *from)
{
    to->number = from->number;
    to->begin_ns = from->begin_ns;
    to->end_ns = from->end_ns;
    to->since_ns = from->since_ns;
    interval_histograms_copy(to->latency, from->latency);
}

static bool is_empty(const struct interval_histogram latency[OPERATIONS])
{
    for (int op = 0; op < OPERATIONS; op++)
        if (latency[op].min != UINT64_MAX)
            return false;
    return true;
}

void latency_history_lengthen(struct latency_history *h)
{
    const unsigned factor = next_factor(h->length_ns);
    size_t kept = 0;
    for (size_t i = 0; i < h->count; i++) {
        const struct latency_period *from = &h->periods[i];
        uint64_t number = from->number / factor;
        struct latency_period *to = kept ? &h->periods[kept - 1] : NULL;
        if (to && to->number == number) {
            to->end_ns = from->end_ns;
            interval_histograms_add(to->latency, from->latency);
            continue;
        }
        if (kept != i)
            period_copy(&h->periods[kept], from);
        h->periods[kept++].number = number;
    }
    h->count = kept;
    h->length_ns *= factor;
}

/* Returns the period that contains the instant. An instant before the last period (the wall clock
   was set back) goes into the last one. */
static struct latency_period *period_at(struct latency_history *h, uint64_t at_ns,
                                        uint64_t begin_ns)
{
    uint64_t number = at_ns / h->length_ns;
    struct latency_period *last = h->periods + (h->count ? h->count - 1 : 0);
    while (h->count == h->capacity && number > last->number) {
        latency_history_lengthen(h);
        h->lengthened = true;
        last = &h->periods[h->count - 1];
        number = at_ns / h->length_ns;
    }
    if (h->count && number <= last->number)
        return last;
    struct latency_period *next = &h->periods[h->count++];
    period_begin(next, number, begin_ns);
    next->since_ns = h->since_ns;
    return next;
}

void latency_history_add(struct latency_history *h, uint64_t begin_ns, uint64_t batch_ns,
                         const struct interval_histogram latency[OPERATIONS])
{
    if (begin_ns != h->until_ns)
        h->since_ns = begin_ns;
    h->until_ns = begin_ns + batch_ns;
    if (!batch_ns || !h->periods || is_empty(latency))
        return;
    if (!h->length_ns)
        h->length_ns =
            h->asked_ns ? least_multiple(h->asked_ns, batch_ns) : shortest_length(batch_ns);
    struct latency_period *p = period_at(h, begin_ns + batch_ns / 2, begin_ns);
    if (begin_ns + batch_ns > p->end_ns)
        p->end_ns = begin_ns + batch_ns;
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_add(p->latency[op], &latency[op]);
}

static double ios_of(const struct latency_history *h, int op)
{
    double ios = 0;
    for (size_t i = 0; i < h->count; i++) {
        const struct interval_histogram *latency = h->periods[i].latency[op];
        ios += (double)latency->over;
        for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
            ios += (double)latency->count[bucket];
    }
    return ios;
}

void latency_history_gather(struct latency_history *h, double ios)
{
    double most = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        double of_op = ios_of(h, op);
        most = of_op > most ? of_op : most;
    }
    while (h->count > 2 && most < ios * (double)h->count)
        latency_history_lengthen(h);
}
