/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bound of what issuing at the right instant can reach: a thread pinned to a processor that
 * does nothing but look at the counter until the next request is due, and then submits it alone by
 * io_uring, or submits nothing at all. It never sleeps, decides nothing and measures nothing but
 * how late each request was; requests, file and buffers are prepared and registered before.
 */
#ifndef TESTS_BENCH_SPIN_LOOP_H
#define TESTS_BENCH_SPIN_LOOP_H

#include <liburing.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"

#define SPIN_BLOCK 4096
#define SPIN_SLOTS 256

struct spin_loop {
    /* what to do */
    int fd; /* -1: submit nothing */
    int cpu;
    const struct clock *clock;
    uint64_t blocks; /* of the file */
    const uint64_t *due_ns;
    size_t count;
    /* what came of it */
    double *late_ns;    /* [count], the caller's */
    const char *failed; /* what did not work, or NULL */

    struct io_uring ring;
    unsigned char *buffers;
    unsigned slots[SPIN_SLOTS], free_slots;
};

/* Instants of a Poisson process of `rate` a second, the first one after 1 ms. */
static inline void spin_poisson(uint64_t due_ns[], size_t count, double rate, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed, 0);
    double t = 1e6;
    for (size_t i = 0; i < count; i++) {
        due_ns[i] = (uint64_t)t;
        t -= log(1 - random_unit(&random)) * 1e9 / rate;
    }
}

/* Completions come by an interrupt of the thread, so that looking for them is no system call. */
static inline int spin_open_ring(struct spin_loop *l)
{
    struct iovec v[SPIN_SLOTS];
    l->buffers = aligned_alloc(SPIN_BLOCK, (size_t)SPIN_BLOCK * SPIN_SLOTS);
    if (!l->buffers)
        return -1;
    memset(l->buffers, 0, (size_t)SPIN_BLOCK * SPIN_SLOTS);
    for (unsigned i = 0; i < SPIN_SLOTS; i++) {
        v[i] = (struct iovec){l->buffers + (size_t)i * SPIN_BLOCK, SPIN_BLOCK};
        l->slots[i] = i;
    }
    l->free_slots = SPIN_SLOTS;
    if (io_uring_queue_init(SPIN_SLOTS, &l->ring, IORING_SETUP_SINGLE_ISSUER))
        return -1;
    if (io_uring_register_buffers(&l->ring, v, SPIN_SLOTS) ||
        io_uring_register_files(&l->ring, &l->fd, 1) || io_uring_register_ring_fd(&l->ring) != 1) {
        io_uring_queue_exit(&l->ring);
        return -1;
    }
    return 0;
}

static inline void spin_reap(struct spin_loop *l)
{
    unsigned n = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&l->ring, head, cqe)
    {
        if (cqe->res != SPIN_BLOCK)
            l->failed = "a read";
        l->slots[l->free_slots++] = (unsigned)cqe->user_data;
        n++;
    }
    if (n)
        io_uring_cq_advance(&l->ring, n);
}

static inline void spin_prepare(struct spin_loop *l, struct random *random)
{
    while (!l->free_slots)
        spin_reap(l);
    unsigned slot = l->slots[--l->free_slots];
    struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);
    io_uring_prep_read_fixed(sqe, 0, l->buffers + (size_t)slot * SPIN_BLOCK, SPIN_BLOCK,
                             random_below(random, l->blocks) * SPIN_BLOCK, (int)slot);
    sqe->flags |= IOSQE_FIXED_FILE;
    sqe->user_data = slot;
}

static inline void spin_until_over(struct spin_loop *l, const uint64_t due_ticks[])
{
    struct random random;
    random_seed(&random, 1, 0);
    bool issue = l->fd >= 0;
    for (size_t i = 0; i < l->count && !l->failed; i++) {
        if (issue)
            spin_prepare(l, &random);
        while (clock_ticks(l->clock) < due_ticks[i])
            if (issue)
                spin_reap(l);
        uint64_t now = clock_ticks(l->clock);
        if (issue && io_uring_submit(&l->ring) != 1)
            l->failed = "io_uring_enter";
        l->late_ns[i] = (double)clock_ns(l->clock, now - due_ticks[i]);
    }
    while (issue && !l->failed && l->free_slots < SPIN_SLOTS)
        spin_reap(l);
}

static inline void *spin_thread(void *argument)
{
    struct spin_loop *l = argument;
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET((unsigned)l->cpu, &cpu);
    uint64_t *due_ticks = malloc(l->count * sizeof *due_ticks);
    if (!due_ticks || sched_setaffinity(0, sizeof cpu, &cpu)) {
        l->failed = "preparing";
    } else if (l->fd >= 0 && spin_open_ring(l)) {
        l->failed = "setting up the io_uring";
    } else {
        memset(l->late_ns, 0, l->count * sizeof *l->late_ns);
        uint64_t begin = clock_ticks(l->clock);
        for (size_t i = 0; i < l->count; i++) /* filling it takes time as well: begin after it */
            due_ticks[i] = begin + clock_ticks_of_ns(l->clock, l->due_ns[i] + 100000000);
        spin_until_over(l, due_ticks);
        if (l->fd >= 0)
            io_uring_queue_exit(&l->ring);
    }
    free(l->buffers);
    free(due_ticks);
    return NULL;
}

/* -1 with a message when something failed. */
static inline int spin_loop_run(struct spin_loop *l)
{
    pthread_t thread;
    l->failed = NULL;
    l->buffers = NULL;
    if (pthread_create(&thread, NULL, spin_thread, l))
        l->failed = "starting a thread";
    else
        pthread_join(thread, NULL);
    if (l->failed)
        fprintf(stderr, "bare spin loop: %s failed\n", l->failed);
    return l->failed ? -1 : 0;
}

#endif
