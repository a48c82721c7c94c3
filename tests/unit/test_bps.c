/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BPS through worker, collector and judge, on a target that stalls once for 2.45 s, in simulated
 * time. One request is always in flight, so BPS is 8 times the IOPS over any time: the whole, and
 * every part of it, wherever the stall lies relative to the slices.
 */
#include "check.h"
#include "fake_io.h"
#include "run/loop/internal.h"
#include "run/loop/worker_group.h"
#include "run/result/session_judgement.h"

enum {
    LATENCY = 200000,
    SLICE = 10000000,
    SECOND = 1000000000,
    STALL = 2450000000u,
    SECONDS = 10,
    DRAIN_EVERY = 50,
};

static struct arena arena;
static struct contents contents;
static struct collector collector;
static struct worker worker;
static struct clock clock_of_test;

/* A backend that stalls, and that runs the collector now and then, as between a worker's I/Os. */
struct stalled {
    uint64_t at;
    bool over;
    unsigned turns;
};

static void take_batches(void)
{
    collector_drain_records(&collector);
    for (const struct batch *b; (b = collector_next(&collector));)
        measurement_add(&contents.measurement, b);
}

static void before_completion(struct fake_io *io)
{
    struct stalled *s = io->context;
    bool now = !s->over && io->now >= s->at;
    io->latency = now ? STALL : LATENCY;
    s->over |= now;
    if (s->turns++ % DRAIN_EVERY == 0)
        take_batches();
}

/* Runs one round. If `shared`, the collector reads the worker's records, as for several workers;
   otherwise the worker's own sums of busy time are used. */
static void run_round(uint64_t stall_at, bool shared)
{
    struct err e;
    struct plan plan;
    struct stalled stalled = {.at = stall_at};
    struct fake_io io = {.latency = LATENCY, .before = before_completion, .context = &stalled};
    struct round_order order = {
        .end_ticks = (uint64_t)SECONDS * SECOND, .slice_ticks = SLICE, .recording = true};
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&contents, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&contents.plan);
    contents.measurement.slice_seconds = SLICE * 1e-9;
    CHECK_INT(measurement_begin_round(&contents.measurement, false, 0, &e), 0);
    plan_init(&plan);
    memset(&worker, 0, sizeof worker);
    CHECK_INT(worker_init(&worker, &plan, 4096, 32, 512, &arena), 0);
    worker.clock = &clock_of_test;
    worker.ops = &fake_ops;
    worker.backend = (struct io_backend){.ops = &fake_ops, .state = &io};
    worker.order = &order;
    worker.running = true;
    worker.records.shared = shared;
    workload_init(&worker.workload, &plan, 1 << 20, 0, worker.setup.buffers, 4096);
    collector = (struct collector){
        .workers = &worker, .count = 1, .clock = &clock_of_test, .block_size = 4096};
    collector_begin_round(&collector, &order);
    pump_round(&worker);
    worker.running = false;
    take_batches();
    CHECK_INT(worker.lost, 0);
    CHECK_INT(contents.measurement.lost_slices, 0);
}

/* Returns B / T of the slices [begin, end), and in from_iops the same computed from completed I/Os.
 */
static double bps_of(size_t begin, size_t end, double *from_iops)
{
    const struct measurement *m = &contents.measurement;
    struct slice sum = {0};
    for (size_t i = begin; i < end; i++)
        slice_add(&sum, &m->slices[i]);
    *from_iops = (double)sum.op[OPERATION_READ].ios * 8 / ((double)(end - begin) * SLICE * 1e-9);
    return (double)sum.asked_bytes / 512 / ((double)sum.busy_ns * 1e-9);
}

