/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes batches from the workers' rings. A batch has the slices and latencies of one interval, and
 * its busy stretches: the times in which I/O was in flight.
 *
 * With several workers, or one that is not too fast, the stretches come from the completion
 * records. For a faster single worker, only the busy time of each slice is known: then a slice is
 * one stretch with gaps. In both cases the stretches of a slice have exactly its busy time, so that
 * single slices can be left out.
 */
#include "run/loop/worker_group.h"

#include <string.h>

#define PAUSE_MIN_NS 1000000u
#define PAUSE_MAX_NS 20000000u
/* Busy stretches are merged only if the gap between them is at most a threshold: its smallest
   value. */
#define GAP_MIN_NS 1000u

static struct busy_list *collector_list(struct collector *c, uint64_t interval)
{
    return &c->lists[interval % COLLECTOR_LISTS];
}

static uint64_t length_of(const struct busy_stretch *s)
{
    return s->end - s->begin;
}

/* Returns true if the list holds all busy time of the interval. Some is missing if it was divided
   among slices (settled) before the list existed. */
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

/* Puts the busy stretches (times with I/O in flight) into the batch, in ns since the interval
   began. Stretches without gaps inside or between them are merged. */
static void put(struct collector *c, const struct busy_list *l, uint64_t begin, unsigned slices)
{
    struct batch *b = &c->batch;
    /* `full_until`: ticks at which the last stretch ended; 0: it had gaps, or there is none */
    uint64_t reached_ns = 0, full_until = 0, of_part = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct busy_stretch *s = &l->stretch[i];
        if (!i || s->part != s[-1].part)
            of_part = 0;
        uint64_t busy_ns = clock_ns(c->clock, of_part + s->busy) - clock_ns(c->clock, of_part);
        /* rounded in the same way as the slices' busy time, so that the sums agree */
        of_part += s->busy;
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

/*
 * Puts the busy stretches of the next interval into the batch. `slices` has a bit for each of the
 * interval's slices that counts. All busy time of the interval must be settled.
 */
static void collector_put_stretches(struct collector *c, const uint64_t busy_ticks[INTERVAL_SLICES],
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

static struct collector_slice *pending(struct collector *c, uint64_t number)
{
    return &c->pending[number % COLLECTOR_SLICES];
}

void collector_begin_round(struct collector *c, const struct round_order *order)
{
    c->next_interval = 0;
    c->begin_ticks = round_slices_begin(order);
    c->slice_ticks = order->slice_ticks;
    c->wall_ns = order->wall_ns;
    c->interval_ns = order->interval_ns;
    /* `whole`: the slice in which the round begins is the first to be counted. Otherwise the
       beginning of the round, a time as long as a slice, is left out, and the next complete slice
       is the first. */
    c->first_slice = c->whole
                         ? order->lead_ticks / order->slice_ticks
                         : 1 + (order->lead_ticks + order->slice_ticks - 1) / order->slice_ticks;
    c->last_slice =
        c->count > 1 ? (round_end(order) - c->begin_ticks) / order->slice_ticks : UINT64_MAX;
    c->total = (struct slice){0};
    c->void_bytes = 0;
    suspension_begin_round(&c->suspension, order);
    busy_init(&c->busy);
    busy_settle(&c->busy, order->begin_ticks);
    memset(c->pending, 0, sizeof c->pending);
    for (size_t i = 0; i < COLLECTOR_LISTS; i++)
        busy_list_init(&c->lists[i], clock_ticks_of_ns(c->clock, GAP_MIN_NS));
    for (unsigned i = 0; i < c->count; i++)
        c->workers[i].in_flight_since = UINT64_MAX;
}

/* Returns the number of the slice that contains the instant; 0 for instants before slice 0. The
   first requests of a timed round are due a moment after the round was ordered. */
static uint64_t slice_of(const struct collector *c, uint64_t ticks)
{
    return ticks > c->begin_ticks ? (ticks - c->begin_ticks) / c->slice_ticks : 0;
}

static uint64_t slice_begin(const struct collector *c, uint64_t number)
{
    return c->begin_ticks + number * c->slice_ticks;
}

void collector_end_round(struct collector *c, uint64_t ticks)
{
    uint64_t slice = slice_of(c, ticks);
    if (slice < c->last_slice)
        c->last_slice = slice;
}

/* Adds busy time before `limit` to the slices that it lies in. Later busy time that reaches back
   before `limit` counts only from `limit` on. */
static void settle(struct collector *c, uint64_t limit)
{
    uint64_t number = slice_of(c, c->busy.settled_until);
    while (c->busy.settled_until < limit) {
        uint64_t end = slice_begin(c, number + 1), before = c->busy.settled;
        uint64_t interval = number / INTERVAL_SLICES;
        c->busy.list =
            interval < c->next_interval + COLLECTOR_LISTS ? collector_list(c, interval) : NULL;
        if (c->busy.list)
            c->busy.list->part = (unsigned)(number % INTERVAL_SLICES);
        busy_settle(&c->busy, end < limit ? end : limit);
        pending(c, number++)->busy_ticks += c->busy.settled - before;
    }
}

static void add_busy(struct collector *c, uint64_t begin, uint64_t end)
{
    /* if the list of stretches is full, its oldest quarter is divided among the slices (settled)
       here, because busy_add would do it without regard to slices */
    if (c->busy.count == BUSY_STRETCHES)
        settle(c, c->busy.stretch[BUSY_STRETCHES / 4 - 1].end);
    busy_add(&c->busy, begin, end);
}

static void drain_ring(struct collector *c, struct record_ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    uint64_t mask = ring->capacity - 1, i = tail;
    uint64_t first = c->next_interval * INTERVAL_SLICES;
    uint64_t limit = slice_begin(c, first + COLLECTOR_SLICES);
    uint64_t begin = 0, end = 0; /* ticks at which the slice that `to` counts begins and ends */
    struct collector_slice *to = NULL;
    for (; i != head; i++) {
        const struct io_done *done = &ring->records[i & mask];
        if (done->t_cpl >= limit)
            break;
        if (!to || done->t_cpl < begin || done->t_cpl >= end) {
            uint64_t number = slice_of(c, done->t_cpl);
            begin = slice_begin(c, number);
            end = begin + c->slice_ticks;
            to = pending(c, number < first ? first : number);
        }
        to->asked_bytes += !c->block_size                  ? done->bytes
                           : operation_has_bytes(done->op) ? c->block_size
                                                           : 0;
        add_busy(c, done->t_sub, done->t_cpl);
    }
    c->records += i - tail;
    atomic_store_explicit(&ring->tail, i, memory_order_release);
}

void collector_drain_records(struct collector *c)
{
    for (unsigned i = 0; i < c->count && c->workers[i].records.shared; i++)
        drain_ring(c, &c->workers[i].records);
}

uint64_t collector_pause_ns(const struct collector *c, uint64_t records_before, uint64_t pause_ns)
{
    uint64_t inflow = c->records - records_before;
    uint64_t room = c->workers[0].records.capacity * c->count / 2;
    if (inflow * PAUSE_MAX_NS <= room * pause_ns)
        return PAUSE_MAX_NS;
    uint64_t pause = room * pause_ns / inflow;
    return pause < PAUSE_MIN_NS ? PAUSE_MIN_NS : pause;
}

/* Returns true if all workers have published the next interval or have stopped, and at least one
   has published it. */
static bool all_ready(struct collector *c)
{
    bool any = false;
    for (unsigned i = 0; i < c->count; i++) {
        struct worker *w = &c->workers[i];
        /* `running` is read first, so that intervals that a worker publishes before it stops are
           seen. */
        bool running = atomic_load_explicit(&w->running, memory_order_acquire);
        const struct interval *oldest = interval_ring_peek(&w->intervals);
        if (oldest ? oldest->index < c->next_interval : running)
            return false;
        any |= oldest != NULL;
    }
    return any;
}

/* Adds the busy time of one worker. With several workers, only the I/O in flight at the interval's
   end is added here: completed I/O is in their records. */
static void take_busy(struct collector *c, struct worker *w, const uint64_t ticks[])
{
    uint64_t first = c->next_interval * INTERVAL_SLICES;
    uint64_t begin = slice_begin(c, first), end = slice_begin(c, first + INTERVAL_SLICES);
    uint64_t skipped[INTERVAL_SLICES] = {0};
    if (w->records.shared) {
        if (w->in_flight_since < end)
            add_busy(c, w->in_flight_since, end);
        return;
    }
    if (!ticks) {
        interval_add_busy(skipped, begin, c->slice_ticks, w->in_flight_since, end);
        ticks = skipped;
    }
    for (unsigned i = 0; i < INTERVAL_SLICES; i++)
        pending(c, first + i)->busy_ticks += ticks[i];
}

/* Adds a worker's share of the interval. Returns false if slices of this time were lost. */
static bool take_share(struct collector *c, struct worker *w)
{
    const struct interval *oldest = interval_ring_peek(&w->intervals);
    if (!oldest)
        return true;
    bool whole = !oldest->after_loss;
    if (oldest->index != c->next_interval) {
        take_busy(c, w, NULL);
        return whole;
    }
    for (unsigned i = 0; i < INTERVAL_SLICES; i++)
        slice_add(&c->batch.slices[i], &oldest->slices[i]);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_add(&c->batch.latency[op], oldest->latency[op]);
    for (int op = 0; op < OPERATIONS && w->number < c->batch.job_count; op++)
        interval_histogram_add(&c->batch.jobs[w->number * OPERATIONS + (unsigned)op],
                               oldest->latency[op]);
    for (unsigned i = 0; i < c->batch.kind_count && i < oldest->kind_count; i++)
        kind_latency_add(&c->batch.kinds[i], &oldest->kinds[i]);
    if (c->batch.timing && oldest->timing)
        interval_timing_add(c->batch.timing, oldest->timing);
    w->in_flight_since = oldest->in_flight_since;
    take_busy(c, w, oldest->busy_ticks);
    interval_ring_release(&w->intervals);
    return whole;
}

/* Fills in the number of bytes that were requested in the interval's slices, and their busy time,
   also in ticks. */
static void fill_slices(struct collector *c, uint64_t busy_ticks[INTERVAL_SLICES])
{
    const bool shared = c->workers[0].records.shared;
    uint64_t first = c->next_interval * INTERVAL_SLICES;
    if (shared)
        settle(c, slice_begin(c, first + INTERVAL_SLICES));
    for (unsigned i = 0; i < INTERVAL_SLICES; i++) {
        struct slice *slice = &c->batch.slices[i];
        struct collector_slice *from = pending(c, first + i);
        for (int op = 0; op < OPERATIONS && c->block_size; op++) {
            if (!operation_has_bytes(op))
                continue;
            /* Workers count only I/Os, because each I/O that succeeded moved a whole block. */
            slice->op[op].bytes = slice->op[op].ios * c->block_size;
            slice->asked_bytes += (slice->op[op].ios + slice->op[op].errors) * c->block_size;
        }
        /* instead, the bytes of the I/Os whose time in flight is known from their records */
        if (shared)
            slice->asked_bytes = c->moves_none ? 0 : from->asked_bytes;
        busy_ticks[i] = from->busy_ticks;
        slice->busy_ns = clock_ns(c->clock, from->busy_ticks);
        *from = (struct collector_slice){0};
    }
}

/* Keeps the slices of the interval that count, and returns them as bits. Slices outside of the
   round do not count. The round's beginning does not count either, unless c->whole is set. If
   `whole` is false, the slices were lost, and none is kept. */
static unsigned trim(struct collector *c, bool whole)
{
    struct batch *b = &c->batch;
    unsigned kept = 0, due = 0, counted = 0;
    for (unsigned i = 0; i < INTERVAL_SLICES; i++) {
        uint64_t number = c->next_interval * INTERVAL_SLICES + i;
        slice_add(&c->total, &b->slices[i]);
        if (c->whole && number >= c->last_slice && kept) {
            slice_add(&b->slices[kept - 1], &b->slices[i]);
            if (b->timing)
                slice_timing_join(&b->timing->slices[kept - 1], &b->timing->slices[i]);
            counted |= 1u << i;
            continue;
        }
        bool left_out = number < c->first_slice ||
                        (number >= c->last_slice && (!c->whole || slice_is_empty(&b->slices[i])));
        if (left_out)
            continue;
        due++;
        if (!whole)
            continue;
        if (b->timing)
            b->timing->slices[kept] = b->timing->slices[i];
        b->slices[kept++] = b->slices[i];
        counted |= 1u << i;
    }
    b->slice_count = kept;
    b->lost_slices = due - kept;
    return counted;
}

/*
 * Ends the round's slices when a worker has stopped: the worker adds nothing to later slices, which
 * would seem slow. A single worker ends its slices itself, even after the round's planned end if an
 * I/O delayed it: a stall at the end is as much a part of the target's speed as one in the middle.
 * A worker that got no more requests was not stopped: the others continue, and if nothing is due
 * later, the last of them ends the round.
 */
static void end_with_workers(struct collector *c)
{
    uint64_t last = 0;
    bool all = !c->batch.timing;
    for (unsigned i = 0; i < c->count; i++) {
        uint64_t ended = atomic_load_explicit(&c->workers[i].ended_ticks, memory_order_acquire);
        all &= ended != 0;
        last = ended > last ? ended : last;
        if (ended && (c->count == 1 || !atomic_load(&c->workers[i].exhausted)))
            collector_end_round(c, ended);
    }
    if (all)
        collector_end_round(c, last);
}

const struct batch *collector_next(struct collector *c)
{
    for (;;) {
        uint64_t length = INTERVAL_SLICES * c->slice_ticks;
        uint64_t begin = c->begin_ticks + c->next_interval * length, end = begin + length;
        /* Either a worker has not finished the interval, or it is not yet known whether the program
           was suspended. */
        if (!all_ready(c) || !suspension_is_settled(&c->suspension, c->workers, c->count, end))
            return NULL;
        struct slice before = c->total;
        batch_clear(&c->batch);
        if (c->slice_span)
            c->batch.span = c->slice_span;
        collector_drain_records(c); /* workers publish their records before the interval that
                                       they belong to */
        bool whole = true;
        for (unsigned i = 0; i < c->count; i++)
            whole &= take_share(c, &c->workers[i]);
        end_with_workers(c);
        uint64_t busy_ticks[INTERVAL_SLICES];
        fill_slices(c, busy_ticks);
        collector_put_stretches(c, busy_ticks, trim(c, whole));
        c->batch.wall_ns = c->wall_ns ? c->wall_ns + c->next_interval * c->interval_ns : 0;
        c->next_interval++;
        if (!suspension_voids(&c->suspension, begin, end, &c->batch))
            return &c->batch;
        /* A void interval (struct suspension) is not handed out. Of its I/Os, only the failed ones
           count. */
        for (int op = 0; op < OPERATIONS; op++) {
            before.op[op].errors = c->total.op[op].errors;
            c->void_bytes += c->total.op[op].bytes - before.op[op].bytes;
        }
        c->total = before;
    }
}
