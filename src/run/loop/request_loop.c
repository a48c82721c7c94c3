/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the hot loop of a worker: issues requests, takes completions, and makes the next
   requests. */
#include "run/loop/internal.h"

#include <limits.h>
#include <string.h>

/* Called for a completion that moved less than a whole block. A flush moves nothing, and fails only
   by its error. */
static __attribute__((noinline)) void note_failure(struct worker *w, const struct io_done *done)
{
    if (account_is_flushed(done))
        return;
    w->block_failed = true;
    w->workload.write_failed |= done->op == OPERATION_WRITE;
    if (!w->failed++)
        w->failure = (struct io_failure){.error = done->error,
                                         .op = (enum operation)done->op,
                                         .offset = w->slot_offset[done->slot],
                                         .asked = account_asked(w, done),
                                         .moved = done->bytes};
    if (account_is_fatal(done->error))
        account_give_up(w);
}

/*
 * Where completions are stored. The backend writes them directly into the record ring, and they are
 * accounted for there, some tens at a time, because a tight loop over records in memory costs less
 * than the same work between two I/Os.
 */
struct landing {
    struct io_done *at;    /* place of the next completions */
    struct io_done *block; /* the first completion that is not yet accounted for */
    struct io_done *full;  /* the block of records is accounted for when `at` reaches this place */
    uint64_t head;         /* head of the ring at `block` */
    bool aside;            /* the ring is full, so the records of the block are dropped */
};

/* Begins a block in the ring, or outside of it if the ring has no room. */
static void begin_block(struct worker *w, struct landing *l)
{
    struct record_ring *ring = &w->records;
    uint64_t at = l->head & (ring->capacity - 1);
    uint64_t read = atomic_load_explicit(&ring->tail, memory_order_acquire);
    l->aside = ring->shared && ring->capacity - (l->head - read) < BLOCK_RECORDS + w->setup.iodepth;
    l->block = l->at = l->aside ? w->completions : &ring->records[at];
    l->full = l->block + BLOCK_RECORDS;
}

/* Publishes the records of the block to the collector, then accounts for it: the interval that
   accounting publishes must come after its records. */
static void end_block(struct worker *w, struct landing *l)
{
    struct record_ring *ring = &w->records;
    size_t n = (size_t)(l->at - l->block);
    if (l->aside) {
        atomic_fetch_add_explicit(&w->lost, n, memory_order_relaxed);
        account_completions(w, l->block, n);
        account_trace(w, l->block, (unsigned)n);
        return;
    }
    /* Records beyond the ring's end are moved to its beginning. */
    uint64_t end = (l->head & (ring->capacity - 1)) + n;
    if (end > ring->capacity)
        memcpy(ring->records, ring->records + ring->capacity,
               (end - ring->capacity) * sizeof *ring->records);
    l->head += n;
    atomic_store_explicit(&ring->head, l->head, memory_order_release);
    account_completions(w, l->block, n);
    account_trace(w, l->block, (unsigned)n);
}

/* Makes the next request for the slot of `done`. *offset becomes the offset of the slot's finished
   request. */
static inline void renew_slot(struct worker *w, const struct io_done *done, struct io_req *request,
                              uint64_t *offset)
{
    if (__builtin_expect(!account_moved_all(w, done), 0))
        note_failure(w, done);
    uint16_t slot = done->op_and_slot & ((1u << IO_SLOT_BITS) - 1);
    *offset = w->slot_offset[slot];
    workload_next(&w->workload, slot, request);
    w->slot_offset[slot] = request->offset;
}

/* Makes the next requests for the slots of done[0..n), and puts them after the requests that the
   backend has not taken. Returns the number of waiting requests. */
static unsigned renew_slots(struct worker *w, const struct io_exchange *x, unsigned n,
                            uint64_t offset[])
{
    unsigned waiting = 0;
    for (unsigned i = x->taken; i < x->n; i++)
        w->waiting[waiting++] = w->waiting[i];
    for (unsigned i = 0; i < n; i++)
        renew_slot(w, &x->done[i], &w->waiting[waiting++], &offset[i]);
    return waiting;
}

static inline unsigned renew(struct worker *w, const struct io_exchange *x, unsigned n,
                             uint64_t offset[])
{
    if (__builtin_expect(n != 1 || x->taken != x->n, 0))
        return renew_slots(w, x, n, offset);
    renew_slot(w, x->done, w->waiting, offset);
    return 1;
}

/* ---- writes that are read back at the end (io/readback/verify_ledger.h) ---- */

/* Stamps the data of waiting writes, except for those that were stamped before because the backend
   had no room. */
static __attribute__((noinline)) void stamp_waiting(struct worker *w, unsigned n)
{
    for (unsigned i = w->stamped_left; i < n; i++) {
        const struct io_req *request = &w->waiting[i];
        if (request_sends_data(request->command))
            ledger_stamp(w->ledger,
                         w->setup.buffers + (size_t)request->slot * w->setup.buffer_stride,
                         request->length, request->offset);
    }
}

/* Marks the writes among the completions as ended in the ledger. Called before their slots get the
   next requests. */
