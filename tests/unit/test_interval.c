/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of intervals: order, behaviour when full, and that no I/O is lost between threads. */
#include "check.h"
#include "fake_io.h"

static struct arena arena;

static void check_slices_and_histograms(void)
{
    struct slice to = {{{1, 2, 3, 4}, {5, 6, 7, 8}}, 9, 11, -3};
    struct slice from = {{{10, 20, 30, 40}, {50, 60, 70, 80}}, 90, 110, 30};
    slice_add(&to, &from);
    CHECK_INT(to.op[OPERATION_READ].ios, 11);
    CHECK_INT(to.op[OPERATION_READ].bytes, 22);
    CHECK_INT(to.op[OPERATION_READ].latency_ns, 33);
    CHECK_INT(to.op[OPERATION_READ].errors, 44);
    CHECK_INT(to.op[OPERATION_WRITE].ios, 55);
    CHECK_INT(to.op[OPERATION_WRITE].errors, 88);
    CHECK_INT(to.asked_bytes, 99);
    CHECK_INT(to.busy_ns, 121);
    CHECK_INT(to.unmeasured_ns, 27);

    static struct interval_histogram a, b;
    interval_histogram_clear(&a);
    interval_histogram_clear(&b);
    CHECK(a.min == UINT64_MAX && a.max == 0 && histogram_ios(&a) == 0);
    interval_histogram_add(&a, &b); /* nothing to nothing */
    CHECK(a.min == UINT64_MAX && a.max == 0);
    b = (struct interval_histogram){.min = 5, .max = 900, .over = 2};
    b.count[0] = 1;
    b.count[HISTOGRAM_BUCKETS - 1] = 3;
    interval_histogram_add(&a, &b);
    interval_histogram_add(&a, &b);
    CHECK_INT(a.min, 5);
    CHECK_INT(a.max, 900);
    CHECK_INT(histogram_ios(&a), 12);
    CHECK_INT(a.count[HISTOGRAM_BUCKETS - 1], 6);
}

static void check_order(unsigned capacity)
{
    struct interval_ring ring;
    size_t mark = arena_mark(&arena);
    CHECK_INT(interval_ring_init(&ring, capacity, OPERATION_SET_ALL, false, &arena), 0);
    CHECK(interval_ring_peek(&ring) == NULL);
    uint64_t next = 0, expected = 0;
    for (int round = 0; round < 50; round++) {
        unsigned published = 0;
        do {
            struct interval *current = interval_ring_current(&ring);
            CHECK(!current->after_loss && current->slices[0].op[OPERATION_READ].ios == 0);
            current->index = next;
            current->slices[0].op[OPERATION_READ].ios = 100 + next;
            published++;
            next++;
        } while (interval_ring_publish(&ring));
        CHECK_INT(published, capacity); /* the last one could not be published and is kept */
        for (unsigned i = 0; i + 1 < capacity; i++) {
            const struct interval *oldest = interval_ring_peek(&ring);
            CHECK(oldest != NULL);
            if (!oldest)
                return;
            CHECK_INT(oldest->index, expected);
            CHECK_INT(oldest->slices[0].op[OPERATION_READ].ios, 100 + expected);
            interval_ring_release(&ring);
            expected++;
        }
        CHECK(interval_ring_peek(&ring) == NULL);
        CHECK_INT(interval_ring_current(&ring)->index, next - 1);
        CHECK(interval_ring_publish(&ring));
        CHECK_INT(interval_ring_peek(&ring)->index, expected++);
        interval_ring_release(&ring);
    }
    interval_ring_reset(&ring);
    CHECK(interval_ring_peek(&ring) == NULL);
    CHECK_INT(interval_ring_current(&ring)->index, 0);
    arena_reset(&arena, mark);
}

/* A worker's loop with a collector that sleeps from interval 2 to interval 20 of 30. */
struct sleepy {
    struct worker *worker;
    struct slice seen;
    struct interval_histogram latency[OPERATIONS];
    uint64_t last_index;
    unsigned lossy, taken;
};

enum { SLICE_TICKS = 1000, INTERVAL_TICKS = SLICE_TICKS * INTERVAL_SLICES };

static void take_all(struct sleepy *s)
{
    for (const struct interval *i; (i = interval_ring_peek(&s->worker->intervals));) {
        CHECK(!s->taken || i->index > s->last_index);
        s->last_index = i->index;
        s->lossy += i->after_loss;
        s->taken++;
        for (int k = 0; k < INTERVAL_SLICES; k++)
            slice_add(&s->seen, &i->slices[k]);
        for (int op = 0; op < OPERATIONS; op++)
            interval_histogram_add(&s->latency[op], i->latency[op]);
        interval_ring_release(&s->worker->intervals);
    }
}

static void collector_sleeps(struct fake_io *io)
{
    uint64_t interval = io->now / INTERVAL_TICKS;
    if (interval < 2 || interval >= 20)
        take_all(io->context);
}

