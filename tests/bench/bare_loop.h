/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least code that does the same I/O: random reads of 4 KiB of one file, by pread one at a time
 * or by io_uring at a fixed depth. No time stamp per I/O is taken: the counter is read once a
 * pread, or once a wake-up, only to know when to stop. Each sample has a thread of its own, pinned
 * like the worker it is compared with.
 */
#ifndef TESTS_BENCH_BARE_LOOP_H
#define TESTS_BENCH_BARE_LOOP_H

#include <liburing.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

#define BARE_BLOCK     4096
#define BARE_DEPTH_MAX 256

struct bare_loop {
    /* what to do */
    int fd;
    int cpu; /* -1: any */
    const struct clock *clock;
    uint64_t blocks; /* of the file */
    unsigned iodepth;
    unsigned most; /* completions taken at one wake-up; 0: pread */
    double seconds;
    /* what came of it */
    uint64_t ios;
    double elapsed, cpu_seconds;
    const char *failed; /* what did not work, or NULL */

    unsigned char *buffers;
    struct random random;
    uint64_t end_ticks;
};

static inline double bare_seconds(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline uint64_t bare_offset(struct bare_loop *l)
{
    return random_below(&l->random, l->blocks) * BARE_BLOCK;
}

static inline void bare_pread(struct bare_loop *l)
{
    uint64_t ios = 0;
    do {
        if (pread(l->fd, l->buffers, BARE_BLOCK, (off_t)bare_offset(l)) != BARE_BLOCK) {
            l->failed = "pread";
            return;
        }
        ios++;
    } while (clock_ticks(l->clock) < l->end_ticks);
    l->ios = ios;
}

static inline int bare_ring(struct bare_loop *l, struct io_uring *ring)
{
    struct iovec v[BARE_DEPTH_MAX];
    for (unsigned i = 0; i < l->iodepth; i++)
        v[i] = (struct iovec){l->buffers + (size_t)i * BARE_BLOCK, BARE_BLOCK};
    if (io_uring_queue_init(l->iodepth, ring,
                            IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN))
        return -1;
    if (io_uring_register_buffers(ring, v, l->iodepth) ||
        io_uring_register_files(ring, &l->fd, 1) || io_uring_register_ring_fd(ring) != 1) {
        io_uring_queue_exit(ring);
        return -1;
    }
    return 0;
}

static inline void bare_queue(struct bare_loop *l, struct io_uring *ring, unsigned slot)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    io_uring_prep_read_fixed(sqe, 0, l->buffers + (size_t)slot * BARE_BLOCK, BARE_BLOCK,
                             bare_offset(l), (int)slot);
    sqe->flags |= IOSQE_FIXED_FILE;
    sqe->user_data = slot;
}

/* Take at most l->most completions and queue as many requests, unless it is over. */
static inline unsigned bare_take(struct bare_loop *l, struct io_uring *ring, int over)
{
    unsigned n = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(ring, head, cqe)
    {
        if (n == l->most)
            break;
        if (cqe->res != BARE_BLOCK)
            l->failed = "a read by io_uring";
        if (!over)
            bare_queue(l, ring, (unsigned)cqe->user_data);
        n++;
    }
    io_uring_cq_advance(ring, n);
    return n;
}

static inline void bare_uring(struct bare_loop *l, struct io_uring *ring)
{
    unsigned in_flight = l->iodepth;
    uint64_t ios = 0;
    int over = 0;
    for (unsigned slot = 0; slot < l->iodepth; slot++)
        bare_queue(l, ring, slot);
    while (in_flight) {
        if (io_uring_submit_and_wait(ring, 1) < 0) {
            l->failed = "io_uring_enter";
            return;
        }
        unsigned n = bare_take(l, ring, over);
        ios += n;
        if (over)
            in_flight -= n;
        over = over || l->failed || clock_ticks(l->clock) >= l->end_ticks;
    }
    l->ios = ios;
}

static inline void *bare_thread(void *argument)
{
    struct bare_loop *l = argument;
    struct io_uring ring;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (l->cpu >= 0) {
        CPU_SET((unsigned)l->cpu, &cpus);
        sched_setaffinity(0, sizeof cpus, &cpus);
    }
    if (l->most && bare_ring(l, &ring)) {
        l->failed = "setting up the io_uring";
        return NULL;
    }
    l->end_ticks =
        clock_ticks(l->clock) + clock_ticks_of_ns(l->clock, (uint64_t)(l->seconds * 1e9));
    double began = bare_seconds(CLOCK_MONOTONIC), cpu = bare_seconds(CLOCK_THREAD_CPUTIME_ID);
    if (l->most)
        bare_uring(l, &ring);
    else
        bare_pread(l);
    l->cpu_seconds = bare_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    l->elapsed = bare_seconds(CLOCK_MONOTONIC) - began;
    if (l->most)
        io_uring_queue_exit(&ring);
    return NULL;
}

/* Other offsets in each sample: `seed`. -1 with a message when an I/O failed. */
static inline int bare_loop_run(struct bare_loop *l, uint64_t seed)
{
    pthread_t thread;
    random_seed(&l->random, seed, 0);
    l->failed = NULL;
    l->buffers = aligned_alloc(BARE_BLOCK, (size_t)BARE_BLOCK * l->iodepth);
    if (l->buffers)
        memset(l->buffers, 0, (size_t)BARE_BLOCK * l->iodepth);
    if (!l->buffers || pthread_create(&thread, NULL, bare_thread, l))
        l->failed = "starting a thread";
    else
        pthread_join(thread, NULL);
    free(l->buffers);
    if (l->failed)
        fprintf(stderr, "minimal loop: %s failed\n", l->failed);
    return l->failed ? -1 : 0;
}

#endif
