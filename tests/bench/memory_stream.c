/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel run --memory beside STREAM and a chase of pointers, both written anew from their public
 * descriptions as plain loops of C at -O3, in turns within one process: pairs of passes that follow
 * each other share what else the machine does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/thread.h"
#include "figure.h"
#include "machine/memory/memory.h"

#define PLAIN_C __attribute__((optimize("O3", "no-tree-loop-distribute-patterns"), noinline))

enum { PAIRS = 41, THREADS_MAX = 64, NUMBERS = 16 << 20, LOADS = 1 << 17 };

enum stream { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_TRIAD, STREAM_CHASE, STREAMS };

static double *a, *b, *c;
static size_t threads;
static enum stream what;
static pthread_barrier_t begin, end;
static double sums[THREADS_MAX], begins[THREADS_MAX], ends[THREADS_MAX];
static size_t cpus[THREADS_MAX];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

PLAIN_C static double plain_read(const double *restrict x, size_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (size_t i = 0; i < n; i += 8) {
        s0 += x[i];
        s1 += x[i + 1];
        s2 += x[i + 2];
        s3 += x[i + 3];
        s4 += x[i + 4];
        s5 += x[i + 5];
        s6 += x[i + 6];
        s7 += x[i + 7];
    }
    return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}

PLAIN_C static void plain_write(double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 3;
}

PLAIN_C static void plain_copy(double *restrict x, const double *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = y[i];
}

PLAIN_C static void plain_triad(double *restrict x, const double *restrict y,
                                const double *restrict z, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = y[i] + 3 * z[i];
}

static void *work(void *argument)
{
    const size_t number = (size_t)(uintptr_t)argument, n = NUMBERS / threads, at = number * n;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[number], &one);
    sched_setaffinity(0, sizeof one, &one);
    for (;;) {
        pthread_barrier_wait(&begin);
        begins[number] = now();
        if (what == STREAM_READ)
            sums[number] += plain_read(a + at, n);
        else if (what == STREAM_WRITE)
            plain_write(a + at, n);
        else if (what == STREAM_COPY)
            plain_copy(a + at, b + at, n);
        else if (what == STREAM_TRIAD)
            plain_triad(a + at, b + at, c + at, n);
        ends[number] = now();
        pthread_barrier_wait(&end);
    }
    return NULL;
}

/* ---- a chase of pointers ---- */

static uint32_t *chain; /* one number in each line of 64 bytes: the next line */
static uint32_t at_line;

static void make_chase(size_t lines)
{
    uint32_t *order = malloc(lines * sizeof *order);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; order && i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines; order && i-- > 1;) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t k = state % (i + 1);
        const uint32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; order && i < lines; i++)
        chain[(size_t)order[i] * 16] = order[(i + 1) % lines];
    free(order);
}

static double chase(void)
{
    const double start = now();
    uint32_t at = at_line;
    for (int i = 0; i < LOADS; i++)
        at = chain[(size_t)at * 16];
    at_line = at;
    return (now() - start) / LOADS * 1e9;
}

static double pass(enum stream stream)
{
    static const double bytes[] = {
        [STREAM_READ] = 8, [STREAM_WRITE] = 8, [STREAM_COPY] = 16, [STREAM_TRIAD] = 24};
    if (stream == STREAM_CHASE)
        return chase();
    what = stream;
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    double first = begins[0], last = ends[0];
    for (size_t i = 1; i < threads; i++) {
        first = begins[i] < first ? begins[i] : first;
        last = ends[i] > last ? ends[i] : last;
    }
    return bytes[stream] * NUMBERS / (last - first) / 1e9;
}

static void *map(void)
{
    const size_t huge = (size_t)2 << 20, bytes = NUMBERS * sizeof(double);
    char *p = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(77);
    void *aligned = (void *)(((uintptr_t)p + huge - 1) / huge * huge);
    madvise(aligned, bytes, MADV_HUGEPAGE);
    memset(aligned, 0, bytes);
    return aligned;
}

int main(void)
{
    static const char *const names[] = {"read", "write", "copy", "triad", "latency"};
    static const struct figure figures[] = {
        {"memory_read", "GB/s", 2, "plain loop", FIGURE_AT_LEAST, 0.98},
        {"memory_write", "GB/s", 2, "plain loop", FIGURE_AT_LEAST, 0.98},
        {"memory_copy", "GB/s", 2, "STREAM", FIGURE_AT_LEAST, 0.98},
        {"memory_triad", "GB/s", 2, "STREAM", FIGURE_AT_LEAST, 0.98},
        {"memory_latency", "ns", 1, "chase of pointers", FIGURE_AT_MOST, 1.03}};
    static double ours[STREAMS][PAIRS], theirs[STREAMS][PAIRS];
    struct memory_bench *bench;
    struct err e = {0};
    cpu_set_t allowed;
    threads = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : (size_t)CPU_COUNT(&allowed);
    if (threads > THREADS_MAX || memory_bench_open(&bench, &e)) {
        fprintf(stderr, "memory_stream: %s\n", e.msg);
        return 77;
    }
    for (size_t cpu = 0, i = 0; cpu < CPU_SETSIZE && i < threads; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[i++] = cpu;
    a = map();
    b = map();
    c = map();
    chain = map();
    make_chase(NUMBERS * sizeof(double) / 64);
    pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&end, NULL, (unsigned)threads + 1);
    for (size_t i = 0; i < threads; i++) {
        pthread_t thread;
        thread_start(&thread, 0, work, (void *)(uintptr_t)i);
    }
    for (int i = 0; i < PAIRS; i++)
        for (enum stream s = 0; s < STREAMS; s++)
            for (int turn = 0; turn < 2; turn++)
                if ((turn + i) % 2)
                    theirs[s][i] = pass(s);
                else
                    ours[s][i] = memory_bench_reading(bench, names[s]);
    for (enum stream s = 0; s < STREAMS; s++)
        figure_pairs(&figures[s], ours[s], theirs[s], PAIRS);
    return 0;
}
