/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets up all workers, runs a round with them, and stops them. */
#include "run/loop/worker_group.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "io/nvme/device_failures.h"
#include "run/loop/clock_skew.h"
#include "run/loop/placement.h"

/* Up to this number of requests per second, the busy stretches of a single worker (times with I/O
   in flight) are found from its records. For a worker that sends as fast as it can, the busy time
   of its slices is enough. */
#define LISTED_RATE_MAX 100000.0

/* I/O that has not completed this long after a round's end is stuck */
#define STUCK_SECONDS 30.0
/* the same limit after the user has asked to stop */
#define STUCK_SECONDS_STOPPED 5.0

/* If more time passes between two checks, the program was stopped in between, and only this much of
   the time counts. */
#define STUCK_STEP_SECONDS 0.5

/* All rings together use at most about 100 MiB, independent of the number of workers. */
#define RING_RECORDS_TOTAL ((uint64_t)1 << 20)
#define RING_RECORDS_MAX   ((uint64_t)1 << 17)
#define RING_RECORDS_MIN   ((uint64_t)1 << 11)
#define RING_RECORDS_ALONE ((uint64_t)1 << 9)
/* Number of requests, of 32 bytes each, in all rings of finished requests together. They store the
   requests that complete while the disk of the trace delays its writer. */
#define RING_FINISHED_TOTAL ((uint64_t)1 << 20)
#define RING_FINISHED_MAX   ((uint64_t)1 << 17)
#define RING_INTERVALS      32u
#define RING_INTERVALS_FEW  8u

/* A timed round begins this long after it was ordered. */
#define TIMED_AHEAD_NS 1000000u

static uint64_t ring_records(const struct plan *plan)
{
    if (plan->jobs == 1)
        return RING_RECORDS_ALONE;
    uint64_t records = RING_RECORDS_MAX;
    while (records > RING_RECORDS_MIN && records * plan->jobs > RING_RECORDS_TOTAL)
        records /= 2;
    return records;
}

static uint64_t ring_finished(const struct plan *plan)
{
    uint64_t requests = RING_FINISHED_MAX;
    while (requests > 1 && requests * plan->jobs > RING_FINISHED_TOTAL)
        requests /= 2;
    return plan->completions[0] ? requests : 0;
}

static unsigned ring_intervals(const struct plan *plan)
{
    return plan->jobs > 32 ? RING_INTERVALS_FEW : RING_INTERVALS;
}

/* Trims have no data; their buffers hold ranges. */
static size_t buffer_stride(const struct plan *plan)
{
    if (plan->trims == TRIMS_ALONE)
        return 2 * IO_RANGES_AT;
    return ((size_t)plan->block_size + 4095) / 4096 * 4096;
}

unsigned jobs_kept(const struct plan *plan)
{
    if (plan->jobs == 1 || !(plan->statistics.period_seconds > 0))
        return 0;
    return plan->jobs < MEASUREMENT_JOBS ? plan->jobs : MEASUREMENT_JOBS;
}

size_t group_bytes(const struct plan *plan)
{
    return arena_bytes(plan->jobs, sizeof(struct worker)) +
           arena_bytes(1, sizeof(struct collector)) +
           (plan_is_timed(plan) ? interval_timing_bytes(1, plan_operations(plan)) : 0) +
           arena_bytes((size_t)jobs_kept(plan) * OPERATIONS, sizeof(struct interval_histogram)) +
           arena_bytes(plan_request_kinds(plan).count, sizeof(struct kind_latency)) +
           plan->jobs *
               (worker_bytes(plan, buffer_stride(plan), ring_intervals(plan), ring_records(plan)) +
                arena_bytes(ring_finished(plan), sizeof(struct finished_request)) +
                arena_bytes(1, sizeof(struct write_maker)) + ARENA_ALIGNMENT * 8);
}