static void check_stall(uint64_t at, bool shared)
{
    static struct judged j;
    double from_iops;
    run_round(at, shared);
    CHECK(contents.measurement.slice_count >= SECONDS * 100 - 1);
    /* The simulated round has no end on the real clock: slices after its end are left out here. */
    size_t n = contents.measurement.slice_count = SECONDS * 100 - 1;
    size_t first = (size_t)(at / SLICE) - 1, last = (size_t)((at + STALL) / SLICE) - 1;
    double bps = bps_of(0, n, &from_iops);
    CHECK_NEAR(bps, 8 / 200e-6 * (1 - STALL / (SECONDS * 1e9)), 2e-3);
    CHECK_NEAR(bps, from_iops, 1e-9);
    CHECK_NEAR(bps_of(0, first, &from_iops), 40000, 1e-3);
    CHECK_NEAR(bps_of(last + 1, n, &from_iops), 40000, 1e-3);
    bps = bps_of(first - 20, first + 20, &from_iops); /* the first half of the stall */
    CHECK_NEAR(bps, from_iops, 1e-9);
    CHECK_NEAR(bps, 20000, 5e-2);
    for (size_t i = first + 1; i < last; i++) {
        CHECK_INT(contents.measurement.slices[i].busy_ns, SLICE);
        CHECK_INT(contents.measurement.slices[i].asked_bytes, 0);
    }
    judge_session(&contents, &j);
    CHECK_NEAR(j.bps.mean, 8 * j.iops[OPERATION_READ].mean, 1e-3);
}

/*
 * Two at a time: B is in flight again a moment (10 ticks) after it completed, which is no gap
 * because A is in flight. When both complete at once, nothing is in flight until both begin again.
 *
 *   A  [0---------------------------------------3000]      [3500------...
 *   B  [0-------990] [1000-----1990] [2000----2990]  until 3000 as well
 */
static void check_overlap(void)
{
    struct plan plan;
    struct round_order order = {.end_ticks = 100000, .slice_ticks = 1000, .recording = true};
    arena_reset(&arena, 0);
    plan_init(&plan);
    plan.iodepth = 2;
    memset(&worker, 0, sizeof worker);
    CHECK_INT(worker_init(&worker, &plan, 4096, 32, 512, &arena), 0);
    worker.clock = &clock_of_test;
    worker.ops = &io_uring;
    worker.order = &order;
    workload_init(&worker.workload, &plan, 1 << 20, 0, worker.setup.buffers, 4096);
    account_begin_round(&worker);
    const struct io_done first[] = {{.t_sub = 0, .t_cpl = 990, .bytes = 4096, .slot = 1},
                                    {.t_sub = 1000, .t_cpl = 1990, .bytes = 4096, .slot = 1}};
    const struct io_done second[] = {{.t_sub = 2000, .t_cpl = 2990, .bytes = 4096, .slot = 1},
                                     {.t_sub = 0, .t_cpl = 2990, .bytes = 4096}};
    const struct io_done third[] = {{.t_sub = 3500, .t_cpl = 4200, .bytes = 4096},
                                    {.t_sub = 3500, .t_cpl = 6100, .bytes = 4096, .slot = 1}};
    account_completions(&worker, first, 2);
    account_completions(&worker, second, 2);
    worker.was_idle = true; /* as the loop says */
    account_completions(&worker, third, 2);
    account_end_round(&worker, 6100);
    const uint64_t busy[] = {1000, 1000, 990, 500, 1000, 1000, 100, 0, 0, 0};
    for (unsigned k = 0; k < 2; k++) {
        const struct interval *i = interval_ring_peek(&worker.intervals);
        CHECK(i != NULL);
        for (unsigned n = 0; i && n < INTERVAL_SLICES; n++)
            CHECK_INT(i->busy_ticks[n], busy[k * INTERVAL_SLICES + n]);
        interval_ring_release(&worker.intervals);
    }
}

int main(void)
{
    struct err e;
    clock_of_test = fake_clock();
    CHECK_INT(arena_init(&arena, contents_bytes(OPERATION_SET_ALL, false) + (4 << 20), &e), 0);
    for (unsigned shared = 0; shared < 2; shared++)
        for (uint64_t shift = 0; shift < 50; shift += 7) /* milliseconds */
            check_stall(5ull * SECOND + shift * 1000000, shared);
    contents_free(&contents);
    check_overlap();
    arena_free(&arena);
    return check_result();
}
