/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collector: intervals of two workers in any order become batches in order; stalls are slices
   without I/O; lost slices are dropped and counted; the edges of a round are left out. */
#include "check.h"
#include "fake_io.h"

#include "run/loop/worker_group.h"

enum { WORKERS = 2, SLICE_TICKS = 1000, RECORDS = 1024 };

static struct arena arena;
static struct worker workers[WORKERS];
static struct collector collector;
static struct clock clock_of_test;
static struct round_order order;

static void begin(uint64_t slices)
{
    arena_reset(&arena, 0);
    for (int i = 0; i < WORKERS; i++) {
        struct worker *w = &workers[i];
        memset(w, 0, sizeof *w);
        CHECK_INT(interval_ring_init(&w->intervals, 8, OPERATION_SET_ALL, false, &arena), 0);
        w->records.capacity = RECORDS;
        w->records.shared = true;
        w->records.records = arena_alloc(&arena, RECORDS, sizeof *w->records.records);
        w->running = true;
    }
    order = (struct round_order){
        .begin_ticks = 7777, .end_ticks = 7777 + slices * SLICE_TICKS, .slice_ticks = SLICE_TICKS};
    collector = (struct collector){
        .workers = workers, .count = WORKERS, .clock = &clock_of_test, .block_size = 4096};
    collector_begin_round(&collector, &order);
}

/* Worker `number` publishes the interval `index` with this many reads in each slice. */
static void publish(int number, uint64_t index, bool after_loss, const unsigned ios[])
{
    struct interval *current = interval_ring_current(&workers[number].intervals);
    current->index = index;
    current->after_loss = after_loss;
    for (int i = 0; i < INTERVAL_SLICES; i++)
        for (unsigned k = 0; k < ios[i]; k++)
            count_io(&current->slices[i], current->latency[OPERATION_READ], REQUEST_READ,
                     100 + index, 4096);
    CHECK(interval_ring_publish(&workers[number].intervals));
}

static void stop(int number, uint64_t slice)
{
    workers[number].ended_ticks = order.begin_ticks + slice * SLICE_TICKS;
    workers[number].running = false;
}

static void check_batch(unsigned count, const unsigned ios[], uint64_t lost, uint64_t latencies)
{
    const struct batch *b = collector_next(&collector);
    CHECK(b != NULL);
    if (!b)
        return;
    CHECK_INT(b->slice_count, count);
    for (unsigned i = 0; i < count; i++)
        CHECK_INT(b->slices[i].op[OPERATION_READ].ios, ios[i]);
    CHECK_INT(b->lost_slices, lost);
    CHECK_INT(histogram_ios(&b->latency[OPERATION_READ]), latencies);
}

static void check_nothing(void)
{
    CHECK(collector_next(&collector) == NULL);
}

static const unsigned ones[] = {1, 1, 1, 1, 1}, mixed[] = {10, 20, 30, 40, 50}, none[5];

static void check_order_and_edges(void)
{
    begin(14); /* the last slice of the third interval is after the round's end */
    check_nothing();
    publish(0, 0, false, ones);
    publish(0, 1, false, ones);
    check_nothing(); /* worker 1 may still publish interval 0 */
    publish(1, 0, false, mixed);
    check_batch(4, (unsigned[]){21, 31, 41, 51}, 0, 155); /* the first slice is left out */
    check_nothing();
    publish(1, 2, false, mixed); /* no I/O in interval 1 */
    check_batch(5, ones, 0, 5);
    check_nothing();
    publish(0, 2, false, ones);
    stop(0, 15);
    stop(1, 15);
    check_batch(4, (unsigned[]){11, 21, 31, 41}, 0, 155); /* slices after the end are left out */
    check_nothing();
    CHECK_INT(collector.total.op[OPERATION_READ].ios, 155 + 5 + 155);
    CHECK_INT(collector.total.op[OPERATION_READ].bytes, 315 * 4096);
}

