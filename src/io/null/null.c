/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The null backend: no I/O at all. Without a script a request is complete as soon as it is reaped,
 * so that cupel's own cost per I/O is measured; with a script it completes at its submission plus
 * the scripted delay.
 */
#include "io/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/heap.h"
#include "io/null/internal.h"

/* Longer waits sleep until only this many ns are left, and then spin. */
#define SPIN_NS 200000u

struct pending {
    uint64_t t_sub; /* ticks */
    struct io_req request;
    bool fails, is_short;
};

struct null_state {
    const struct clock *clock;
    unsigned iodepth;
    unsigned count; /* number of requests in flight */
    bool single;    /* the fast path: one request at a time, no script, and the cycle counter */
    bool scripted;
    bool started;   /* with a script: the first request has been submitted */
    uint64_t begin; /* with a script: ticks at which the first request was submitted */
    /* requests in flight: without a script in their order, with a script indexed by slot */
    struct pending *queue;
    /* with a script: the slots in flight, ordered by the ticks at which they complete */
    struct heap due;
    struct null_script script;
};

static void null_release(struct null_state *s)
{
    if (s) {
        free(s->due.items);
        free(s->queue);
    }
    free(s);
}

static int null_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct null_state *s = calloc(1, sizeof *s);
    if (s) {
        s->clock = setup->clock;
        s->iodepth = setup->iodepth;
        s->scripted = setup->script != NULL;
        s->single = setup->iodepth == 1 && !s->scripted && setup->clock->counter;
        s->queue = calloc(setup->iodepth, sizeof *s->queue);
        s->due.items = calloc(setup->iodepth, sizeof *s->due.items);
        s->due.capacity = setup->iodepth;
    }
    if (!s || !s->queue || !s->due.items) {
        null_release(s);
        return err_no_memory(e, "%u requests", setup->iodepth);
    }
    if (s->scripted && script_parse(&s->script, setup->script, setup->seed, e)) {
        null_release(s);
        return -1;
    }
    b->ops = &io_null;
    b->state = s;
    snprintf(b->description, sizeof b->description,
             s->scripted ? "no I/O, delays by script: %s" : "no I/O", setup->script);
    return 0;
}

/* The members are copied one by one, see io_done_set; the offset is not needed here. */
static inline void null_keep(struct pending *p, const struct io_req *request, uint64_t now)
{
    p->t_sub = now;
    p->request.length = request->length;
    p->request.slot = request->slot;
    p->request.command = request->command;
}

/* A separate function, not inlined, so that the fast path saves no registers for it. */
static __attribute__((noinline)) int submit_many(struct io_backend *b,
                                                 const struct io_req requests[], unsigned n)
{
    struct null_state *s = b->state;
    unsigned room = s->iodepth - s->count;
    if (n > room)
        n = room;
    for (unsigned i = 0; i < n && s->scripted; i++) {
        uint64_t now = clock_ticks(s->clock);
        if (!s->started)
            s->begin = now;
        s->started = true;
        struct script_outcome o = script_next(&s->script, clock_ns(s->clock, now - s->begin));
        s->queue[requests[i].slot] = (struct pending){
            .t_sub = now, .request = requests[i], .fails = o.fails, .is_short = o.is_short};
        heap_push(&s->due, now + clock_ticks_of_ns(s->clock, o.delay_ns), requests[i].slot);
        s->count++;
        b->handed_over = now;
    }
    if (s->scripted)
        return (int)n;
    uint64_t now = clock_ticks(s->clock);
    b->handed_over = now;
    for (unsigned i = 0; i < n; i++)
        null_keep(&s->queue[s->count + i], &requests[i], now);
    s->count += n;
    return (int)n;
}

static int null_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                       struct err *e)
{
    (void)e;
    struct null_state *s = b->state;
    if (!s->single || n != 1)
        return submit_many(b, requests, n);
    s->count = 1;
    b->handed_over = clock_counter();
    null_keep(s->queue, requests, b->handed_over);
    return 1;
}

