/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the tests of src/run: a backend with simulated time, so that a worker's loop can run
 * step by step in one thread, and batches with distinguishable contents.
 */
#ifndef TESTS_UNIT_FAKE_IO_H
#define TESTS_UNIT_FAKE_IO_H

#include <errno.h>

#include "base/random.h"
#include "run/loop/internal.h"
#include "run/measurement/measurement.h"

/* One tick is one nanosecond; the calibration instants do not matter. */
static inline struct clock fake_clock(void)
{
    return (struct clock){.counter = false, .multiplier = (uint64_t)1 << 32, .name = "fake"};
}

/* A backend for one request at a time. `before` is called before every completion and may change
   anything. */
struct fake_io {
    uint64_t now, latency; /* ticks */
    int error;             /* errno of the next completions */
    uint32_t bytes_missing;
    uint64_t issued, completed;
    void (*before)(struct fake_io *io);
    void *context;
    struct io_req request;
    bool waiting;
};

static inline int fake_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                              struct err *e)
{
    (void)e;
    struct fake_io *io = b->state;
    if (!n || io->waiting)
        return 0;
    io->request = requests[0];
    io->waiting = true;
    io->issued++;
    return 1;
}

static inline int fake_reap(struct io_backend *b, struct io_done done[], unsigned least,
                            unsigned most, struct err *e)
{
    (void)least, (void)e;
    struct fake_io *io = b->state;
    if (!io->waiting || !most)
        return 0;
    if (io->before)
        io->before(io);
    uint64_t begin = io->now;
    io->now += io->latency;
    uint32_t bytes = io->error ? 0 : io->request.length - io->bytes_missing;
    io_done_set(done, &io->request, begin, io->now, bytes, io->error);
    io->waiting = false;
    io->completed++;
    return 1;
}

static const struct io_ops fake_ops = {
    .name = "fake", .submit = fake_submit, .reap = fake_reap, .exchange = io_submit_and_reap};

/* Counts one I/O in a slice and a histogram, as a worker does. */
static inline void count_io(struct slice *slice, struct interval_histogram *h,
                            enum request_command op, uint64_t ns, uint32_t bytes)
{
    slice->op[op].ios++;
    slice->op[op].bytes += bytes;
    slice->op[op].latency_ns += ns;
    h->min = ns < h->min ? ns : h->min;
    h->max = ns > h->max ? ns : h->max;
    size_t bucket = histogram_bucket(ns);
    if (bucket < HISTOGRAM_BUCKETS)
        h->count[bucket]++;
    else
        h->over++;
}

/* Returns a batch of up to INTERVAL_SLICES slices with a few I/Os each. */
static inline struct batch random_batch(struct random *random)
{
    struct batch b = {.timing = NULL};
    batch_clear(&b);
    b.slice_count = (unsigned)random_below(random, INTERVAL_SLICES + 1);
    for (unsigned i = 0; i < b.slice_count; i++) {
        unsigned ios = (unsigned)random_below(random, 6);
        for (unsigned k = 0; k < ios; k++) {
            enum request_command op = random_below(random, 3) ? REQUEST_READ : REQUEST_WRITE;
            uint64_t ns = random_u64(random) >> (20 + random_below(random, 40));
            count_io(&b.slices[i], &b.latency[op], op, ns, 4096);
        }
        b.slices[i].op[OPERATION_WRITE].errors = random_below(random, 2);
    }
    uint64_t asked = random_below(random, 10000), busy = random_below(random, 50000000);
    for (unsigned i = 0; i < b.slice_count; i++) {
        b.slices[i].asked_bytes = asked * (i + 1);
        b.slices[i].busy_ns = busy / (i + 1);
    }
    b.lost_slices = random_below(random, 50) == 0;
    return b;
}

static inline bool same_histograms(struct interval_histogram *const a[OPERATIONS],
                                   struct interval_histogram *const b[OPERATIONS])
{
    bool same = true;
    for (int op = 0; op < OPERATIONS; op++)
        same &= !memcmp(a[op], b[op], sizeof *a[op]);
    return same;
}

static inline uint64_t histogram_ios(const struct interval_histogram *h)
{
    uint64_t n = h->over;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        n += h->count[i];
    return n;
}

#endif
