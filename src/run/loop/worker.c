/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's thread: set-up, waiting for rounds, and end. The loops are in request_loop.c and
   timed_loop.c. */
#include "run/loop/worker.h"

#include <errno.h>
#include <linux/ioprio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread.h"
#include "run/loop/internal.h"
#include "run/loop/placement.h"
#include "run/loop/timed_loop.h"
#include "source/priority.h"

static int set(uint16_t value, struct err *e)
{
    char words[PRIORITY_WORDS];
    if (!syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, (int)value))
        return 0;
    priority_words(value, words);
    if (errno == EPERM)
        return err_set(e, ERR_MACHINE,
                       "priority %s is not permitted: the class rt needs root or CAP_SYS_NICE",
                       words);
    return err_set(e, ERR_MACHINE, "this kernel does not take priority %s: %s", words,
                   strerror(errno));
}

/* Returns the priority that ionice gave this program, or the one that the kernel derives from its
   nice value (-20 to 19). */
static uint16_t ordinary(void)
{
    const long given = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
    if (given >= 0 && priority_class_of((uint16_t)given))
        return (uint16_t)given;
    const int nice = getpriority(PRIO_PROCESS, 0);
    return priority_value(PRIORITY_BE, (unsigned)(nice + 20) / 5, 0);
}

int io_priority_begin(uint16_t own, const uint16_t values[], unsigned n, struct err *e)
{
    struct err ignored;
    const uint16_t usual = ordinary(); /* the present priority, read before others are tried */
    for (unsigned i = 0; i < n; i++)
        if (values[i] && set(values[i], e))
            return -1;
    if (own)
        return set(own, e);
    set(usual, &ignored); /* errors are ignored: setting it may be forbidden if no priorities are
                             used */
    return 0;
}

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
    bool open = !io_priority_begin(w->priority, w->kind_priorities, w->kind_count, &w->error) &&
                !w->ops->open(&w->backend, &w->setup, &w->error);
    if (open)
        w->error = (struct err){0}; /* a backend may have failed at something and found another
                                       way */
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

void worker_wait(struct worker *w)
{
    while (sem_wait(&w->finished) && errno == EINTR)
        ;
}

int worker_start(struct worker *w, struct err *e)
{
    sem_init(&w->go, 0, 0);
    sem_init(&w->finished, 0, 0);
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
    sem_post(&w->go);
}

void worker_ask_to_end(struct worker *w)
{
    if (!w->started)
        return;
    w->quit = true;
    sem_post(&w->go);
}

void worker_stop(struct worker *w)
{
    if (!w->started)
        return;
    if (!w->quit)
        worker_ask_to_end(w);
    pthread_join(w->thread, NULL);
    sem_destroy(&w->go);
    sem_destroy(&w->finished);
    w->started = false;
}
