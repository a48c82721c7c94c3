/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suspensions of the program: when the heartbeat detects one, and which intervals of a round it
   makes void. All clocks are simulated. */
#include "check.h"
#include "fake_io.h"

#include "run/loop/worker_group.h"

enum { WORKERS = 2 };
#define MS             UINT64_C(1000000)
#define SLICE_TICKS    (10 * MS)
#define INTERVAL_TICKS (INTERVAL_SLICES * SLICE_TICKS)

static struct arena arena;
static struct worker workers[WORKERS];
static struct collector collector;
static struct clock clock_of_test; /* a tick is a ns */
static struct round_order order;
static struct heartbeat heartbeat;

/* ---- the heartbeat ---- */

static struct heartbeat_beat beat_at(uint64_t ms, uint64_t waited_ms, int64_t slept_ms)
{
    return (struct heartbeat_beat){.begin = ms * MS,
                                   .end = ms * MS + 1000,
                                   .run_delay_ns = waited_ms * MS,
                                   .run_delay_end_ns = waited_ms * MS,
                                   .machine_slept_ns = slept_ms * (int64_t)MS};
}

static bool is_gap(struct heartbeat_beat before, struct heartbeat_beat after)
{
    struct heartbeat_gap gap;
    return heartbeat_is_gap(&clock_of_test, &before, &after, &gap);
}

static void check_gaps(void)
{
    struct heartbeat_beat first = beat_at(1000, 50, 0);
    struct heartbeat_gap gap;
    CHECK(!is_gap(first, beat_at(1020, 50, 0)));
    CHECK(!is_gap(first, beat_at(1100, 50, 0)));
    CHECK(is_gap(first, beat_at(1125, 50, 0)));
    /* other programs used the processors */
    CHECK(!is_gap(first, beat_at(4000, 3000, 0)));
    CHECK(is_gap(first, beat_at(4000, 350, 0)));
    /* the machine slept, whether the counter continued or not */
    CHECK(is_gap(first, beat_at(9000, 50, 8000)));
    struct heartbeat_beat after = beat_at(1021, 50, 8000);
    CHECK(heartbeat_is_gap(&clock_of_test, &first, &after, &gap));
    CHECK_NEAR(gap.seconds, 8, 1e-6);
    CHECK(gap.begin == first.begin && gap.end == after.end);
    /* stopped in the middle of a check; the waiting time does not show it */
    struct heartbeat_beat long_one = beat_at(1000, 50, 0);
    long_one.end += 2000 * MS;
    CHECK(is_gap(long_one, beat_at(3020, 50, 0)));
    long_one.run_delay_end_ns += 2000 * MS;
    CHECK(!is_gap(long_one, beat_at(3020, 2050, 0)));
    /* the counter restarted */
    after = beat_at(3, 50, 0);
    CHECK(heartbeat_is_gap(&clock_of_test, &first, &after, &gap));
    CHECK(gap.end >= gap.begin);
}

/* In real time: on a machine that is awake there is no gap that its load does not explain. */
static void check_thread(void)
{
    struct clock real;
    struct heartbeat live = {0};
    struct err e;
    clock_calibrate(&real, 20, false);
    CHECK_INT(heartbeat_start(&live, &real, &e), 0);
    uint64_t now = clock_ticks(&real);
    heartbeat_wait(&live);
    CHECK(heartbeat_vouched(&live) >= now);
    heartbeat_stop(&live);
    CHECK(!live.started && !atomic_load(&live.clock_went_back));
    heartbeat_stop(&live); /* again: no harm */
}

/* ---- rounds ---- */

static unsigned told;

static void note_gap(void *context, const struct heartbeat_gap *gap)
{
    (void)context;
    (void)gap;
    told++;
}

static void begin(bool one_pass)
{
    arena_reset(&arena, 0);
    order = (struct round_order){.begin_ticks = 7 * MS,
                                 .end_ticks = 7 * MS + 1000 * INTERVAL_TICKS,
                                 .slice_ticks = SLICE_TICKS};
    for (int i = 0; i < WORKERS; i++) {
        struct worker *w = &workers[i];
        memset(w, 0, sizeof *w);
        CHECK_INT(interval_ring_init(&w->intervals, 32, OPERATION_SET_ALL, false, &arena), 0);
        w->order = &order;
        w->running = true;
    }
    memset(&heartbeat, 0, sizeof heartbeat);
    heartbeat.clock = &clock_of_test;
    collector = (struct collector){.workers = workers,
                                   .count = WORKERS,
                                   .clock = &clock_of_test,
                                   .block_size = 4096,
                                   .suspension.heartbeat = &heartbeat};
    collector_begin_round(&collector, &order);
    collector.suspension.ends_round = one_pass;
    collector.suspension.report = note_gap;
    told = 0;
}

/* Publishes an interval with one read per slice, all with the latency of its last one. */
static void publish(int number, uint64_t index, uint64_t latency_ns, unsigned from_slice)
{
    struct interval *current = interval_ring_current(&workers[number].intervals);
    current->index = index;
    for (unsigned i = from_slice; i < INTERVAL_SLICES; i++)
        count_io(&current->slices[i], current->latency[OPERATION_READ], REQUEST_READ, latency_ns,
                 4096);
    CHECK(interval_ring_publish(&workers[number].intervals));
}

static void publish_all(uint64_t index, uint64_t latency_ns)
{
    for (int i = 0; i < WORKERS; i++)
        publish(i, index, latency_ns, 0);
}