static void check_stall(void)
{
    begin(100);
    publish(0, 0, false, mixed);
    publish(1, 0, false, none);
    check_batch(4, mixed + 1, 0, 150);
    publish(0, 4, false, ones); /* no completion during intervals 1, 2 and 3 */
    check_nothing();
    publish(1, 4, false, ones);
    for (int i = 0; i < 3; i++)
        check_batch(5, none, 0, 0);
    check_batch(5, (unsigned[]){2, 2, 2, 2, 2}, 0, 10);
    check_nothing();
}

static void check_one_ends_early(void)
{
    begin(20);
    publish(0, 0, false, ones);
    stop(0, 20);
    publish(1, 0, false, ones);
    publish(1, 1, false, mixed);
    check_batch(4, (unsigned[]){2, 2, 2, 2}, 0, 10);
    check_batch(5, mixed, 0, 150); /* a worker that has ended is not waited for */
    check_nothing();
    stop(1, 20);
    check_nothing();
}

static void check_loss(void)
{
    begin(100);
    publish(0, 0, false, ones);
    publish(1, 0, false, ones);
    check_batch(4, (unsigned[]){2, 2, 2, 2}, 0, 10);
    publish(0, 1, false, mixed); /* also has the latencies of the lost time */
    publish(0, 3, true, mixed);
    for (uint64_t i = 1; i <= 4; i++)
        publish(1, i, false, ones);
    check_batch(5, (unsigned[]){11, 21, 31, 41, 51}, 0, 155);
    check_batch(0, none, 5, 5);   /* interval 2 of worker 0 was lost */
    check_batch(0, none, 5, 155); /* 3 began late, so half of it may be missing */
    publish(0, 4, false, ones);
    check_batch(5, (unsigned[]){2, 2, 2, 2, 2}, 0, 10);
    CHECK_INT(collector.total.op[OPERATION_READ].ios, 10 + 155 + 5 + 155 + 10);
}

/* A round that ends early: I/O in slices that were not complete counts only in the totals. */
static void check_early_end(void)
{
    begin(100);
    publish(0, 0, false, ones);
    publish(1, 0, false, ones);
    check_batch(4, (unsigned[]){2, 2, 2, 2}, 0, 10);
    collector_end_round(&collector, order.begin_ticks + 8 * SLICE_TICKS + SLICE_TICKS / 2);
    collector_end_round(&collector, order.begin_ticks + 60 * SLICE_TICKS); /* later: no change */
    publish(0, 1, false, mixed);
    publish(1, 1, false, (unsigned[]){1, 1, 1, 1, 0});
    stop(0, 9);
    stop(1, 9);
    check_batch(3, (unsigned[]){11, 21, 31}, 0, 154);
    check_nothing();
    CHECK_INT(collector.total.op[OPERATION_READ].ios, 164);

    begin(100); /* when one worker dies, its share is missing from then on */
    publish(0, 0, false, ones);
    stop(0, 3);
    publish(1, 0, false, ones);
    publish(1, 1, false, ones);
    check_batch(2, (unsigned[]){2, 2}, 0, 10);
    check_batch(0, none, 0, 5);
    CHECK_INT(collector.total.op[OPERATION_READ].ios, 15);
}

static void put_record(int number, uint64_t t_sub, uint64_t t_cpl)
{
    struct record_ring *ring = &workers[number].records;
    uint64_t head = ring->head;
    ring->records[head % RECORDS] = (struct io_done){
        .t_sub = order.begin_ticks + t_sub, .t_cpl = order.begin_ticks + t_cpl, .bytes = 4096};
    ring->head = head + 1;
}

/* The busy intervals of a batch add up to its slices' busy time. */
static void check_sums(const struct batch *b)
{
    uint64_t of_slices = 0, of_stretches = 0;
    for (unsigned i = 0; i < b->slice_count; i++)
        of_slices += b->slices[i].busy_ns;
    for (unsigned i = 0; i < b->stretch_count; i++) {
        const struct batch_stretch *s = &b->stretches[i];
        CHECK(s->busy_ns > 0 && s->busy_ns <= s->end_ns - s->begin_ns);
        CHECK(!i || s->begin_ns >= s[-1].end_ns);
        of_stretches += s->busy_ns;
    }
    CHECK_INT(of_stretches, of_slices);
}