static void check_full_ring(void)
{
    struct plan plan;
    plan_init(&plan);
    struct clock clock = fake_clock();
    struct round_order order = {
        .end_ticks = 30 * INTERVAL_TICKS, .slice_ticks = SLICE_TICKS, .recording = true};
    static struct worker w;
    static struct sleepy sleepy;
    struct fake_io io = {.latency = 100, .before = collector_sleeps, .context = &sleepy};
    CHECK_INT(worker_init(&w, &plan, 4096, 8, 1024, &arena), 0);
    sleepy.worker = &w;
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&sleepy.latency[op]);
    w.clock = &clock;
    w.ops = &fake_ops;
    w.backend.ops = &fake_ops;
    w.order = &order;
    w.backend.state = &io;
    workload_init(&w.workload, &plan, 1 << 20, 0, w.setup.buffers, 4096);
    pump_round(&w);
    take_all(&sleepy);

    CHECK_INT(io.issued, io.completed);
    CHECK_INT(io.completed, order.end_ticks / io.latency);
    /* All latencies are there; the slices of the time without a free interval are not. */
    CHECK_INT(histogram_ios(&sleepy.latency[OPERATION_READ]), io.completed);
    CHECK_INT(sleepy.latency[OPERATION_READ].min, 100);
    CHECK_INT(sleepy.latency[OPERATION_READ].max, 100);
    CHECK_INT(sleepy.lossy, 1);
    CHECK(sleepy.taken >= 18 && sleepy.taken < 30);
    CHECK_INT(sleepy.seen.op[OPERATION_READ].ios + w.discarded.op[OPERATION_READ].ios,
              io.completed);
    CHECK(w.discarded.op[OPERATION_READ].ios > 9 * INTERVAL_TICKS / io.latency);
}

/* Two threads: the producer publishes when it can, and otherwise continues in its interval. */
enum { STRESS_IOS = 4000000, STRESS_EVERY = 500 };

static void *produce(void *argument)
{
    struct interval_ring *ring = argument;
    uint64_t index = 0;
    for (unsigned i = 1; i <= STRESS_IOS; i++) {
        struct interval *current = interval_ring_current(ring);
        const enum request_command op = (enum request_command)(i & 1);
        count_io(&current->slices[i % INTERVAL_SLICES], current->latency[op], op, i, 512);
        if (i % STRESS_EVERY == 0 && interval_ring_publish(ring))
            interval_ring_current(ring)->index = ++index;
    }
    while (!interval_ring_publish(ring))
        sched_yield();
    return NULL;
}

static void check_stress(unsigned capacity)
{
    static struct interval_histogram latency[OPERATIONS];
    struct interval_ring ring;
    pthread_t thread;
    size_t mark = arena_mark(&arena);
    CHECK_INT(interval_ring_init(&ring, capacity, OPERATION_SET_ALL, false, &arena), 0);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&latency[op]);
    struct slice total = {0};
    uint64_t next = 0, ios = 0, out_of_order = 0;
    CHECK_INT(pthread_create(&thread, NULL, produce, &ring), 0);
    while (ios < STRESS_IOS) {
        const struct interval *oldest = interval_ring_peek(&ring);
        if (!oldest) {
            sched_yield();
            continue;
        }
        out_of_order += oldest->index != next++;
        for (int k = 0; k < INTERVAL_SLICES; k++)
            slice_add(&total, &oldest->slices[k]);
        for (int op = 0; op < OPERATIONS; op++)
            interval_histogram_add(&latency[op], oldest->latency[op]);
        ios = total.op[OPERATION_READ].ios + total.op[OPERATION_WRITE].ios;
        interval_ring_release(&ring);
    }
    pthread_join(thread, NULL);
    CHECK_INT(out_of_order, 0);
    CHECK_INT(ios, STRESS_IOS);
    const struct interval *last = interval_ring_peek(&ring); /* none, or one that stayed empty */
    CHECK(!last || histogram_ios(last->latency[OPERATION_READ]) == 0);
    CHECK_INT(histogram_ios(&latency[OPERATION_SYNC]), 0);
    for (int op = REQUEST_READ; op <= REQUEST_WRITE; op++) {
        CHECK_INT(histogram_ios(&latency[op]), STRESS_IOS / 2);
        CHECK_INT(latency[op].min, op ? 1 : 2);
        CHECK_INT(latency[op].max, STRESS_IOS - (op ? 1 : 0));
        CHECK_INT(total.op[op].bytes, (uint64_t)STRESS_IOS / 2 * 512);
    }
    arena_reset(&arena, mark);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena, 16 << 20, &e), 0);
    check_slices_and_histograms();
    check_order(2);
    check_order(3);
    check_order(32);
    check_full_ring();
    check_stress(2);
    check_stress(8);
    arena_free(&arena);
    return check_result();
}