static void away(uint64_t from_ms, uint64_t to_ms)
{
    heartbeat.gaps[heartbeat.gap_count++] =
        (struct heartbeat_gap){.begin = order.begin_ticks + from_ms * MS,
                               .end = order.begin_ticks + to_ms * MS,
                               .seconds = (double)(to_ms - from_ms) / 1000};
}

static void vouch(uint64_t ms)
{
    heartbeat.vouched = order.begin_ticks + ms * MS;
}

/* Takes batches until there is none. Returns their number, and that of their slices. */
static unsigned take(unsigned *slices)
{
    unsigned n = 0;
    *slices = 0;
    for (const struct batch *b; (b = collector_next(&collector)); n++)
        *slices += b->slice_count;
    return n;
}

/* Intervals of 50 ms. Suspended from 120 to 1120 ms: intervals 2 to 22 are void. */
static void check_void(void)
{
    unsigned slices;
    begin(false);
    publish_all(0, MS);
    publish_all(1, MS);
    CHECK_INT(take(&slices), 0); /* that time is not yet confirmed */
    vouch(110);
    CHECK_INT(take(&slices), 2);
    CHECK_INT(slices, 9);
    publish_all(2, MS);
    away(120, 1120);
    vouch(1120);
    CHECK_INT(take(&slices), 0); /* a worker may have continued */
    publish(0, 22, 1000 * MS, 3);
    CHECK_INT(take(&slices), 0);
    publish(1, 22, 1000 * MS, 3);
    CHECK_INT(take(&slices), 0);
    CHECK_INT(collector.next_interval, 22); /* 22 is not confirmed to its end */
    CHECK_INT(told, 1);
    /* 23 begins 30 ms after the gap, and has I/O that was in flight for 60 ms */
    vouch(5000);
    publish_all(23, 60 * MS);
    CHECK_INT(take(&slices), 0);
    publish_all(24, 60 * MS); /* 24 begins 80 ms after it */
    CHECK_INT(take(&slices), 1);
    publish_all(25, 400 * MS); /* later intervals are no longer checked */
    CHECK_INT(take(&slices), 1);
    CHECK_INT(slices, 5);
    CHECK_INT(collector.suspension.count, 1);
    CHECK_INT(collector.suspension.void_ticks, 22 * INTERVAL_TICKS);
    CHECK_INT(collector.total.op[OPERATION_READ].ios, 2 * 4 * 5);
    CHECK_INT(collector.void_bytes, 2 * (5 + 2 + 5) * 4096);
}

/* I/O in flight completes long after the suspension: the time until then is not the target's. */
static void check_in_flight(void)
{
    unsigned slices;
    begin(false);
    vouch(5000);
    publish_all(0, MS);
    away(60, 260);
    publish_all(12, 590 * MS); /* nothing in 6 to 11 */
    publish_all(13, MS);
    CHECK_INT(take(&slices), 2);
    CHECK_INT(slices, 4 + 5);
    CHECK_INT(collector.suspension.void_ticks, 12 * INTERVAL_TICKS);
}

/* Only the heartbeat was late: a worker completed I/O all the time. */
static void check_progress(void)
{
    unsigned slices;
    begin(false);
    away(120, 320);
    vouch(5000);
    for (uint64_t i = 0; i < 8; i++) {
        publish(0, i, MS, 0);
        if (i < 2 || i == 7)
            publish(1, i, MS, 0);
    }
    CHECK_INT(take(&slices), 8);
    CHECK_INT(told, 0);
    CHECK_INT(collector.suspension.void_ticks, 0);
}

/* A target that stalls while the heartbeat continues is measured. */
static void check_stall(void)
{
    unsigned slices;
    begin(false);
    vouch(5000);
    publish_all(0, MS);
    publish_all(20, 900 * MS);
    CHECK_INT(take(&slices), 21);
    CHECK_INT(slices, 21 * 5 - 1);
    CHECK_INT(told, 0);
}

/* In a single pass nothing after it counts, and failures are still reported. */
static void check_one_pass(void)
{
    unsigned slices;
    begin(true);
    vouch(5000);
    publish_all(0, MS);
    away(60, 260);
    workers[0].intervals.intervals[1].slices[4].op[OPERATION_WRITE].errors = 3;
    publish_all(5, MS);
    publish_all(6, MS);
    publish_all(40, MS);
    CHECK_INT(take(&slices), 1);
    CHECK_INT(told, 1);
    CHECK_INT(collector.total.op[OPERATION_READ].ios, 10);
    CHECK_INT(collector.total.op[OPERATION_WRITE].errors, 3);
}

/* A suspension that ended before the round began does not affect it. */
static void check_before(void)
{
    unsigned slices;
    begin(false);
    away(0, 10);
    heartbeat.gaps[0].begin = 1;
    vouch(5000);
    publish_all(0, MS);
    publish_all(1, MS);
    CHECK_INT(take(&slices), 2);
    CHECK_INT(told, 0);
}

int main(void)
{
    struct err e;
    clock_calibrate(&clock_of_test, 1, true);
    CHECK_INT(arena_init(&arena, 64 << 20, &e), 0);
    check_gaps();
    check_thread();
    check_void();
    check_in_flight();
    check_progress();
    check_stall();
    check_one_pass();
    check_before();
    arena_free(&arena);
    return check_result();
}
