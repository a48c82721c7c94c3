/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot loop: submit, reap, account. */
#include "run/pump.h"

#include <errno.h>
#include <time.h>

/* Errors after which no further I/O can succeed: the device is gone, the disk is full. */
static bool is_fatal(int error)
{
    return error == ENODEV || error == ENXIO || error == ENOSPC || error == EBADF ||
           error == EROFS || error == EDQUOT || error == EFBIG || error == ESHUTDOWN;
}

static void note_failure(struct worker *w, const struct io_done *done)
{
    if (!w->failed++)
        w->failure = (struct io_failure){.error = done->error,
                                         .op = (enum io_op)done->op,
                                         .offset = w->slot_offset[done->slot],
                                         .asked = w->workload.block_size,
                                         .moved = done->bytes};
    if (is_fatal(done->error)) {
        w->fatal = true;
        atomic_store_explicit(&w->halt, true, memory_order_relaxed);
    }
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

/*
 * Account for one completion. Its fields are read once, each as it was stored: copying the record
 * as a whole would wait for the backend's single stores (see io_done_set).
 */
static inline void account(struct worker *w, const struct io_done *done, uint64_t t_sub,
                           uint64_t t_cpl, unsigned op)
{
    if (__builtin_expect(t_cpl >= w->slice_end, 0))
        advance_slice(w, t_cpl);
    struct slice_op *slice = &w->slice->op[op];
    uint32_t bytes = done->bytes;
    if (__builtin_expect(done->error || bytes != w->workload.block_size, 0)) {
        slice->errors++;
        note_failure(w, done);
        return;
    }
    uint64_t ns = clock_ns(w->clock, t_cpl - t_sub);
    slice->ios++;
    slice->bytes += bytes;
    slice->latency_ns += ns;

    struct interval_histogram *h = &w->interval->latency[op];
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

static void begin_round(struct worker *w)
{
    w->interval = interval_ring_current(&w->intervals);
    w->slice = &w->interval->slices[0];
    w->slice_number = 0;
    w->slice_end = w->order->begin_ticks + w->order->slice_ticks;
    w->loss = false;
    w->counted = 0;
}

/* Hand over what is ready; what the backend does not take stays at the front of w->waiting. */
static inline int submit_waiting(struct worker *w, unsigned *waiting, unsigned *in_flight)
{
    int taken = w->ops->submit(&w->backend, w->waiting, *waiting, &w->error);
    if (__builtin_expect(taken < 0, 0))
        return -1;
    unsigned count = (unsigned)taken;
    *in_flight += count;
    *waiting -= count;
    for (unsigned i = 0; i < *waiting; i++)
        w->waiting[i] = w->waiting[i + count];
    return 0;
}

static inline void next_request(struct worker *w, uint16_t slot, unsigned *waiting)
{
    struct io_req *request = &w->waiting[(*waiting)++];
    workload_next(&w->workload, slot, request);
    w->slot_offset[slot] = request->offset;
}

/* Account for done[0..n). Returns true when the round is over: its time, or a halt. */
static inline bool account_all(struct worker *w, const struct io_done done[], unsigned n)
{
    if (!w->order->recording) {
        w->counted += n;
        return done[n - 1].t_cpl >= w->order->end_ticks;
    }
    struct record_ring *ring = &w->records;
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t room = ring->capacity - (head - tail);
    uint64_t t_cpl = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t t_sub = done[i].t_sub;
        t_cpl = done[i].t_cpl;
        uint16_t op_and_slot = done[i].op_and_slot;
        account(w, &done[i], t_sub, t_cpl, op_and_slot >> 15);
        if (__builtin_expect(i < room, 1)) {
            struct io_done *record = &ring->records[(head + i) & (ring->capacity - 1)];
            record->t_sub = t_sub;
            record->t_cpl = t_cpl;
            record->bytes = done[i].bytes;
            record->error = done[i].error;
            record->op_and_slot = op_and_slot;
        }
    }
    uint64_t kept = n < room ? n : room;
    atomic_store_explicit(&ring->head, head + kept, memory_order_release);
    if (__builtin_expect(kept < n, 0))
        atomic_fetch_add_explicit(&w->lost, n - kept, memory_order_relaxed);
    return t_cpl >= w->order->end_ticks;
}

static void finish_round(struct worker *w)
{
    w->ended_ticks = clock_ticks(w->clock);
    /* The collector sees nothing of the current interval until it is published. */
    while (!interval_ring_publish(&w->intervals))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

void pump_round(struct worker *w)
{
    begin_round(w);
    unsigned waiting = 0, in_flight = 0;
    for (unsigned slot = 0; slot < w->setup.iodepth; slot++)
        next_request(w, (uint16_t)slot, &waiting);

    bool over = false;
    while (waiting || in_flight) {
        if (waiting && submit_waiting(w, &waiting, &in_flight))
            break;
        int got = w->ops->reap(&w->backend, w->completions, in_flight ? 1 : 0, w->setup.iodepth,
                               &w->error);
        if (__builtin_expect(got < 0, 0))
            break;
        if (got) {
            in_flight -= (unsigned)got;
            over |= account_all(w, w->completions, (unsigned)got);
        }
        over |= atomic_load_explicit(&w->halt, memory_order_relaxed);
        if (__builtin_expect(over, 0)) {
            waiting = 0;
            continue;
        }
        for (int i = 0; i < got; i++)
            next_request(w, w->completions[i].slot, &waiting);
    }
    finish_round(w);
}
