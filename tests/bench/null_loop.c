/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processor time per I/O of the whole worker loop on the null backend, beside minimal loops that
 * take the same two time stamps. All of them are interleaved in one run; medians are printed.
 *
 *   null_loop [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/group.h"
#include "stat/descriptive.h"
#include "stat/histogram.h"

#define RUNS 11

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile uint64_t sink;

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

static double worker_loop(struct group *g, struct err *e)
{
    struct round_request request = {.seconds = 0.2, .slice_seconds = 0.01, .recording = true};
    struct round_outcome outcome;
    if (group_run_round(g, &request, &outcome, e))
        return -1;
    return outcome.cpu_seconds * 1e9 / (double)outcome.total.op[IO_READ].ios;
}

static int measure(unsigned iodepth, const struct clock *clock, long n, struct err *e)
{
    struct plan plan;
    plan_init(&plan);
    plan.iodepth = iodepth;
    plan.realtime = false;
    struct arena arena;
    struct group group;
    struct group_setup setup = {
        .plan = &plan, .ops = &io_null, .clock = clock, .fd = -1, .region = (uint64_t)1 << 40};
    if (arena_init(&arena, group_bytes(&plan) + (1 << 20), e) ||
        group_init(&group, &setup, &arena, e) || group_start(&group, e))
        return -1;

    double stamps[RUNS], minimal[RUNS], worker[RUNS];
    for (int i = 0; i < RUNS; i++) {
        stamps[i] = stamps_only(n);
        minimal[i] = minimal_loop(n, clock);
        worker[i] = worker_loop(&group, e);
        if (worker[i] < 0)
            return -1;
    }
    group_stop(&group);
    double s = median_of(stamps, RUNS), m = median_of(minimal, RUNS), w = median_of(worker, RUNS);
    arena_free(&arena);
    printf("null iodepth %-3u %6.1f ns per I/O; minimal loop %.1f (ratio %.2f), "
           "two stamps alone %.1f (ratio %.2f)\n",
           iodepth, w, m, w / m, s, w / s);
    return 0;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 5000000;
    struct clock clock;
    struct err e = {0};
    clock_calibrate(&clock, 50, false);
    if (measure(1, &clock, n, &e) || measure(32, &clock, n, &e)) {
        fprintf(stderr, "null_loop: %s\n", e.msg);
        return 1;
    }
    return 0;
}
