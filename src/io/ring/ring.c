/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drives a ring: requests wait in the submission queue until the next reap, which submits them and
 * waits for completions in one system call.
 */
#include "io/ring/ring.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define CLOSE_WAIT_NS 2000000000u

/* Interval at which completions are looked for if the kernel has no wait with a time limit. */
#define LOOK_EVERY_NS 20000u

struct io_uring_sqe *ring_entry(struct ring *r, unsigned slot)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);
    if (!sqe)
        return NULL;
    r->unsent_slots[r->unsent++] = (uint16_t)slot;
    r->entries++;
    return sqe;
}

/*
 * Submits the queued entries and waits until `wait` completions are there. A signal, and a kernel
 * that is short of resources, are not errors: the caller reaps the completions that came, and tries
 * again.
 */
static int hand_over(struct io_backend *b, unsigned wait, struct err *e)
{
    struct ring *r = b->state;
    uint64_t now = clock_ticks(r->setup.clock);
    for (unsigned i = 0; i < r->unsent; i++) {
        struct ring_slot *slot = &r->slots[r->unsent_slots[i]];
        if (!slot->t_sub)
            slot->t_sub = now;
    }
    if (r->unsent)
        b->handed_over = now;
    int sent = io_uring_submit_and_wait(&r->uring, wait);
    /* With SQPOLL the kernel thread owns all entries after this call; `sent` is the number of
       entries that it has not taken yet. */
    if (r->kernel_submits)
        r->unsent = 0;
    if (sent == -EINTR)
        return 0;
    if (sent == -EAGAIN || sent == -EBUSY) {
        sched_yield();
        return 0;
    }
    if (sent < 0)
        return err_set(e, ERR_TARGET, "io_uring did not take requests: %s", strerror(-sent));

    /* The kernel takes entries in order, and may stop early; the others are submitted later and
       keep their t_sub. */
    unsigned left = (unsigned)sent < r->unsent ? r->unsent - (unsigned)sent : 0;
    for (unsigned i = 0; i < left; i++)
        r->unsent_slots[i] = r->unsent_slots[r->unsent - left + i];
    r->unsent = left;
    return 0;
}

int ring_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e)
{
    struct ring *r = b->state;
    unsigned taken = 0;
    while (taken < n && r->in_flight < r->setup.iodepth) {
        const struct io_req *request = &requests[taken];
        r->slots[request->slot] = (struct ring_slot){.request = *request};
        if (!r->ops->queue(r, request->slot))
            break;
        r->in_flight++;
        taken++;
    }
    if (r->kernel_submits && r->unsent && hand_over(b, 0, e))
        return -1;
    return (int)taken;
}

/* Returns the number of completions to wait for, so that the worker wakes up only when `requests`
   requests may be done. */
static unsigned worth_waking(const struct ring *r, unsigned requests)
{
    return requests && r->ops->completions_of ? r->ops->completions_of(r, requests) : requests;
}

static unsigned collect_ready(struct ring *r, struct io_done done[], unsigned max)
{
    return io_uring_cq_ready(&r->uring) ? r->ops->collect(r, done, max) : 0;
}

/* Makes the kernel post the completions that are pending for this thread, without waiting. */
static void fetch_completions(struct ring *r)
{
    bool waiting =
        IO_URING_READ_ONCE(*r->uring.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
    if (waiting || r->polled)
        io_uring_get_events(&r->uring);
}

int ring_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
              struct err *e)
{
    struct ring *r = b->state;
    if (min > r->in_flight)
        min = r->in_flight;
    if (max > r->share && min <= r->share)
        max = r->share;
    if (min > max)
        min = max;
    if (r->unsent && hand_over(b, r->kernel_submits ? 0 : worth_waking(r, min), e))
        return -1;
    if (!io_uring_cq_ready(&r->uring))
        fetch_completions(r);
    unsigned n = collect_ready(r, done, max);
    while (n < min) {
        unsigned before = io_uring_cq_ready(&r->uring);
        if (hand_over(b, worth_waking(r, min - n), e))
            return -1;
        if (io_uring_cq_ready(&r->uring) == before)
            break; /* after a signal, or if nothing is in flight, the caller decides what to do */
        n += collect_ready(r, done + n, max - n);
    }
    return (int)n;
}

/*
 * Looks for completions again and again until `until`. This is for polled completions, which are
 * found only by looking for them, and for kernels before Linux 5.11, which can wait for a limited
 * time only with one more request in the ring.
 */
static void look_until(struct ring *r, uint64_t until)
{
    const struct clock *clock = r->setup.clock;
    uint64_t pause = clock_ticks_of_ns(clock, LOOK_EVERY_NS), now;
    while ((now = clock_ticks(clock)) < until) {
        fetch_completions(r);
        if (io_uring_cq_ready(&r->uring))
            return;
        if (!r->polled && !clock_sleep_until(clock, until - now > pause ? now + pause : until))
            return;
    }
}

static void sleep_until(struct ring *r, uint64_t until)
{
    const struct clock *clock = r->setup.clock;
    /* the kernel's second may be a little shorter than the clock's, so one sleep may not suffice */
    int status = -ETIME;
    for (uint64_t now; status == -ETIME && (now = clock_ticks(clock)) < until;) {
        uint64_t left = clock_ns(clock, until - now);
        struct __kernel_timespec limit = {.tv_sec = (long long)(left / 1000000000u),
                                          .tv_nsec = (long long)(left % 1000000000u)};
        struct io_uring_cqe *cqe;
        status = io_uring_wait_cqes(&r->uring, &cqe, worth_waking(r, 1), &limit, NULL);
    }
}

int ring_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                    struct err *e)
{
    struct ring *r = b->state;
    int got = ring_reap(b, done, 0, max, e);
    if (got || !max)
        return got;
    if (!r->in_flight)
        clock_sleep_until(r->setup.clock, until);
    else if (r->polled || !(r->uring.features & IORING_FEAT_EXT_ARG))
        look_until(r, until);
    else
        sleep_until(r, until);
    return ring_reap(b, done, 0, max, e);
}

/* Returns the next completion, or NULL when `end` comes first. Signals do not end the wait. */
static struct io_uring_cqe *wait_for_completion(struct ring *r, uint64_t end)
{
    struct io_uring_cqe *cqe;
    int status;
    do {
        uint64_t now = clock_raw_ns(), rest = now < end ? end - now : 0;
        struct __kernel_timespec limit = {.tv_sec = (long long)(rest / 1000000000u),
                                          .tv_nsec = (long long)(rest % 1000000000u)};
        status = io_uring_wait_cqe_timeout(&r->uring, &cqe, &limit);
    } while (status == -EINTR && clock_raw_ns() < end);
    return status ? NULL : cqe;
}

bool ring_close(struct ring *r)
{
    uint64_t end = clock_raw_ns() + CLOSE_WAIT_NS;
    unsigned left = r->entries - r->unsent;
    for (struct io_uring_cqe *cqe; left && (cqe = wait_for_completion(r, end)); left--) {
        if (r->ops->discard)
            r->ops->discard(r, cqe->res);
        io_uring_cqe_seen(&r->uring, cqe);
    }
    if (left) /* unregistering could wait for ever while requests are in flight */
        io_uring_queue_exit(&r->uring);
    else
        ring_drop(r);
    return !left;
}
