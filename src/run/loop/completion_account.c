/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts completions in time slices and histograms, and publishes finished intervals. */
#include "run/loop/internal.h"

#include <errno.h>
#include <time.h>

static void use_slice(struct worker *w, uint64_t number)
{
    w->slice = &w->interval->slices[number % INTERVAL_SLICES];
    w->busy = &w->interval->busy_ticks[number % INTERVAL_SLICES];
}

void account_begin_round(struct worker *w)
{
    w->interval = interval_ring_current(&w->intervals);
    use_slice(w, 0);
    w->slice_number = 0;
    w->slice_end = round_slices_begin(w->order) + w->order->slice_ticks;
    w->loss = false;
    w->block_failed = false;
    w->failed_in_a_row = 0;
    w->discarded = (struct slice){0};
    w->counted = 0;
    w->slowest_floor_ns = w->order->counts ? clock_ns(w->clock, w->slowest.floor) : UINT64_MAX;
    w->busy_until = w->order->begin_ticks;
    w->overlaps = w->setup.iodepth > 1 && !w->ops->serial;
    w->was_idle = true;
    w->busy_since = 0;
    atomic_store_explicit(&w->backend.aside, 0, memory_order_relaxed);
}

/*
 * Publishes the finished interval. Returns false if no interval is free. Workers that prepare
 * passes exclude that time from the round, each a different amount: a worker that is ahead waits
 * for the others, and excludes its waiting as well.
 */
static bool publish(struct worker *w)
{
    if (interval_ring_publish(&w->intervals))
        return true;
    if (!w->ops->action)
        return false;
    uint64_t began = clock_ticks(w->clock);
    bool published = false;
    while (!published && !atomic_load_explicit(&w->halt, memory_order_relaxed)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        published = interval_ring_publish(&w->intervals);
    }
    atomic_fetch_add_explicit(&w->backend.aside, clock_ticks(w->clock) - began,
                              memory_order_relaxed);
    return published;
}

/* Publishes the finished interval and begins the one with number `index`. */
static void begin_interval(struct worker *w, uint64_t index, uint64_t in_flight_since)
{
    w->interval->in_flight_since = in_flight_since;
    if (!publish(w)) {
        w->loss = true;
        w->slice = &w->discarded;
        w->busy = &w->discarded_busy;
        return;
    }
    w->interval = interval_ring_current(&w->intervals);
    w->interval->index = index;
    w->interval->after_loss = w->loss;
    w->loss = false;
}

/* Adds the time in flight up to `until` that is in the current interval. */
static void add_busy(struct worker *w, uint64_t from, uint64_t until)
{
    const struct round_order *order = w->order;
    uint64_t begin =
        round_slices_begin(order) + w->interval->index * INTERVAL_SLICES * order->slice_ticks;
    interval_add_busy(w->interval->busy_ticks, begin, order->slice_ticks, from, until);
}

__attribute__((noinline)) void account_advance_slice(struct worker *w, uint64_t now,
                                                     uint64_t in_flight_since)
{
    const struct round_order *order = w->order;
    uint64_t number = (now - round_slices_begin(order)) / order->slice_ticks;
    uint64_t begin = round_slices_begin(order) + number * order->slice_ticks;
    uint64_t index = number / INTERVAL_SLICES;
    uint64_t from = in_flight_since > w->busy_until ? in_flight_since : w->busy_until;
    if (in_flight_since < begin)
        add_busy(w, from, begin);
    if (index != w->interval->index || w->loss) {
        begin_interval(w, index, in_flight_since);
        if (in_flight_since < begin && !w->loss)
            add_busy(w, from, begin);
    }
    w->busy_until = begin;
    if (!w->loss)
        use_slice(w, number);
    w->slice_number = number;
    w->slice_end = begin + order->slice_ticks;
}

/* Returns the instant from which I/O was in flight until the completion. */
static uint64_t in_flight_since(const struct worker *w, const struct io_done *done)
{
    return w->overlaps ? w->busy_since : done->t_sub;
}

/* Moves to the slice that contains the completion. */
static void advance_to(struct worker *w, const struct io_done *done)
{
    uint64_t since = in_flight_since(w, done);
    account_advance_slice(w, done->t_cpl, since);
    if (since > w->busy_until && w->overlaps)
        w->busy_until = since;
}

void account_slow(struct worker *w, const struct finished_request *request)
{
    slowest_add(&w->slowest, request);
    w->slowest_floor_ns = clock_ns(w->clock, w->slowest.floor);
}

/* Returns the request of a completion of this block. */
static struct finished_request request_of(const struct worker *w, const struct io_done *done)
{
    return (struct finished_request){.begin = done->t_sub,
                                     .end = done->t_cpl,
                                     .offset = w->block_offset[done - w->block],
                                     .length = account_asked(w, done),
                                     .worker = (uint16_t)w->number,
                                     .command = (uint8_t)done->op,
                                     .failed = !account_succeeded(w, done)};
}

/* Notes those of the completions [done, end) that are slow. Called if one of them took longer than
   the fastest of the slowest requests that are kept so far. */
