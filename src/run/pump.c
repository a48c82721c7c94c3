/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot loop: submit, reap, account. */
#include "run/pump.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Errors after which no further I/O can succeed: the device is gone, the disk is full. */
static bool is_fatal(int error)
{
    return error == ENODEV || error == ENXIO || error == ENOSPC || error == EBADF ||
           error == EROFS || error == EDQUOT || error == EFBIG || error == ESHUTDOWN;
}

/* So many failures without a success: the target is gone, a longer round would tell nothing. */
#define FAILED_IN_A_ROW 100

static void give_up(struct worker *w)
{
    w->fatal = true;
    atomic_store_explicit(&w->halt, true, memory_order_relaxed);
}

static void note_failure(struct worker *w, const struct io_done *done)
{
    if (!w->failed++)
        w->failure = (struct io_failure){.error = done->error,
                                         .op = (enum io_op)done->op,
                                         .offset = w->slot_offset[done->slot],
                                         .asked = w->workload.block_size,
                                         .moved = done->bytes};
    if (is_fatal(done->error))
        give_up(w);
}

/* Hand the finished interval over and begin the one numbered `index`. */
static void begin_interval(struct worker *w, uint64_t index)
{
    if (!interval_ring_publish(&w->intervals)) {
        w->loss = true;
        w->slice = &w->discarded;
        return;
    }
    w->interval = interval_ring_current(&w->intervals);
    w->interval->index = index;
    w->interval->after_loss = w->loss;
    w->loss = false;
}

/* Time has passed the end of the current slice: find the slice that `now` lies in. */
static __attribute__((noinline)) void advance_slice(struct worker *w, uint64_t now)
{
    const struct round_order *order = w->order;
    uint64_t number = (now - order->begin_ticks) / order->slice_ticks;
    uint64_t index = number / INTERVAL_SLICES;
    if (index != w->interval->index || w->loss)
        begin_interval(w, index);
    if (!w->loss)
        w->slice = &w->interval->slices[number % INTERVAL_SLICES];
    w->slice_number = number;
    w->slice_end = order->begin_ticks + (number + 1) * order->slice_ticks;
}

/* A failed I/O has moved nothing (see io.h), so the bytes alone tell. */
static inline bool succeeded(const struct worker *w, const struct io_done *done)
{
    return done->bytes == w->workload.block_size;
}

static inline void add_latency(struct interval_histogram *h, uint64_t ns)
{
    size_t bucket = histogram_bucket(ns);
    if (__builtin_expect(ns < h->min, 0))
        h->min = ns;
    if (__builtin_expect(ns > h->max, 0))
        h->max = ns;
    if (__builtin_expect(bucket < HISTOGRAM_BUCKETS, 1))
        h->count[bucket]++;
    else
        h->over++;
}

/*
 * Count done[0..n) into slices and histograms.
 *
 * busy_ticks is the union of the time with I/O in flight (stat/busy.h), right for a worker that is
 * alone: completions come in their order, and requests handed over together carry the same instant,
 * so what lies before the last completion is counted and nothing reaches back over a gap.
 */
static void account(struct worker *w, const struct io_done *done, size_t n)
{
    uint64_t busy = 0, busy_until = w->busy_until;
    size_t failed = 0;
    for (const struct io_done *end = done + n; done != end; done++) {
        uint64_t t_sub = done->t_sub, t_cpl = done->t_cpl;
        if (__builtin_expect(t_cpl >= w->slice_end, 0)) {
            w->interval->busy_ticks += busy;
            busy = 0;
            advance_slice(w, t_cpl);
        }
        busy += t_cpl - (t_sub > busy_until ? t_sub : busy_until);
        busy_until = t_cpl;

        unsigned op = done->op_and_slot >> 15;
        struct slice_op *slice = &w->slice->op[op];
        if (__builtin_expect(!succeeded(w, done), 0)) {
            slice->errors++;
            failed++;
            continue;
        }
        uint64_t ns = clock_ns(w->clock, t_cpl - t_sub);
        slice->ios++;
        slice->latency_ns += ns;
        add_latency(&w->interval->latency[op], ns);
    }
    w->interval->busy_ticks += busy;
    w->busy_until = busy_until;
    w->failed_in_a_row = failed && failed == n ? w->failed_in_a_row + failed : 0;
    if (w->failed_in_a_row >= FAILED_IN_A_ROW)
        give_up(w);
}

