/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts that the tests of the timed loop share: a source that hands out a list of requests and
 * notes what becomes of them, and one worker with its own arena that runs rounds of it.
 */
#ifndef TESTS_UNIT_TIMED_FIXTURE_H
#define TESTS_UNIT_TIMED_FIXTURE_H

#include "check.h"

#include "run/loop/timed_loop.h"

/* Requests in the order of their due times. */
struct listed {
    struct generated_request *requests;
    uint64_t count, taken, completed, failed;
    uint64_t think_ns; /* closed: each is due so long after the one before it completed; 0: open */
    bool in_use;       /* closed: one is in flight */
    bool order_kept;   /* completions came in the order of due times */
    uint64_t last_due;
};

static inline void listed_begin(void *state)
{
    struct listed *l = state;
    l->taken = l->completed = l->failed = l->last_due = 0;
    l->in_use = false;
    l->order_kept = true;
}

static inline enum source_state listed_peek(void *state, uint64_t now_ns,
                                            struct generated_request *next)
{
    struct listed *l = state;
    (void)now_ns;
    if (l->taken == l->count)
        return SOURCE_ENDED;
    *next = l->requests[l->taken];
    if (!l->in_use)
        return SOURCE_REQUEST;
    next->due_ns = UINT64_MAX;
    return SOURCE_WAITING;
}

static inline void listed_take(void *state)
{
    struct listed *l = state;
    l->taken++;
    l->in_use = l->think_ns != 0;
}

static inline void listed_completed(void *state, const struct generated_request *request,
                                    uint64_t completed_ns, int error)
{
    struct listed *l = state;
    l->completed++;
    l->failed += error != 0;
    l->order_kept &= request->due_ns >= l->last_due;
    l->last_due = request->due_ns;
    l->in_use = false;
    if (l->think_ns && l->taken < l->count)
        l->requests[l->taken].due_ns = completed_ns + l->think_ns;
}

static inline uint64_t listed_backlog(void *state, uint64_t now_ns, bool *at_least)
{
    const struct listed *l = state;
    uint64_t due = l->taken;
    *at_least = false;
    while (due < l->count && l->requests[due].due_ns <= now_ns)
        due++;
    return due - l->taken;
}

static const struct request_source_ops listed_ops = {.begin = listed_begin,
                                                     .peek = listed_peek,
                                                     .take = listed_take,
                                                     .completed = listed_completed,
                                                     .backlog = listed_backlog};
static const struct request_source_ops listed_at_once = {.begin = listed_begin,
                                                         .peek = listed_peek,
                                                         .take = listed_take,
                                                         .completed = listed_completed,
                                                         .backlog = listed_backlog,
                                                         .at_once = true};

/* `count` reads of 4 KiB, the first after 2 ms, then `gap_ns` apart. */
static inline struct listed listed_reads(uint64_t count, uint64_t gap_ns)
{
    struct listed l = {.requests = calloc(count, sizeof *l.requests), .count = count};
    for (uint64_t i = 0; i < count; i++)
        l.requests[i] = (struct generated_request){
            .due_ns = 2000000 + i * gap_ns, .offset = i % 1024 * 4096, .length = 4096};
    return l;
}

/* All that a round left in the worker's ring. */
struct round_sums {
    struct slice slices;
    struct slice_timing timing; /* backlog and lateness: the most of all slices */
    struct interval_timing *whole;
    struct interval_histogram latency[OPERATIONS];
    uint64_t intervals, last_index, busy_ticks;
};

#define FIXTURE_INTERVALS 64
#define FIXTURE_SLICE_NS  10000000u
#define FIXTURE_RECORDS   4096

struct timed_fixture {
    struct arena arena;
    struct plan plan;
    struct clock clock;
    struct round_order order;
    uint64_t ahead_ns; /* of this processor's counter before that of the first worker's */
    struct worker worker;
    struct round_sums sums;
};

