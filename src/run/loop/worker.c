/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the worker's thread: set-up, waiting for rounds, and end. The loops are in request_loop.c
   and timed_loop.c. */
#include "run/loop/worker.h"

#include <errno.h>
#include <string.h>

#include "base/thread.h"
#include "run/loop/internal.h"
#include "run/loop/placement.h"
#include "run/loop/processor_carrier.h"
#include "run/loop/timed_loop.h"

#define STACK (256 << 10)

size_t worker_bytes(const struct plan *plan, size_t buffer_stride, unsigned intervals,
                    uint64_t records)
{
    return arena_bytes(plan->iodepth, sizeof(struct io_req)) +
           arena_bytes(plan->iodepth, sizeof(uint64_t)) +
           arena_bytes(BLOCK_RECORDS + plan->iodepth, sizeof(uint64_t)) +
           arena_bytes(BLOCK_RECORDS + plan->iodepth, sizeof(struct io_done)) +
           arena_bytes(plan->iodepth, buffer_stride) + 4096 +
           (plan->trims == TRIMS_BEFORE_WRITES ? arena_bytes(plan->iodepth, sizeof(uint64_t)) : 0) +
           interval_ring_bytes(intervals, plan_operations(plan), plan_is_timed(plan)) +
           (plan_is_timed(plan) ? timed_bytes(plan) : 0) +
           arena_bytes((size_t)intervals * plan_request_kinds(plan).count,
                       sizeof(struct kind_latency)) +
           arena_bytes(records + BLOCK_RECORDS + plan->iodepth, sizeof(struct io_done));
}

static void take_kinds(struct worker *w, const struct plan *plan)
{
    const struct request_kinds kinds = plan_request_kinds(plan);
    w->priority = plan_priority(plan);
    w->kind_count = kinds.count;
    for (unsigned i = 0; i < kinds.count; i++)
        w->kind_priorities[i] = kinds.kind[i].priority;
    w->setup.priorities = kinds.count && !kinds.by_command ? w->kind_priorities : NULL;
}

int worker_init(struct worker *w, const struct plan *plan, size_t buffer_stride, unsigned intervals,
                uint64_t records, struct arena *arena)
{
    w->waiting = arena_alloc(arena, plan->iodepth, sizeof *w->waiting);
    w->slot_offset = arena_alloc(arena, plan->iodepth, sizeof *w->slot_offset);
    w->block_offset = arena_alloc(arena, BLOCK_RECORDS + plan->iodepth, sizeof *w->block_offset);
    w->completions = arena_alloc(arena, BLOCK_RECORDS + plan->iodepth, sizeof *w->completions);
    w->records.records =
        arena_alloc(arena, records + BLOCK_RECORDS + plan->iodepth, sizeof *w->records.records);
    w->records.capacity = records;
    /* Direct I/O needs page-aligned buffers; an arena aligns to cache lines. */
    unsigned char *raw = arena_alloc(arena, plan->iodepth * buffer_stride + 4096, 1);
    w->setup.buffers = raw ? raw + (4096 - (uintptr_t)raw % 4096) % 4096 : NULL;
    w->setup.buffer_stride = buffer_stride;
    w->setup.iodepth = plan->iodepth;
    w->batch = plan->batch ? plan->batch : 1;
    w->setup.flushes =
        plan_flush_every(plan) > 0 || (plan_is_replay(plan) && plan->replay.allow_writes);
    w->setup.flushes_all = plan->fsync > 0;
    w->setup.atomic = plan->atomic;
    w->setup.trims = plan->trims != TRIMS_NONE;
    take_kinds(w, plan);
    if (!w->waiting || !w->slot_offset || !w->block_offset || !w->completions ||
        !w->records.records || !w->setup.buffers)
        return -1;
    if (plan_is_timed(plan) && timed_init(w, plan, arena))
        return -1;
    return interval_ring_init(&w->intervals, intervals, plan_operations(plan), plan_is_timed(plan),
                              arena) ||
                   interval_ring_keep_kinds(&w->intervals, w->kind_count, arena)
               ? -1
               : 0;
}

static void *worker_thread(void *argument)
{
    struct worker *w = argument;
    placement_apply(w->cpu, w->realtime, &w->realtime_granted, w->placement_note,
                    sizeof w->placement_note);
    const bool open = worker_open(w);
    if (open && w->timed)
        timed_prepare(w);
    sem_post(&w->finished);
    if (!open)
        return NULL;

    for (;;) {
        while (sem_wait(&w->go) && errno == EINTR)
            ;
        if (w->quit)
            break;
        uint64_t cpu_before = placement_cpu_ns();
        if (w->timed)
            timed_round(w);
        else
            pump_round(w);
        w->cpu_ns = placement_cpu_ns() - cpu_before;
        atomic_store_explicit(&w->running, false, memory_order_release);
        sem_post(&w->finished);
    }
    w->ops->close(&w->backend);
    return NULL;
}

/* A carrier can only issue the requests of workers whose backend never waits for the target. */
static bool is_carried(const struct worker *w)
{
    return w->carriers && w->timed && !w->ops->serial && !w->source.ops->at_once;
}

static int start_carried(struct worker *w, struct err *e)
{
    if (carriers_take(w->carriers, w, e))
        return -1;
    carrier_ask(w, CARRIED_OPEN);
    worker_wait(w);
    w->started = true;
    if (!w->error.code)
        return 0;
    *e = w->error;
    worker_stop(w);
    return -1;
}

int worker_start(struct worker *w, struct err *e)
{
    sem_init(&w->go, 0, 0);
    sem_init(&w->finished, 0, 0);
    if (is_carried(w))
        return start_carried(w, e);
    int failed = thread_start(&w->thread, STACK, worker_thread, w);
    if (failed)
        return err_set(e, ERR_MACHINE, "cannot start worker thread %u: %s", w->number,
                       strerror(failed));
    worker_wait(w);
    if (w->error.code) {
        pthread_join(w->thread, NULL);
        *e = w->error;
        return -1;
    }
    w->started = true;
    return 0;
}

void worker_round(struct worker *w)
{
    interval_ring_reset(&w->intervals);
    atomic_store(&w->records.head, 0);
    atomic_store(&w->records.tail, 0);
    atomic_store(&w->halt, false);
    atomic_store(&w->exhausted, false);
    atomic_store(&w->ended_ticks, 0);
    atomic_store(&w->running, true);
    if (w->carrier)
        carrier_ask(w, CARRIED_ROUND);
    else
        sem_post(&w->go);
}

void worker_ask_to_end(struct worker *w)
{
    if (!w->started)
        return;
    w->quit = true;
    if (w->carrier)
        carrier_ask(w, CARRIED_CLOSE);
    else
        sem_post(&w->go);
}

void worker_stop(struct worker *w)
{
    if (!w->started)
        return;
    if (!w->quit)
        worker_ask_to_end(w);
    if (w->carrier)
        worker_wait(w);
    else
        pthread_join(w->thread, NULL);
    sem_destroy(&w->go);
    sem_destroy(&w->finished);
    w->started = false;
}