/* The next batch has these busy intervals. */
static void check_stretches(unsigned count, const struct batch_stretch expected[])
{
    const struct batch *b = collector_next(&collector);
    CHECK(b != NULL);
    if (!b)
        return;
    check_sums(b);
    CHECK_INT(b->stretch_count, count);
    for (unsigned i = 0; i < count && i < b->stretch_count; i++) {
        CHECK_INT(b->stretches[i].begin_ns, expected[i].begin_ns);
        CHECK_INT(b->stretches[i].end_ns, expected[i].end_ns);
        CHECK_INT(b->stretches[i].busy_ns, expected[i].busy_ns);
    }
}

/* The slices of the next batch have these requested bytes and this busy time. */
static void check_busy(const uint64_t asked[], const uint64_t busy_ns[])
{
    const struct batch *b = collector_next(&collector);
    CHECK(b != NULL);
    if (b)
        check_sums(b);
    for (unsigned i = 0; b && i < b->slice_count; i++) {
        CHECK_INT(b->slices[i].asked_bytes, asked[i]);
        CHECK_INT(b->slices[i].busy_ns, busy_ns[i]);
    }
}

/*
 * Records of two workers. Slices of 1000 ticks; the first slice is left out:
 *
 *        1000      2000      3000      4000      5000  ...  10000     11000
 *   0  [500------------2300]                  [4800---------------10200]
 *   1         [1400------------------3500]
 */
static void check_records(void)
{
    begin(100);
    put_record(0, 500, 2300);
    put_record(1, 1400, 3500);
    collector_drain_records(&collector);
    CHECK_INT(collector.records, 2);
    CHECK_INT(workers[0].records.tail, 1);
    interval_ring_current(&workers[0].intervals)->in_flight_since = order.begin_ticks + 4800;
    publish(0, 0, false, ones);
    publish(1, 0, false, ones);
    check_busy((uint64_t[]){0, 4096, 4096, 0}, (uint64_t[]){1000, 1000, 500, 200});
    /* An I/O in flight is busy time in all slices that it spans, and counts as an I/O in its last
       one. */
    put_record(0, 4800, 10200);
    publish(0, 2, false, ones);
    publish(1, 1, false, ones);
    check_busy((uint64_t[]){0, 0, 0, 0, 0}, (uint64_t[]){1000, 1000, 1000, 1000, 1000});
    publish(1, 2, false, ones);
    check_busy((uint64_t[]){4096, 0, 0, 0, 0}, (uint64_t[]){200, 0, 0, 0, 0});

    /* A late record counts as long as its slice is still open. */
    put_record(1, 13000, 16200);
    put_record(1, 14000, 14500);
    publish(0, 3, false, ones);
    publish(1, 3, false, ones);
    check_busy((uint64_t[]){4096, 4096, 0, 0, 0}, (uint64_t[]){1000, 200, 0, 0, 0});

    /* Requests of different lengths: the records' lengths count, in bytes. */
    begin(100);
    collector.block_size = 0;
    put_record(0, 1100, 1200);
    put_record(1, 1200, 1300);
    workers[0].records.records[0].bytes = 256;
    publish(0, 0, false, ones);
    publish(1, 0, false, ones);
    check_busy((uint64_t[]){4096 + 256, 0, 0, 0}, (uint64_t[]){200, 0, 0, 0});

    /* The pause lasts until the rings may be half full, and between 1 and 20 ms. */
    CHECK_INT(collector_pause_ns(&collector, collector.records, 1000000), 20000000);
    collector.records += RECORDS; /* records that fill half of both rings in 5 ms */
    CHECK_INT(collector_pause_ns(&collector, collector.records - RECORDS, 5000000), 5000000);
    collector.records += 1000000;
    CHECK_INT(collector_pause_ns(&collector, collector.records - 1000000, 5000000), 1000000);
}

/* The same records as busy intervals: one across slices and batches, cut where slices are left out.
 */