/*
 * Completions are written by the backend straight into the record ring and accounted for there,
 * some tens at a time: a tight loop over records that have come to rest costs less than the same
 * work between two I/Os.
 */
struct landing {
    struct io_done *at;    /* where the next completions go */
    struct io_done *block; /* the first one not yet accounted for */
    struct io_done *full;  /* account for the block when `at` gets here */
    uint64_t head;         /* of the ring, at `block` */
    bool aside;            /* the ring has no room: the block leaves no records */
};

/* Begin a block: in the ring if it has room for it, else aside. */
static void begin_block(struct worker *w, struct landing *l)
{
    struct record_ring *ring = &w->records;
    uint64_t at = l->head & (ring->capacity - 1);
    uint64_t read = atomic_load_explicit(&ring->tail, memory_order_acquire);
    l->aside = ring->shared && ring->capacity - (l->head - read) < BLOCK_RECORDS + w->setup.iodepth;
    l->block = l->at = l->aside ? w->completions : &ring->records[at];
    l->full = l->block + BLOCK_RECORDS;
}

/* Account for the block and show its records to the collector. */
static void end_block(struct worker *w, struct landing *l)
{
    struct record_ring *ring = &w->records;
    size_t n = (size_t)(l->at - l->block);
    account(w, l->block, n);
    if (l->aside) {
        atomic_fetch_add_explicit(&w->lost, n, memory_order_relaxed);
        return;
    }
    /* Records past the ring's end belong to its beginning. */
    uint64_t end = (l->head & (ring->capacity - 1)) + n;
    if (end > ring->capacity)
        memcpy(ring->records, ring->records + ring->capacity,
               (end - ring->capacity) * sizeof *ring->records);
    l->head += n;
    atomic_store_explicit(&ring->head, l->head, memory_order_release);
}

static void begin_round(struct worker *w)
{
    w->interval = interval_ring_current(&w->intervals);
    w->slice = &w->interval->slices[0];
    w->slice_number = 0;
    w->slice_end = w->order->begin_ticks + w->order->slice_ticks;
    w->loss = false;
    w->failed_in_a_row = 0;
    w->discarded = (struct slice){0};
    w->counted = 0;
    w->busy_until = w->order->begin_ticks;
}

/* Fill the slots of done[0..n) with new requests, behind those that wait already. */
static inline void renew(struct worker *w, const struct io_done done[], unsigned n,
                         unsigned waiting)
{
    struct io_req *request = w->waiting + waiting;
    for (const struct io_done *end = done + n; done != end; done++, request++) {
        if (__builtin_expect(!succeeded(w, done), 0))
            note_failure(w, done);
        uint16_t slot = done->op_and_slot & 0x7fff;
        workload_next(&w->workload, slot, request);
        w->slot_offset[slot] = request->offset;
    }
}

/* What the backend has not taken stays at the front of w->waiting. Returns how much that is. */
static __attribute__((noinline)) unsigned keep_untaken(struct worker *w, unsigned taken,
                                                       unsigned waiting)
{
    for (unsigned i = taken; i < waiting; i++)
        w->waiting[i - taken] = w->waiting[i];
    return waiting - taken;
}