static int init_worker(struct group *g, const struct group_setup *setup, unsigned number,
                       struct arena *arena, struct err *e)
{
    struct worker *w = &g->workers[number];
    const struct plan *plan = setup->plan;
    size_t stride = buffer_stride(plan);
    if (worker_init(w, plan, stride, ring_intervals(plan), ring_records(plan), arena))
        return err_no_memory(e, "worker %u", number);
    if (setup->traced) {
        w->traced.capacity = ring_finished(plan);
        w->traced.at = arena_alloc(arena, w->traced.capacity, sizeof *w->traced.at);
        if (!w->traced.at)
            return err_no_memory(e, "the trace of worker %u", number);
    }
    w->number = number;
    w->clock = setup->clock;
    w->ops = setup->ops;
    w->carriers = setup->carriers;
    w->order = &g->order;
    w->records.shared =
        plan->jobs > 1 || (plan->rate_iops > 0 && plan->rate_iops <= LISTED_RATE_MAX);
    /* A real-time worker would keep the kernel thread that takes its requests from running. */
    w->realtime = plan->realtime && setup->sqpoll != IO_ON;
    w->setup.clock = setup->clock;
    w->setup.fd = setup->fds ? setup->fds[number] : setup->fd;
    w->setup.pass = number == 0 || setup->fds ? setup->pass : IO_PASS_AS_IT_IS;
    w->setup.pass_begin = plan->offset;
    w->setup.direct = setup->direct;
    w->setup.block_device = setup->block_device;
    w->setup.nvme = setup->nvme;
    w->setup.scsi = setup->scsi;
    w->setup.peer = setup->peer;
    w->setup.script = plan->script[0] ? plan->script : NULL;
    w->setup.seed = plan->seed + number;
    w->setup.sqpoll = setup->sqpoll;
    int kernel_cpu = placement_kernel_cpu(plan, number);
    w->setup.sqpoll_placed = kernel_cpu >= 0;
    w->setup.sqpoll_cpu = kernel_cpu >= 0 ? (unsigned)kernel_cpu : 0;
    w->setup.iopoll = setup->iopoll;
    w->setup.workers = plan->jobs;
    w->setup.entries = plan->entries;
    w->setup.entry_bytes = plan->size;
    workload_init(&w->workload, plan, setup->region, number, w->setup.buffers, stride);
    if (plan->trims == TRIMS_BEFORE_WRITES) {
        w->workload.trimmed = arena_alloc(arena, plan->iodepth, sizeof *w->workload.trimmed);
        if (!w->workload.trimmed)
            return err_no_memory(e, "worker %u", number);
    }
    w->workload.slice_end = &w->slice_end;
    w->ledger = setup->ledger;
    w->workload.stamped = setup->ledger != NULL || io_is_without_data(setup->ops);
    if (setup->zones)
        workload_use_zones(&w->workload, plan, setup->zones, number);
    if (setup->content) {
        w->workload.maker = arena_alloc(arena, 1, sizeof *w->workload.maker);
        if (!w->workload.maker)
            return err_no_memory(e, "worker %u", number);
        write_maker_init(w->workload.maker, setup->content, number);
    }
    if (setup->source)
        w->source = setup->source(setup->source_context, number);
    return placement_choose(plan, setup->first_processor + number, &w->cpu, e);
}

int group_init(struct group *g, const struct group_setup *setup, struct arena *arena, struct err *e)
{
    const bool moves_none = setup->ops->action || setup->ops->resizes;
    *g = (struct group){.count = setup->plan->jobs, .clock = setup->clock};
    g->workers = arena_alloc(arena, g->count, sizeof *g->workers);
    g->collector = arena_alloc(arena, 1, sizeof *g->collector);
    if (!g->workers || !g->collector)
        return err_no_memory(e, "%u workers", g->count);
    *g->collector =
        (struct collector){.workers = g->workers,
                           .count = g->count,
                           .clock = setup->clock,
                           .whole = setup->source != NULL || plan_is_one_pass(setup->plan),
                           .suspension.heartbeat = setup->heartbeat,
                           .moves_none = moves_none,
                           .block_size = moves_none ? 0 : plan_request_bytes(setup->plan)};
    if (setup->source) { /* requests with due times have different lengths */
        g->collector->block_size = 0;
        g->collector->batch.timing = interval_timing_new(1, plan_operations(setup->plan), arena);
        if (!g->collector->batch.timing)
            return err_no_memory(e, "%u workers", g->count);
    }
    struct batch *batch = &g->collector->batch;
    batch->job_count = jobs_kept(setup->plan);
    batch->jobs = arena_alloc(arena, (size_t)batch->job_count * OPERATIONS, sizeof *batch->jobs);
    batch->kind_count = plan_request_kinds(setup->plan).count;
    batch->kinds = arena_alloc(arena, batch->kind_count, sizeof *batch->kinds);
    if ((batch->job_count && !batch->jobs) || (batch->kind_count && !batch->kinds))
        return err_no_memory(e, "%u workers", g->count);
    for (unsigned i = 0; i < g->count; i++)
        if (init_worker(g, setup, i, arena, e))
            return -1;
    return 0;
}

