/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting completions into time slices and histograms, and handing finished intervals over. */
#include "run/account.h"

/* So many failures without a success: the target is gone, a longer round would tell nothing. */
#define FAILED_IN_A_ROW 100

void account_begin_round(struct worker *w)
{
    w->interval = interval_ring_current(&w->intervals);
    w->slice = &w->interval->slices[0];
    w->slice_number = 0;
    w->slice_end = w->order->begin_ticks + w->order->slice_ticks;
    w->loss = false;
    w->failed_in_a_row = 0;
    w->discarded = (struct slice){0};
    w->counted = 0;
    w->busy_until = w->order->begin_ticks;
}

/* Hand the finished interval over and begin the one numbered `index`. */
static void begin_interval(struct worker *w, uint64_t index)
{
    if (!interval_ring_publish(&w->intervals)) {
        w->loss = true;
        w->slice = &w->discarded;
        return;
    }
    w->interval = interval_ring_current(&w->intervals);
    w->interval->index = index;
    w->interval->after_loss = w->loss;
    w->loss = false;
}

/* Time has passed the end of the current slice: find the slice that `now` lies in. */
static __attribute__((noinline)) void advance_slice(struct worker *w, uint64_t now)
{
    const struct round_order *order = w->order;
    uint64_t number = (now - order->begin_ticks) / order->slice_ticks;
    uint64_t index = number / INTERVAL_SLICES;
    if (index != w->interval->index || w->loss)
        begin_interval(w, index);
    if (!w->loss)
        w->slice = &w->interval->slices[number % INTERVAL_SLICES];
    w->slice_number = number;
    w->slice_end = order->begin_ticks + (number + 1) * order->slice_ticks;
}

static inline void add_latency(struct interval_histogram *h, uint64_t ns)
{
    size_t bucket = histogram_bucket(ns);
    if (__builtin_expect(ns < h->min, 0))
        h->min = ns;
    if (__builtin_expect(ns > h->max, 0))
        h->max = ns;
    if (__builtin_expect(bucket < HISTOGRAM_BUCKETS, 1))
        h->count[bucket]++;
    else
        h->over++;
}

void account_completions(struct worker *w, const struct io_done *done, size_t n)
{
    uint64_t busy = 0, busy_until = w->busy_until;
    size_t failed = 0;
    for (const struct io_done *end = done + n; done != end; done++) {
        uint64_t t_sub = done->t_sub, t_cpl = done->t_cpl;
        if (__builtin_expect(t_cpl >= w->slice_end, 0)) {
            w->interval->busy_ticks += busy;
            busy = 0;
            advance_slice(w, t_cpl);
        }
        busy += t_cpl - (t_sub > busy_until ? t_sub : busy_until);
        busy_until = t_cpl;

        unsigned op = done->op_and_slot >> 15;
        struct slice_op *slice = &w->slice->op[op];
        if (__builtin_expect(!account_succeeded(w, done), 0)) {
            slice->errors++;
            failed++;
            continue;
        }
        uint64_t ns = clock_ns(w->clock, t_cpl - t_sub);
        slice->ios++;
        slice->latency_ns += ns;
        add_latency(&w->interval->latency[op], ns);
    }
    w->interval->busy_ticks += busy;
    w->busy_until = busy_until;
    w->failed_in_a_row = failed && failed == n ? w->failed_in_a_row + failed : 0;
    if (w->failed_in_a_row >= FAILED_IN_A_ROW)
        account_give_up(w);
}