static void finish_round(struct worker *w)
{
    w->ended_ticks = clock_ticks(w->clock);
    /* The collector sees nothing of the current interval until it is published. */
    while (!interval_ring_publish(&w->intervals))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Is it time to stop issuing? */
static bool is_over(const struct worker *w, uint64_t now)
{
    return now >= w->order->end_ticks || atomic_load_explicit(&w->halt, memory_order_relaxed);
}

/* Wait for what is in flight when the round is over; `l` NULL: only count. */
static void drain(struct worker *w, struct landing *l, unsigned in_flight)
{
    while (in_flight && !w->error.code) {
        struct io_done *done = l ? l->at : w->completions;
        int got = w->ops->reap(&w->backend, done, 1, w->setup.iodepth, &w->error);
        if (got < 0)
            break;
        unsigned n = (unsigned)got;
        in_flight -= n;
        for (unsigned i = 0; i < n; i++)
            if (!succeeded(w, &done[i]))
                note_failure(w, &done[i]);
        if (!l) {
            w->counted += n;
            continue;
        }
        l->at += n;
        if (l->at >= l->full) {
            end_block(w, l);
            begin_block(w, l);
        }
    }
    if (l)
        end_block(w, l);
}

/*
 * The loop. Time, halts and accounting are looked at when a block of records is full or a slice has
 * ended, so that the way from one I/O to the next stays short.
 */
static void pump_recorded(struct worker *w)
{
    struct landing l = {.head = 0};
    struct io_exchange x = {
        .requests = w->waiting, .n = w->setup.iodepth, .most = w->setup.iodepth, .e = &w->error};
    int (*const exchange)(struct io_backend *, struct io_exchange *) = w->ops->exchange;
    begin_block(w, &l);
    for (;;) {
        x.done = l.at;
        int got = exchange(&w->backend, &x);
        if (__builtin_expect(got < 0, 0))
            break;
        unsigned kept = 0;
        if (__builtin_expect(x.taken != x.n, 0))
            kept = keep_untaken(w, x.taken, x.n);
        renew(w, l.at, (unsigned)got, kept);
        x.n = kept + (unsigned)got;
        l.at += got;
        if (__builtin_expect(got && l.at < l.full && l.at[-1].t_cpl < w->slice_end, 1))
            continue;

        bool over = is_over(w, got ? l.at[-1].t_cpl : 0);
        end_block(w, &l);
        begin_block(w, &l);
        if (over)
            break;
    }
    w->left = x.n;
    drain(w, &l, w->setup.iodepth - x.n);
}

/* The loop of a round without recording: what is left out is what recording costs. */
static void pump_unrecorded(struct worker *w)
{
    struct io_exchange x = {.requests = w->waiting,
                            .n = w->setup.iodepth,
                            .most = w->setup.iodepth,
                            .done = w->completions,
                            .e = &w->error};
    for (;;) {
        int got = w->ops->exchange(&w->backend, &x);
        if (got < 0)
            break;
        unsigned kept = keep_untaken(w, x.taken, x.n);
        renew(w, w->completions, (unsigned)got, kept);
        x.n = kept + (unsigned)got;
        w->counted += (unsigned)got;
        if (is_over(w, got ? w->completions[got - 1].t_cpl : 0))
            break;
    }
    w->left = x.n;
    drain(w, NULL, w->setup.iodepth - x.n);
}

/*
 * A request for every slot. Those that the last round had left come first, so that the sequence of
 * requests is the seed's alone, wherever rounds end.
 */
static void fill_slots(struct worker *w)
{
    bool used[IO_DEPTH_MAX] = {false};
    unsigned waiting = w->left;
    for (unsigned i = 0; i < waiting; i++)
        used[w->waiting[i].slot] = true;
    for (unsigned slot = 0; slot < w->setup.iodepth; slot++) {
        if (used[slot])
            continue;
        workload_next(&w->workload, (uint16_t)slot, &w->waiting[waiting]);
        w->slot_offset[slot] = w->waiting[waiting++].offset;
    }
}

void pump_round(struct worker *w)
{
    begin_round(w);
    fill_slots(w);
    if (w->order->recording)
        pump_recorded(w);
    else
        pump_unrecorded(w);
    finish_round(w);
}