/* Waits until `due`. Returns false when a signal came first. */
static bool null_wait_until(const struct clock *clock, uint64_t due)
{
    for (;;) {
        uint64_t now = clock_ticks(clock);
        if (now >= due)
            return true;
        uint64_t left = clock_ns(clock, due - now);
        if (left <= SPIN_NS)
            continue;
        if (!clock_sleep_until(clock, due - clock_ticks_of_ns(clock, SPIN_NS / 2)))
            return false;
    }
}

static int reap_scripted(struct null_state *s, struct io_done done[], unsigned min, unsigned max)
{
    unsigned n = 0;
    for (const struct heap_item *first; n < max && (first = heap_first(&s->due)); n++) {
        uint64_t due = first->at_ns;
        if (n < min && !null_wait_until(s->clock, due))
            break;
        uint64_t now = clock_ticks(s->clock);
        if (now < due)
            break;
        const struct pending *p = &s->queue[heap_pop(&s->due)];
        uint32_t bytes = p->is_short ? p->request.length / 2 : p->request.length;
        io_done_set(&done[n], &p->request, p->t_sub, now, p->fails ? 0 : bytes, p->fails ? EIO : 0);
        s->count--;
    }
    return (int)n;
}

static __attribute__((noinline)) int reap_many(struct null_state *s, struct io_done done[],
                                               unsigned min, unsigned max)
{
    if (s->scripted)
        return reap_scripted(s, done, min, max);
    unsigned n = max < s->count ? max : s->count;
    uint64_t now = clock_ticks(s->clock);
    for (unsigned i = 0; i < n; i++) {
        const struct pending *p = &s->queue[i];
        io_done_set(&done[i], &p->request, p->t_sub, now, p->request.length, 0);
    }
    s->count -= n;
    for (unsigned i = 0; i < s->count; i++)
        s->queue[i] = s->queue[i + n];
    return (int)n;
}

static int null_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                     struct err *e)
{
    (void)e;
    struct null_state *s = b->state;
    if (!s->single || !s->count || !max)
        return reap_many(s, done, min, max);
    const struct pending *p = s->queue;
    s->count = 0;
    io_done_set(done, &p->request, p->t_sub, clock_counter(), p->request.length, 0);
    return 1;
}

/* Without a script requests complete at once, so a wait is needed only when none is in flight. */
static int null_reap_until(struct io_backend *b, struct io_done done[], unsigned max,
                           uint64_t until, struct err *e)
{
    const struct null_state *s = b->state;
    if (!s->count || (s->scripted && heap_first(&s->due)->at_ns > until)) {
        clock_sleep_until(s->clock, until);
        return null_reap(b, done, 0, max, e);
    }
    return null_reap(b, done, s->scripted && clock_ticks(s->clock) >= until ? 0 : 1, max, e);
}

/* Not inlined, so that the fast path saves no registers for it. */
static __attribute__((noinline)) int exchange_many(struct io_backend *b, struct io_exchange *x)
{
    return io_submit_and_reap(b, x);
}

static int null_exchange(struct io_backend *b, struct io_exchange *x)
{
    const struct null_state *s = b->state;
    if (__builtin_expect(!s->single || !x->n, 0))
        return exchange_many(b, x);
    const struct io_req *request = x->requests;
    struct io_done *done = x->done;
    done->t_sub = clock_counter();
    done->bytes = request->length;
    done->error = 0;
    done->op_and_slot = io_op_and_slot(request);
    x->taken = 1;
    done->t_cpl = clock_counter();
    return 1;
}

static void null_close(struct io_backend *b)
{
    null_release(b->state);
    b->state = NULL;
}

const struct io_ops io_null = {
    .name = "null",
    .help = "no I/O: measures our own cost, or follows a script of delays",
    .takes_script = true,
    .trims = true,
    .trims_ranges = true,
    .open = null_open,
    .submit = null_submit,
    .reap = null_reap,
    .reap_until = null_reap_until,
    .exchange = null_exchange,
    .close = null_close,
};
