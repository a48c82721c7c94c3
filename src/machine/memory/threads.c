/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that measure memory: one for each processor, which do one job after the other. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "machine/memory/internal.h"
#include "run/loop/placement.h"

enum {
    LINE = 64,           /* bytes between two loads of a chain */
    TOGETHER_NS = 200000 /* threads wait for each other awake for this time at most */
};

/* ---- what a thread does ---- */

/* Does the thread take part in the job? */
static bool has_part(const struct worker *w, const struct job *job)
{
    const bool chain_alone = job->kind == JOB_CHAIN && !job->loaded;
    if (job->from >= 0 && (size_t)job->from != w->node)
        return false;
    return !chain_alone || w->number == 0;
}

/* Threads that a barrier woke begin together, as far as each has a processor. */
static void wait_for_others(struct worker *w, size_t count)
{
    struct memory_bench *b = w->bench;
    const uint64_t until = clock_raw_ns() + TOGETHER_NS;
    atomic_fetch_add(&b->arrived, 1);
    while (atomic_load(&b->arrived) < count && clock_raw_ns() < until)
        ;
}

/* The part of an array that belongs to the thread, in numbers. */
static size_t slice_begin(const struct worker *w, size_t numbers, size_t number)
{
    const size_t blocks = numbers / MEMORY_KERNEL_NUMBERS;
    return blocks * number / w->count * MEMORY_KERNEL_NUMBERS;
}

/* Makes one chain of loads through all lines of the array, in random order (Sattolo's shuffle). */
static void make_chain(void **chain, size_t bytes)
{
    const size_t lines = bytes / LINE, step = LINE / sizeof *chain;
    struct random random;
    random_seed(&random, bytes, 0);
    for (size_t i = 0; i < lines; i++)
        chain[i * step] = &chain[i * step];
    for (size_t i = lines - 1; i > 0; i--) {
        void **one = &chain[i * step], **other = &chain[random_below(&random, i) * step];
        void *kept = *one;
        *one = *other;
        *other = kept;
    }
}

static void fill(struct worker *w)
{
    struct memory_bench *b = w->bench;
    for (size_t i = 0; i < b->places.node_count; i++) {
        struct node_arrays *node = &b->arrays[i];
        /* the memory of a node without processors is filled by the first node */
        const bool own = i < b->places.near_count ? i == w->node : w->node == 0;
        const size_t begin = slice_begin(w, b->numbers, w->number),
                     end = slice_begin(w, b->numbers, w->number + 1);
        for (size_t k = begin; own && k < end; k++) {
            node->a[k] = 1;
            node->b[k] = 2;
            node->c[k] = 0.5;
        }
        if (own && w->number == 0)
            make_chain(node->chain, b->numbers * sizeof(double));
    }
}

/* Follows the chain, from where the last job ended. */
static void run_chain(struct node_arrays *node)
{
    void **at = node->chain;
    for (size_t i = 0; i < MEMORY_CHAIN_LOADS; i += 4) {
        at = *at;
        at = *at;
        at = *at;
        at = *at;
    }
    node->chain = at;
}

/* Reads its part of the array again and again until the chain's loads are done. */
static void load_memory(struct worker *w, const struct node_arrays *node)
{
    struct memory_bench *b = w->bench;
    const size_t begin = slice_begin(w, b->numbers, w->number),
                 end = slice_begin(w, b->numbers, w->number + 1);
    while (!atomic_load_explicit(&b->stop_loads, memory_order_relaxed))
        for (size_t k = begin;
             k < end && !atomic_load_explicit(&b->stop_loads, memory_order_relaxed);
             k += MEMORY_KERNEL_NUMBERS)
            w->sum += b->kernels->run[MEMORY_READ](node->a + k, NULL, NULL, MEMORY_KERNEL_NUMBERS);
}

