/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processor time per I/O of the whole worker loop on the null backend, beside minimal loops that
 * take the same two time stamps and beside fio's null engine, all interleaved in one run.
 *
 *   null_loop [ITERATIONS]
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "figure.h"
#include "fio.h"
#include "run/loop/worker_group.h"
#include "stat/basic/histogram.h"

#define PAIRS     11
#define FIO_PAIRS 3

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile uint64_t sink;

/* Put the calling thread on the worker's processor, or back: processors differ in their noise. */
static cpu_set_t pin_beside(const struct worker *w)
{
    cpu_set_t before, cpu;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&cpu);
    if (w->cpu >= 0) {
        CPU_SET((unsigned)w->cpu, &cpu);
        sched_setaffinity(0, sizeof cpu, &cpu);
    }
    return before;
}

static void unpin(cpu_set_t before)
{
    sched_setaffinity(0, sizeof before, &before);
}

/* Two stamps and a sum, nothing else: no tool can do with less. */
static double stamps_only(long n)
{
    uint64_t sum = 0;
    double begin = cpu_ns();
    for (long i = 0; i < n; i++) {
        uint64_t submitted = clock_counter();
        sum += clock_counter() - submitted;
    }
    sink = sum;
    return (cpu_ns() - begin) / (double)n;
}

/* The least that measures latency of random I/O: an offset, two stamps, a histogram. */
static double minimal_loop(long n, const struct clock *clock)
{
    static struct histogram h;
    struct random random;
    random_seed(&random, 1, 0);
    uint64_t offsets = 0;
    double begin = cpu_ns();
    for (long i = 0; i < n; i++) {
        uint64_t offset = random_below(&random, (uint64_t)1 << 28) * 4096;
        uint64_t submitted = clock_counter();
        __asm__ volatile("" : "+r"(offset)::"memory"); /* where the I/O would be */
        offsets += offset;
        h.count[histogram_bucket(clock_ns(clock, clock_counter() - submitted))]++;
    }
    sink = offsets;
    return (cpu_ns() - begin) / (double)n;
}

static int worker_loop(struct group *g, double *ns)
{
    struct round_request request = {.seconds = 0.2, .slice_seconds = 0.01, .recording = true};
    struct round_outcome outcome;
    struct err e;
    if (group_run_round(g, &request, &outcome, &e)) {
        fprintf(stderr, "null_loop: %s\n", e.msg);
        return -1;
    }
    *ns = outcome.cpu_seconds * 1e9 / (double)outcome.total.op[OPERATION_READ].ios;
    return 0;
}

/* Beside the minimal loops, and two stamps alone for the floor. */
static int compare_with_loops(unsigned iodepth, struct group *g, const struct clock *clock, long n)
{
    double stamps[PAIRS], minimal[PAIRS], worker[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        cpu_set_t before = pin_beside(&g->workers[0]);
        stamps[i] = stamps_only(n);
        minimal[i] = minimal_loop(n, clock);
        unpin(before);
        if (worker_loop(g, &worker[i]))
            return -1;
    }
    char name[40];
    snprintf(name, sizeof name, "null depth %u CPU/IO", iodepth);
    struct figure f = {name, "ns", 1, "minimal loop", FIGURE_AT_MOST, 1.15};
    figure_pairs(&f, worker, minimal, PAIRS);
    f.reference = "two time stamps alone";
    f.relation = FIGURE_NO_TARGET;
    figure_pairs(&f, worker, stamps, PAIRS);
    return 0;
}

static int compare_with_fio(unsigned iodepth, struct group *g, bool less_time)
{
    double worker[FIO_PAIRS], fio[FIO_PAIRS];
    char depth[32], name[40];
    snprintf(depth, sizeof depth, "--iodepth=%u", iodepth);
    const char *options[] = {"--ioengine=null", "--size=1t", depth,
                             less_time ? "--gtod_reduce=1" : NULL, NULL};
    for (int i = 0; i < FIO_PAIRS; i++) {
        struct fio_result r;
        cpu_set_t before = pin_beside(&g->workers[0]);
        int status = fio_run(options, &r);
        unpin(before);
        if (status || worker_loop(g, &worker[i]))
            return -1;
        fio[i] = r.cpu_ns;
    }
    snprintf(name, sizeof name, "null depth %u CPU/IO", iodepth);
    struct figure f = {name,
                       "ns",
                       1,
                       less_time ? "fio null, gtod_reduce=1" : "fio null",
                       less_time ? FIGURE_NO_TARGET : FIGURE_AT_MOST,
                       0.25};
    figure_pairs(&f, worker, fio, FIO_PAIRS);
    return 0;
}

static int measure(unsigned iodepth, const struct clock *clock, long n)
{
    static struct plan plan;
    struct err e;
    plan_init(&plan);
    plan.iodepth = iodepth;
    plan.realtime = false;
    struct arena arena;
    struct group group;
    struct group_setup setup = {
        .plan = &plan, .ops = &io_null, .clock = clock, .fd = -1, .region = (uint64_t)1 << 40};
    if (arena_init(&arena, group_bytes(&plan) + (1 << 20), &e) ||
        group_init(&group, &setup, &arena, &e) || group_start(&group, &e)) {
        fprintf(stderr, "null_loop: %s\n", e.msg);
        return -1;
    }
    int status = compare_with_loops(iodepth, &group, clock, n) ||
                 compare_with_fio(iodepth, &group, false) ||
                 compare_with_fio(iodepth, &group, true);
    group_stop(&group);
    arena_free(&arena);
    return status;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 5000000;
    struct clock clock;
    clock_calibrate(&clock, 50, false);
    return measure(1, &clock, n) || measure(32, &clock, n) ? 1 : 0;
}