static __attribute__((noinline)) void end_writes(struct worker *w, const struct io_done done[],
                                                 unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        /* this loop issues plain commands only, whose numbers are those of their operations */
        if (request_sends_data(done[i].op))
            ledger_end(w->ledger, account_asked(w, &done[i]), w->slot_offset[done[i].slot],
                       account_moved_all(w, &done[i]));
}

/* Issues the waiting requests and takes completions. */
static inline int pass_on(struct worker *w, struct io_exchange *x,
                          int (*exchange)(struct io_backend *, struct io_exchange *))
{
    if (__builtin_expect(!w->ledger, 1))
        return exchange(&w->backend, x);
    stamp_waiting(w, x->n);
    int got = exchange(&w->backend, x);
    w->stamped_left = got < 0 ? x->n : x->n - x->taken;
    if (got > 0)
        end_writes(w, x->done, (unsigned)got);
    return got;
}

/* Returns true if no more requests may be issued. */
static bool is_over(const struct worker *w, uint64_t now)
{
    return now >= round_end(w->order) || w->workload.over ||
           atomic_load_explicit(&w->halt, memory_order_relaxed);
}

/* Issues the last requests of a single pass, without the requests that were made after the end of
   the pass. Returns the number in flight. */
static unsigned hand_over_last(struct worker *w, unsigned waiting)
{
    const unsigned n = waiting - w->workload.left_out;
    unsigned taken = 0;
    for (int got = 1; taken < n && got > 0; taken += got > 0 ? (unsigned)got : 0)
        got = w->ops->submit(&w->backend, w->waiting + taken, n - taken, &w->error);
    w->left = 0;
    return w->setup.iodepth - waiting + taken;
}

/* Waits for the I/O in flight at the end of the round. If `l` is NULL, only counts completions. */
static void drain(struct worker *w, struct landing *l, unsigned in_flight)
{
    while (in_flight && !w->error.code) {
        struct io_done *done = l ? l->at : w->completions;
        int got = w->ops->reap(&w->backend, done, 1, w->setup.iodepth, &w->error);
        if (got < 0)
            break;
        unsigned n = (unsigned)got;
        in_flight -= n;
        if (w->ledger)
            end_writes(w, done, n);
        for (unsigned i = 0; i < n; i++)
            if (!account_moved_all(w, &done[i]))
                note_failure(w, &done[i]);
        if (!l) {
            w->counted += n;
            continue;
        }
        for (unsigned i = 0; i < n; i++)
            w->block_offset[(l->at - l->block) + i] = w->slot_offset[done[i].slot];
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
 * The loop of a round with recording. It checks time, halts and accounting only when a block of
 * records is full, a slice has ended or nothing is in flight, so that the path from one I/O to the
 * next is short.
 */
static void pump_recorded(struct worker *w)
{
    struct landing l = {.head = 0};
    struct io_exchange x = {.requests = w->waiting,
                            .n = w->setup.iodepth,
                            .min = w->batch,
                            .max = w->setup.iodepth,
                            .e = &w->error};
    int (*const exchange)(struct io_backend *, struct io_exchange *) = w->ops->exchange;
    /* If as many requests wait as there are slots, nothing is in flight. The block then ends,
       because busy time ends. */
    const unsigned idle = w->overlaps ? w->setup.iodepth : UINT_MAX;
    begin_block(w, &l);
    for (;;) {
        x.done = l.at;
        int got = pass_on(w, &x, exchange);
        if (__builtin_expect(got < 0, 0))
            break;
        x.n = renew(w, &x, (unsigned)got, w->block_offset + (l.at - l.block));
        l.at += got;
        if (__builtin_expect(got && l.at < l.full && l.at[-1].t_cpl < w->slice_end && x.n < idle,
                             1))
            continue;

        bool over = is_over(w, got ? l.at[-1].t_cpl : 0);
        end_block(w, &l);
        w->was_idle = x.n >= idle;
        begin_block(w, &l);
        if (over)
            break;
    }
    w->left = x.n;
    drain(w, &l, w->workload.over ? hand_over_last(w, x.n) : w->setup.iodepth - x.n);
}

/*
 * The loop of a round without recording; the difference between the two loops is the cost of
 * recording.
 */
static void pump_unrecorded(struct worker *w)
{
    struct io_exchange x = {.requests = w->waiting,
                            .n = w->setup.iodepth,
                            .min = w->batch,
                            .max = w->setup.iodepth,
                            .done = w->completions,
                            .e = &w->error};
    for (;;) {
        int got = pass_on(w, &x, w->ops->exchange);
        if (got < 0)
            break;
        x.n = renew(w, &x, (unsigned)got, w->block_offset);
        w->counted += (unsigned)got;
        if (is_over(w, got ? w->completions[got - 1].t_cpl : 0))
            break;
    }
    w->left = x.n;
    drain(w, NULL, w->setup.iodepth - x.n);
}

/* Makes a request for every slot. Requests that the last round left come first, so that the
   sequence of requests depends only on the seed, not on where rounds end. */
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
    account_begin_round(w);
    fill_slots(w);
    if (w->order->recording)
        pump_recorded(w);
    else
        pump_unrecorded(w);
    if (w->workload.over)
        atomic_store(&w->exhausted, true);
    account_end_round(w, clock_ticks(w->clock));
}