static void check_records_stretches(void)
{
    begin(100);
    put_record(0, 500, 2300);
    put_record(1, 1400, 3500);
    interval_ring_current(&workers[0].intervals)->in_flight_since = order.begin_ticks + 4800;
    publish(0, 0, false, ones);
    publish(1, 0, false, ones);
    check_stretches(2, (struct batch_stretch[]){{1000, 3500, 2500}, {4800, 5000, 200}});
    put_record(0, 4800, 10200);
    put_record(1, 10400, 10500);
    put_record(0, 10300, 10301);
    publish(0, 2, false, ones);
    publish(1, 1, false, ones);
    check_stretches(1, (struct batch_stretch[]){{0, 5000, 5000}});
    publish(1, 2, false, ones);
    check_stretches(3, (struct batch_stretch[]){{0, 200, 200}, {300, 301, 1}, {400, 500, 100}});
    publish(0, 3, false, ones);
    publish(1, 3, false, ones);
    check_stretches(0, NULL);

    /* A round that ends early: no busy interval in the slices that are left out. */
    begin(100);
    put_record(0, 1100, 1900);
    put_record(1, 1950, 3500);
    publish(0, 0, false, ones);
    publish(1, 0, false, (unsigned[]){1, 1, 0, 0, 0});
    stop(0, 2);
    stop(1, 2);
    check_stretches(2, (struct batch_stretch[]){{1100, 1900, 800}, {1950, 2000, 50}});
}

/* More busy intervals than are kept, with gaps of 1 tick in the first two slices and longer ones
   later: the short gaps are removed. Then more of them before a worker is done than there is room
   for. */
static void check_many_stretches(void)
{
    begin(1000);
    collector.lists[0].gap_min = 1;
    for (uint64_t at = 1000, i = 0; at < 5000; at += at < 3000 ? 4 : 100, i++) {
        put_record((int)(i % 2), at, at + (at < 3000 ? 3 : 20));
        collector_drain_records(&collector);
    }
    publish(0, 0, false, ones);
    publish(1, 0, false, ones);
    const struct batch *b = collector_next(&collector);
    CHECK(b && b->stretch_count <= BATCH_STRETCHES && b->stretch_count >= 20);
    if (!b)
        return;
    check_sums(b);
    const struct batch_stretch *last = &b->stretches[b->stretch_count - 1];
    CHECK_INT(last->begin_ns, 4900);
    CHECK_INT(last->busy_ns, 20);

    begin(5000);
    uint64_t at = 5000;
    for (uint64_t i = 0; i < 3 * BUSY_STRETCHES; i++, at += 50) { /* 100 an interval */
        put_record(0, at, at + 1);
        collector_drain_records(&collector);
    }
    const uint64_t intervals = at / (INTERVAL_SLICES * SLICE_TICKS);
    uint64_t exact = 0, busy = 0;
    for (uint64_t i = 0; i < intervals; i++) {
        publish(0, i, false, ones);
        publish(1, i, false, ones);
        b = collector_next(&collector);
        CHECK(b != NULL);
        if (!b)
            return;
        check_sums(b);
        for (unsigned k = 0; k < b->stretch_count; k++)
            busy += b->stretches[k].busy_ns;
        exact += b->stretch_count > INTERVAL_SLICES;
    }
    /* busy intervals of slices, for batches without exact ones */
    CHECK(exact >= COLLECTOR_LISTS && exact < intervals);
    CHECK(busy >= 3 * BUSY_STRETCHES - 500);
}

/* A worker without records: a slice with gaps is one busy interval, and adjacent full slices are
   one. */
static void check_lone_stretches(void)
{
    begin(100);
    collector.count = 1;
    workers[0].records.shared = false;
    struct interval *current = interval_ring_current(&workers[0].intervals);
    const uint64_t busy[INTERVAL_SLICES] = {400, 1000, 1000, 0, 700};
    memcpy(current->busy_ticks, busy, sizeof busy);
    publish(0, 0, false, ones);
    check_stretches(2, (struct batch_stretch[]){{1000, 3000, 2000}, {4000, 5000, 700}});
}

int main(void)
{
    struct err e;
    clock_of_test = fake_clock();
    CHECK_INT(arena_init(&arena, 8 << 20, &e), 0);
    check_order_and_edges();
    check_stall();
    check_one_ends_early();
    check_loss();
    check_early_end();
    check_records();
    check_records_stretches();
    check_many_stretches();
    check_lone_stretches();
    arena_free(&arena);
    return check_result();
}