int group_start(struct group *g, struct err *e)
{
    /* Several timed workers share one schedule, so the differences of their processors' clocks are
       measured. Each processor is measured once, even if it has several workers. */
    int cpus[PLAN_JOBS_MAX];
    int64_t skew[PLAN_JOBS_MAX];
    uint64_t within[PLAN_JOBS_MAX];
    unsigned n = 0, which[PLAN_JOBS_MAX] = {0};
    for (unsigned i = 0; i < g->count && g->workers[0].timed; i++) {
        unsigned k = 0;
        while (k < n && cpus[k] != g->workers[i].cpu)
            k++;
        if (k == n)
            cpus[n++] = g->workers[i].cpu;
        which[i] = k;
    }
    if (n > 1)
        clock_skew_measure(g->clock, cpus, n, skew, within);
    for (unsigned i = 0; i < g->count && n > 1; i++) {
        g->workers[i].skew_ns = skew[which[i]];
        g->workers[i].skew_within_ns = within[which[i]];
    }
    for (unsigned i = 0; i < g->count; i++)
        if (worker_start(&g->workers[i], e)) {
            group_stop(g);
            return -1;
        }
    return 0;
}

void group_stop(struct group *g)
{
    /*
     * All workers end at the same time, because backends whose target hangs take seconds to close.
     */
    for (unsigned i = 0; i < g->count; i++)
        worker_ask_to_end(&g->workers[i]);
    for (unsigned i = 0; i < g->count; i++)
        worker_stop(&g->workers[i]);
}

static bool any_running(const struct group *g)
{
    for (unsigned i = 0; i < g->count; i++)
        if (atomic_load_explicit(&g->workers[i].running, memory_order_acquire))
            return true;
    return false;
}

static void pass_batches(struct group *g, const struct round_request *request)
{
    collector_drain_records(g->collector);
    for (const struct batch *b; (b = collector_next(g->collector));)
        if (request->on_batch)
            request->on_batch(request->context, b);
}

/* Converts seconds to ticks. Negative lengths give 0: a plain conversion would make them very long.
 */
static uint64_t ticks_of(const struct group *g, double seconds)
{
    return seconds > 0 ? clock_ticks_of_ns(g->clock, (uint64_t)(seconds * 1e9)) : 0;
}

static double seconds_since(const struct group *g, uint64_t ticks)
{
    uint64_t now = clock_ticks(g->clock);
    return now > ticks ? (double)clock_ns(g->clock, now - ticks) * 1e-9 : 0;
}

/* Returns true if a worker has stopped early (its device is gone), which ends the round for all. A
   worker without further requests has not stopped. */
static bool any_halted(const struct group *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        struct worker *w = &g->workers[i];
        if (atomic_load_explicit(&w->halt, memory_order_relaxed))
            return true;
        if (!atomic_load_explicit(&w->running, memory_order_acquire) &&
            !atomic_load_explicit(&w->exhausted, memory_order_relaxed))
            return true;
    }
    return false;
}

/* Returns the longest time that any worker has excluded from its round, in seconds. */
static double seconds_aside(const struct group *g)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < g->count; i++) {
        uint64_t own = atomic_load_explicit(&g->workers[i].backend.aside, memory_order_relaxed);
        most = own > most ? own : most;
    }
    return (double)clock_ns(g->clock, most) * 1e-9;
}

static bool clock_went_back(const struct group *g)
{
    const struct heartbeat *heartbeat = g->collector->suspension.heartbeat;
    return heartbeat && atomic_load(&heartbeat->clock_went_back);
}

void group_end_round(struct group *g, double elapsed_seconds)
{
    const uint64_t end = g->order.begin_ticks + ticks_of(g, elapsed_seconds);
    if (end >= round_end(&g->order))
        return;
    atomic_store_explicit(&g->order.end_ticks, end, memory_order_relaxed);
    /* with one worker, its last slice is kept; with several, the slice that contains the end is
       left out, as at the planned end (collector_begin_round) */
    if (g->count > 1)
        collector_end_round(g->collector, end);
}