static void do_job(struct worker *w, const struct job *job)
{
    struct memory_bench *b = w->bench;
    struct node_arrays *node = &b->arrays[job->to >= 0 ? (size_t)job->to : w->node];
    const size_t begin = slice_begin(w, b->numbers, w->number),
                 end = slice_begin(w, b->numbers, w->number + 1);
    w->begin = clock_raw_ns();
    if (job->kind == JOB_FILL) {
        fill(w);
    } else if (job->kind == JOB_KERNEL) {
        w->sum += b->kernels->run[job->kernel](node->a + begin, node->b + begin, node->c + begin,
                                               end - begin);
    } else if (w->number == 0 && (job->from >= 0 || w->node == 0)) {
        run_chain(node);
        atomic_store(&b->stop_loads, true);
    } else {
        load_memory(w, node);
    }
    w->end = clock_raw_ns();
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct memory_bench *b = w->bench;
    bool realtime;
    char note[80];
    placement_apply(w->cpu, false, &realtime, note, sizeof note);
    for (unsigned seen = 0;; seen++) {
        pthread_mutex_lock(&b->lock);
        while (b->generation == seen)
            pthread_cond_wait(&b->go, &b->lock);
        const struct job job = b->job;
        pthread_mutex_unlock(&b->lock);
        w->begin = w->end = 0;
        if (job.kind == JOB_END)
            return NULL;
        if (has_part(w, &job)) {
            wait_for_others(w, job.from >= 0 ? w->count : b->places.processor_count);
            do_job(w, &job);
        }
        pthread_mutex_lock(&b->lock);
        if (++b->finished == b->started)
            pthread_cond_signal(&b->done);
        pthread_mutex_unlock(&b->lock);
    }
}

static void give_job(struct memory_bench *b, const struct job *job)
{
    atomic_store(&b->arrived, 0);
    atomic_store(&b->stop_loads, false);
    pthread_mutex_lock(&b->lock);
    b->job = *job;
    b->finished = 0;
    b->generation++;
    pthread_cond_broadcast(&b->go);
    pthread_mutex_unlock(&b->lock);
}

double memory_job(struct memory_bench *b, const struct job *job)
{
    give_job(b, job);
    pthread_mutex_lock(&b->lock);
    while (b->finished < b->started)
        pthread_cond_wait(&b->done, &b->lock);
    pthread_mutex_unlock(&b->lock);
    uint64_t begin = UINT64_MAX, end = 0;
    for (size_t i = 0; i < b->started; i++) {
        const struct worker *w = &b->workers[i];
        if (!w->begin)
            continue;
        begin = w->begin < begin ? w->begin : begin;
        end = w->end > end ? w->end : end;
    }
    return (double)(end - begin) * 1e-9;
}

int memory_threads_start(struct memory_bench *b, struct err *e)
{
    const struct memory_places *p = &b->places;
    const unsigned count = (unsigned)p->processor_count;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->go, NULL);
    pthread_cond_init(&b->done, NULL);
    b->workers = calloc(count, sizeof *b->workers);
    if (!b->workers)
        return err_no_memory(e, "the threads that measure");
    for (size_t i = 0; i < count; i++) {
        struct worker *w = &b->workers[i];
        *w = (struct worker){.bench = b, .cpu = p->processors[i].cpu};
        while (p->nodes[w->node] != p->processors[i].node)
            w->node++;
        for (size_t k = 0; k < count; k++) {
            w->number += k < i && p->processors[k].node == p->processors[i].node;
            w->count += p->processors[k].node == p->processors[i].node;
        }
        const int error = thread_start(&w->thread, 0, work, w);
        if (error)
            return err_set(e, ERR_MACHINE, "thread %zu of %u cannot be started: %s", i + 1, count,
                           strerror(error));
        b->started++;
    }
    return 0;
}

void memory_threads_end(struct memory_bench *b)
{
    give_job(b, &(struct job){.kind = JOB_END});
    for (size_t i = 0; i < b->started; i++)
        pthread_join(b->workers[i].thread, NULL);
    free(b->workers);
}