/* A worker on `ops`, not started. `script` NULL: none. */
static inline void fixture_init(struct timed_fixture *f, const struct io_ops *ops, unsigned iodepth,
                                const char *script, struct listed *source,
                                const struct request_source_ops *source_ops)
{
    struct err e = {0};
    *f = (struct timed_fixture){0};
    plan_init(&f->plan);
    f->plan.iodepth = iodepth;
    f->plan.write_share = 0.5;
    f->plan.rate_iops = 1000; /* makes it a timed plan; the rate is the list's */
    f->plan.realtime = false;
    clock_calibrate(&f->clock, 20, false);
    CHECK_INT(arena_init(&f->arena, 64 << 20, &e), 0);
    CHECK(plan_is_timed(&f->plan));
    struct worker *w = &f->worker;
    CHECK_INT(worker_init(w, &f->plan, 4096, FIXTURE_INTERVALS, FIXTURE_RECORDS, &f->arena), 0);
    CHECK(f->arena.used <= worker_bytes(&f->plan, 4096, FIXTURE_INTERVALS, FIXTURE_RECORDS) + 4096);
    w->clock = &f->clock;
    w->ops = ops;
    w->order = &f->order;
    w->cpu = -1;
    w->setup.clock = &f->clock;
    w->setup.fd = -1;
    w->setup.script = script;
    w->setup.seed = 1;
    w->source = (struct request_source){.ops = source_ops, .state = source};
    workload_init(&w->workload, &f->plan, 1 << 30, 0, w->setup.buffers, 4096);
    f->sums.whole = interval_timing_new(1, OPERATION_SET_ALL, &f->arena);
    CHECK(f->sums.whole != NULL);
}

static inline void fixture_end(struct timed_fixture *f)
{
    worker_stop(&f->worker);
    arena_free(&f->arena);
}

static inline void fixture_collect(struct timed_fixture *f)
{
    struct round_sums *s = &f->sums;
    struct interval_timing *whole = s->whole;
    *s = (struct round_sums){.whole = whole};
    interval_timing_clear(whole);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&s->latency[op]);
    for (const struct interval *i; (i = interval_ring_peek(&f->worker.intervals));) {
        for (unsigned k = 0; k < INTERVAL_SLICES; k++) {
            slice_add(&s->slices, &i->slices[k]);
            slice_timing_join(&s->timing, &i->timing->slices[k]);
            s->busy_ticks += i->busy_ticks[k];
        }
        for (int op = 0; op < OPERATIONS; op++)
            interval_histogram_add(&s->latency[op], i->latency[op]);
        interval_timing_add(whole, i->timing);
        s->intervals++;
        s->last_index = i->index;
        interval_ring_release(&f->worker.intervals);
    }
}

static inline void fixture_begin_round(struct timed_fixture *f, double seconds)
{
    f->order.recording = true;
    f->order.slice_ticks = clock_ticks_of_ns(&f->clock, FIXTURE_SLICE_NS);
    f->order.begin_ticks = clock_ticks(&f->clock) - clock_ticks_of_ns(&f->clock, f->ahead_ns);
    f->order.end_ticks =
        f->order.begin_ticks + clock_ticks_of_ns(&f->clock, (uint64_t)(seconds * 1e9));
    worker_round(&f->worker);
}

/* One round; rounds that are longer than the ring lose slices, and no I/O. */
static inline void fixture_round(struct timed_fixture *f, double seconds)
{
    fixture_begin_round(f, seconds);
    worker_wait(&f->worker);
    fixture_collect(f);
}

static inline uint64_t count_of(const struct interval_histogram *h)
{
    uint64_t n = h->over;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        n += h->count[i];
    return n;
}

/* The lower edge of the bucket that holds the value of this share. */
static inline double quantile_of(const struct interval_histogram *h, double share)
{
    double left = ceil(share * (double)count_of(h));
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if ((left -= (double)h->count[i]) <= 0)
            return histogram_edge(i);
    return INFINITY;
}

#endif