static double planned_seconds(const struct group *g)
{
    return (double)clock_ns(g->clock, round_end(&g->order) - g->order.begin_ticks) * 1e-9;
}

/* Takes the workers' measurements until all of them have finished. Returns false if some never
   will. */
static bool serve_workers(struct group *g, const struct round_request *request)
{
    uint64_t pause_ns = 1000000;
    double overdue = 0, before = 0, halted_at = INFINITY;
    while (any_running(g)) {
        uint64_t records_before = g->collector->records;
        struct timespec pause = {.tv_nsec = (long)pause_ns};
        nanosleep(&pause, NULL);
        pass_batches(g, request);
        pause_ns = collector_pause_ns(g->collector, records_before, pause_ns);

        double elapsed = fmax(seconds_since(g, g->order.begin_ticks) - seconds_aside(g), 0);
        if (request->on_pause)
            request->on_pause(request->context, elapsed);
        bool stopped = request->stop && *request->stop;
        /* After a suspension, further requests no longer belong to the single pass. */
        const struct suspension *s = &g->collector->suspension;
        if (stopped || (s->ends_round && s->count) || any_halted(g)) {
            for (unsigned i = 0; i < g->count; i++)
                atomic_store_explicit(&g->workers[i].halt, true, memory_order_relaxed);
            collector_end_round(g->collector, clock_ticks(g->clock));
            if (elapsed < halted_at)
                halted_at = elapsed;
        }
        halted_at = fmin(halted_at, planned_seconds(g));
        /* Counts only time in which this thread was awake, because workers that were stopped with
           it had no time either. */
        overdue += elapsed > halted_at ? fmin(elapsed - before, STUCK_STEP_SECONDS) : 0;
        before = elapsed;
        if (overdue > (stopped ? STUCK_SECONDS_STOPPED : STUCK_SECONDS) || clock_went_back(g))
            return false;
    }
    return true;
}

static void sum_up_round(struct group *g, struct round_outcome *outcome)
{
    uint64_t ended = g->order.begin_ticks, cpu_ns = 0;
    for (unsigned i = 0; i < g->count; i++) {
        struct worker *w = &g->workers[i];
        uint64_t worker_ended = atomic_load(&w->ended_ticks);
        if (worker_ended > ended)
            ended = worker_ended;
        cpu_ns += w->cpu_ns;
        outcome->counted += w->counted;
        slice_add(&g->collector->total, &w->discarded);
    }
    const struct suspension *s = &g->collector->suspension;
    uint64_t void_ticks = s->void_ticks - (s->void_end > ended ? s->void_end - ended : 0);
    outcome->seconds = (double)clock_ns(g->clock, ended - g->order.begin_ticks - void_ticks) * 1e-9;
    outcome->suspensions = s->count;
    outcome->void_bytes = g->collector->void_bytes;
    outcome->cpu_seconds = (double)cpu_ns * 1e-9;
    outcome->aside_seconds = seconds_aside(g);
    if (g->count > 1 && ended > round_end(&g->order))
        outcome->overrun_seconds = (double)clock_ns(g->clock, ended - round_end(&g->order)) * 1e-9;
    outcome->total = g->collector->total;
    for (int op = 0; op < OPERATIONS && g->collector->block_size; op++)
        if (operation_has_bytes(op))
            outcome->total.op[op].bytes = outcome->total.op[op].ios * g->collector->block_size;
}

/*
 * Sets the wall clock's time of slice 0, which begins before the round, at a multiple of the
 * interval's length since 1970. For requests with due times, slice 0 begins with the round, because
 * the phases of their schedule begin then.
 */
