/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From workers' rings to batches. */
#include "run/collector.h"

#define PAUSE_LEAST_NS 1000000u
#define PAUSE_MOST_NS  20000000u

void collector_begin_round(struct collector *c, const struct round_order *order)
{
    c->next_interval = 0;
    c->begin_ticks = order->begin_ticks;
    c->slice_ticks = order->slice_ticks;
    c->last_slice =
        c->count > 1 ? (order->end_ticks - order->begin_ticks) / order->slice_ticks : UINT64_MAX;
    c->total = (struct slice){0};
    busy_init(&c->busy);
    c->busy_told = 0;
    c->blocks = 0;
}

void collector_end_round(struct collector *c, uint64_t ticks)
{
    /* The first requests of a timed round are due a moment after it was ordered. */
    uint64_t slice = ticks > c->begin_ticks ? (ticks - c->begin_ticks) / c->slice_ticks : 0;
    if (slice < c->last_slice)
        c->last_slice = slice;
}

static void drain_ring(struct collector *c, struct record_ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    uint64_t mask = ring->capacity - 1, moved = 0;
    for (uint64_t i = tail; i != head; i++) {
        const struct io_done *done = &ring->records[i & mask];
        busy_add(&c->busy, done->t_sub, done->t_cpl);
        moved += done->bytes;
    }
    c->blocks += c->block_size ? (head - tail) * (c->block_size / 512) : moved / 512;
    c->records += head - tail;
    atomic_store_explicit(&ring->tail, head, memory_order_release);
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
    if (inflow * PAUSE_MOST_NS <= room * pause_ns)
        return PAUSE_MOST_NS;
    uint64_t pause = room * pause_ns / inflow;
    return pause < PAUSE_LEAST_NS ? PAUSE_LEAST_NS : pause;
}

/* Has this worker handed over all that it will have to say about the interval `index`? */
static bool is_ready(struct worker *w, uint64_t index, bool *any)
{
    /* Read `running` first: what a worker publishes before it stops is then seen. */
    bool running = atomic_load_explicit(&w->running, memory_order_acquire);
    const struct interval *oldest = interval_ring_peek(&w->intervals);
    if (oldest)
        *any = true;
    return oldest ? oldest->index >= index : !running;
}

static bool all_ready(struct collector *c)
{
    bool any = false;
    for (unsigned i = 0; i < c->count; i++)
        if (!is_ready(&c->workers[i], c->next_interval, &any))
            return false;
    return any;
}

/* Add a worker's share of the interval. False when slices of this time were lost. */
static bool take_share(struct collector *c, struct worker *w)
{
    const struct interval *oldest = interval_ring_peek(&w->intervals);
    if (!oldest)
        return true;
    bool whole = !oldest->after_loss;
    if (oldest->index != c->next_interval)
        return whole;
    for (unsigned i = 0; i < INTERVAL_SLICES; i++)
        slice_add(&c->batch.slices[i], &oldest->slices[i]);
    for (int op = 0; op < IO_OPS; op++)
        interval_histogram_add(&c->batch.latency[op], &oldest->latency[op]);
    if (c->batch.timing && oldest->timing)
        interval_timing_add(c->batch.timing, oldest->timing);
    c->batch.busy_ns += clock_ns(c->clock, oldest->busy_ticks);
    interval_ring_release(&w->intervals);
    return whole;
}

/*
 * A worker that has stopped adds nothing to later slices: those would look slow. One that is alone
 * ends its slices itself, after the round's planned end when an I/O kept it waiting: a stall at the
 * end is as much a part of the target's speed as one in the middle. One that was given no more
 * requests was not stopped: the others go on.
 */
static void heed_stopped_workers(struct collector *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        uint64_t ended = atomic_load_explicit(&c->workers[i].ended_ticks, memory_order_acquire);
        if (ended && (c->count == 1 || !atomic_load(&c->workers[i].exhausted)))
            collector_end_round(c, ended);
    }
}

static uint64_t asked_blocks(const struct collector *c, const struct slice *slice)
{
    uint64_t asked = 0;
    for (int op = 0; op < IO_OPS; op++)
        asked += slice->op[op].ios + slice->op[op].errors;
    return asked * (c->block_size / 512);
}

static bool is_empty(const struct slice *slice)
{
    uint64_t count = 0;
    for (int op = 0; op < IO_OPS; op++)
        count += slice->op[op].ios + slice->op[op].errors;
    return !count;
}

/* Keep the slices that count: neither the round's first, nor those after its end. */
static void trim(struct collector *c, bool whole)
{
    struct batch *b = &c->batch;
    unsigned kept = 0, due = 0;
    for (unsigned i = 0; i < INTERVAL_SLICES; i++) {
        /* Workers count I/Os alone: those that succeeded moved a whole block each. */
        for (int op = 0; op < IO_OPS && c->block_size; op++)
            b->slices[i].op[op].bytes = b->slices[i].op[op].ios * c->block_size;
        b->blocks += asked_blocks(c, &b->slices[i]);
        uint64_t number = c->next_interval * INTERVAL_SLICES + i;
        slice_add(&c->total, &b->slices[i]);
        if (c->whole && number >= c->last_slice && kept) {
            slice_add(&b->slices[kept - 1], &b->slices[i]);
            slice_timing_join(&b->timing->slices[kept - 1], &b->timing->slices[i]);
            continue;
        }
        bool left_out = c->whole ? number >= c->last_slice && is_empty(&b->slices[i])
                                 : number == 0 || number >= c->last_slice;
        if (left_out)
            continue;
        due++;
        if (!whole)
            continue;
        if (b->timing)
            b->timing->slices[kept] = b->timing->slices[i];
        b->slices[kept++] = b->slices[i];
    }
    if (b->timing)
        b->blocks += b->timing->asked_bytes / 512;
    b->slice_count = kept;
    b->lost_slices = due - kept;
}

/* Several workers: what their records, merged, have told since the last batch. */
static void tell_busy(struct collector *c)
{
    /* Once more: workers show their records before the interval that these belong to. */
    collector_drain_records(c);
    uint64_t busy = clock_ns(c->clock, busy_total(&c->busy));
    c->batch.blocks = c->blocks;
    c->batch.busy_ns = busy - c->busy_told;
    c->blocks = 0;
    c->busy_told = busy;
}

const struct batch *collector_next(struct collector *c)
{
    if (!all_ready(c))
        return NULL;
    batch_clear(&c->batch);
    bool whole = true;
    for (unsigned i = 0; i < c->count; i++)
        whole &= take_share(c, &c->workers[i]);
    heed_stopped_workers(c);
    trim(c, whole);

    if (c->workers[0].records.shared)
        tell_busy(c);
    c->next_interval++;
    return &c->batch;
}