static __attribute__((noinline)) void look_for_slow(struct worker *w, const struct io_done *done,
                                                    const struct io_done *end)
{
    for (; done != end; done++)
        if (clock_ns(w->clock, done->t_cpl - done->t_sub) > w->slowest_floor_ns) {
            const struct finished_request request = request_of(w, done);
            account_slow(w, &request);
        }
}

void account_trace(struct worker *w, const struct io_done done[], unsigned n)
{
    struct finished_ring *ring = &w->traced;
    uint64_t head;
    if (!ring->at || !w->order->traced)
        return;
    unsigned kept = finished_ring_room(ring, n, &head);
    for (unsigned i = 0; i < kept; i++)
        *finished_ring_at(ring, head + i) = request_of(w, &done[i]);
    atomic_store_explicit(&ring->head, head + kept, memory_order_release);
}

/*
 * Counts the records from `done` on that have the same operation and lie in the current slice. All
 * of them are successful. Sums stay in registers: in memory, each addition would wait for the one
 * before. Returns the first record that it did not count.
 */
static const struct io_done *count_run(struct worker *w, const struct io_done *done,
                                       const struct io_done *end)
{
    const struct io_done *first = done;
    const struct clock *clock = w->clock;
    const uint64_t slice_end = w->slice_end;
    const unsigned op = done->op_and_slot >> IO_SLOT_BITS;
    struct interval_histogram *h = w->interval->latency[op];
    uint64_t latency = 0, least = h->min, greatest = 0, over = 0;
    uint64_t busy = 0, busy_until = w->busy_until;
    /* a mask: all ones if busy time begins at t_sub */
    const uint64_t own_begin = w->overlaps ? 0 : UINT64_MAX;
    for (; done != end; done++) {
        uint64_t t_sub = done->t_sub, t_cpl = done->t_cpl;
        uint64_t begin = t_sub & own_begin;
        if (t_cpl >= slice_end || done->op_and_slot >> IO_SLOT_BITS != op)
            break;
        busy += t_cpl - (begin > busy_until ? begin : busy_until);
        busy_until = t_cpl;
        uint64_t ns = clock_ns(clock, t_cpl - t_sub);
        latency += ns;
        least = ns < least ? ns : least;
        greatest = ns > greatest ? ns : greatest;
        size_t bucket = histogram_bucket(ns);
        if (__builtin_expect(bucket < HISTOGRAM_BUCKETS, 1))
            h->count[bucket]++;
        else
            over++;
    }
    h->min = least;
    if (greatest > h->max)
        h->max = greatest;
    if (__builtin_expect(greatest > w->slowest_floor_ns, 0))
        look_for_slow(w, first, done);
    h->over += over;
    w->slice->op[op].ios += (uint64_t)(done - first);
    w->slice->op[op].latency_ns += latency;
    *w->busy += busy;
    w->busy_until = busy_until;
    return done;
}

bool account_is_fatal(int error)
{
    return error == ENODEV || error == ENXIO || error == ENOSPC || error == EBADF ||
           error == EROFS || error == EDQUOT || error == EFBIG || error == ESHUTDOWN;
}

void account_end_round(struct worker *w, uint64_t ended_ticks)
{
    atomic_store(&w->ended_ticks, ended_ticks - atomic_load(&w->backend.aside));
    /* Waits until an interval of the ring is free, because the collector does not see the current
       interval before it is published. */
    while (!interval_ring_publish(&w->intervals))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void count_failure(struct worker *w, const struct io_done *done)
{
    w->slice->op[done->op].errors++;
    look_for_slow(w, done, done + 1);
    uint64_t since = in_flight_since(w, done);
    *w->busy += done->t_cpl - (since > w->busy_until ? since : w->busy_until);
    w->busy_until = done->t_cpl;
}

/* Counts a block with failures, record by record. Returns the number of failures. */
static size_t count_singly(struct worker *w, const struct io_done *done, const struct io_done *end)
{
    size_t failed = 0;
    for (; done != end; done++) {
        if (done->t_cpl >= w->slice_end)
            advance_to(w, done);
        if (account_succeeded(w, done)) {
            count_run(w, done, done + 1);
        } else {
            count_failure(w, done);
            failed++;
        }
    }
    return failed;
}

void account_completions(struct worker *w, const struct io_done done[], size_t n)
{
    const struct io_done *end = done + n;
    w->block = done;
    if (w->overlaps && w->was_idle && n) {
        w->was_idle = false;
        w->busy_since = done->t_sub;
        if (w->busy_until < done->t_sub && done->t_sub < w->slice_end)
            w->busy_until = done->t_sub;
    }
    if (__builtin_expect(w->block_failed, 0)) {
        w->block_failed = false;
        size_t failed = count_singly(w, done, end);
        w->failed_in_a_row = failed == n ? w->failed_in_a_row + failed : 0;
        if (w->failed_in_a_row >= FAILED_IN_A_ROW)
            account_give_up(w);
        return;
    }
    w->failed_in_a_row = 0;
    while (done != end) {
        if (done->t_cpl >= w->slice_end)
            advance_to(w, done);
        done = count_run(w, done, end);
    }
}