static void set_on_wall_clock(struct group *g, double slice_seconds, bool timed)
{
    struct timespec now;
    const struct round_order *order = &g->order;
    uint64_t length_ns = (uint64_t)(INTERVAL_SLICES * slice_seconds * 1e9 + 0.5), before_ns;
    g->order.interval_ns = length_ns;
    g->order.lead_ticks = g->order.wall_ns = 0;
    if (clock_gettime(CLOCK_REALTIME, &now) || now.tv_sec <= 0 || !length_ns)
        return;
    uint64_t ticks = clock_ticks(g->clock);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    g->order.wall_ns = order->begin_ticks > ticks
                           ? now_ns + clock_ns(g->clock, order->begin_ticks - ticks)
                           : now_ns - clock_ns(g->clock, ticks - order->begin_ticks);
    before_ns = g->order.wall_ns % length_ns;
    uint64_t lead = clock_ticks_of_ns(g->clock, before_ns);
    if (timed || lead >= order->begin_ticks)
        return;
    g->order.lead_ticks = lead;
    g->order.wall_ns -= before_ns;
}

/* Rounds of requests with due times begin later, so that the threads have time to wake up. */
uint64_t group_ahead_ns(const struct group *g)
{
    const struct request_source_ops *source = g->workers[0].source.ops;
    return source && !source->at_once ? TIMED_AHEAD_NS : 0;
}

int group_run_round(struct group *g, const struct round_request *request,
                    struct round_outcome *outcome, struct err *e)
{
    *outcome = (struct round_outcome){0};
    g->order.recording = request->recording;
    g->order.counts = request->counts;
    g->order.traced = request->traced;
    g->order.slice_ticks = ticks_of(g, request->slice_seconds);
    g->order.begin_ticks = clock_ticks(g->clock) + clock_ticks_of_ns(g->clock, group_ahead_ns(g));
    if (request->begin_ticks > g->order.begin_ticks)
        g->order.begin_ticks = request->begin_ticks;
    g->order.end_ticks = g->order.begin_ticks + ticks_of(g, request->seconds);
    set_on_wall_clock(g, request->slice_seconds, g->workers[0].source.ops != NULL);
    collector_begin_round(g->collector, &g->order);
    g->collector->slice_span = request->slice_span;
    g->collector->suspension.ends_round = request->one_pass;
    g->collector->suspension.report = request->on_suspension;
    g->collector->suspension.context = request->context;
    for (unsigned i = 0; i < g->count; i++)
        worker_round(&g->workers[i]);

    outcome->stuck = !serve_workers(g, request);
    if (outcome->stuck) {
        outcome->total = g->collector->total;
        outcome->seconds = seconds_since(g, g->order.begin_ticks);
        if (clock_went_back(g))
            return err_set(e, ERR_MACHINE,
                           "the processor's cycle counter went back while the machine slept: no "
                           "time can be measured; --clock raw uses another clock");
        return err_set(e, ERR_TARGET, "I/O is in flight that does not come back: the target hangs");
    }
    for (unsigned i = 0; i < g->count; i++)
        worker_wait(&g->workers[i]);
    if (g->collector->suspension.heartbeat)
        heartbeat_wait(g->collector->suspension.heartbeat);
    g->collector->suspension.all_vouched = true;
    pass_batches(g, request);
    sum_up_round(g, outcome);
    for (unsigned i = 0; i < g->count; i++)
        if (g->workers[i].error.code) {
            *e = g->workers[i].error;
            return -1;
        }
    return 0;
}

void group_slowest(const struct group *g, struct slowest *all)
{
    *all = (struct slowest){0};
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned k = 0; k < g->workers[i].slowest.count; k++)
            slowest_add(all, &g->workers[i].slowest.at[k]);
    slowest_sort(all);
}

uint64_t group_records_lost(const struct group *g)
{
    uint64_t lost = 0;
    for (unsigned i = 0; i < g->count; i++)
        lost += atomic_load(&g->workers[i].lost);
    return lost;
}

const struct worker *group_first_failure(const struct group *g)
{
    for (unsigned i = 0; i < g->count; i++)
        if (g->workers[i].failed)
            return &g->workers[i];
    return NULL;
}

struct io_statuses group_statuses(const struct group *g)
{
    struct io_statuses all = {0};
    for (unsigned i = 0; i < g->count; i++)
        io_statuses_merge(&all, &g->workers[i].backend.statuses);
    return all;
}

void group_forget_waiting(struct group *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        struct worker *w = &g->workers[i];
        for (unsigned k = 0; k < w->stamped_left; k++)
            if (request_sends_data(w->waiting[k].command))
                ledger_end(w->ledger, w->waiting[k].length, w->waiting[k].offset, false);
        w->stamped_left = 0;
    }
}
