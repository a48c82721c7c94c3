/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What percentiles cost: adding a latency to a histogram, merging histograms, and one look at a
 * percentile's interval over 256 stretches of a session.
 */
#include <math.h>
#include <time.h>

#include "base/arena.h"
#include "base/random.h"
#include "figure.h"
#include "stat/estimate/percentile.h"

enum { ROUNDS = 11, VALUES = 1 << 16, PASSES = 64, MERGES = 4096, STRETCHES = 256 };

static uint64_t latencies[VALUES];
static struct histogram total, each[STRETCHES];

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Sums of uniform numbers in the exponent: about lognormal, 100 us, with a tail. */
static void draw_latencies(struct random *r)
{
    for (size_t i = 0; i < VALUES; i++) {
        double sum = 0;
        for (int k = 0; k < 12; k++)
            sum += random_unit(r);
        latencies[i] = (uint64_t)(1e5 * exp(0.5 * (sum - 6)));
    }
}

static void counts_of(const void *source, double ns, double above[], double count[])
{
    (void)source;
    for (size_t i = 0; i < STRETCHES; i++) {
        above[i] = (double)histogram_above(&each[i], ns);
        count[i] = (double)each[i].n;
    }
}

int main(void)
{
    struct random r;
    struct arena arena;
    struct err e;
    double add[ROUNDS], merge[ROUNDS], look[ROUNDS];
    if (arena_init(&arena, percentile_scratch_bytes(STRETCHES), &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return 1;
    }
    random_seed(&r, 1, 1);
    draw_latencies(&r);
    for (size_t i = 0; i < STRETCHES; i++) {
        histogram_clear(&each[i]);
        for (size_t k = 0; k < 2000; k++)
            histogram_add(&each[i], latencies[random_below(&r, VALUES)]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        histogram_clear(&total);
        double begin = processor_seconds();
        for (int pass = 0; pass < PASSES; pass++)
            for (size_t i = 0; i < VALUES; i++)
                histogram_add(&total, latencies[i]);
        add[round] = (processor_seconds() - begin) * 1e9 / PASSES / VALUES;

        begin = processor_seconds();
        for (size_t i = 0; i < MERGES; i++)
            histogram_merge(&total, &each[i % STRETCHES]);
        merge[round] = (processor_seconds() - begin) * 1e6 / MERGES;

        histogram_clear(&total);
        for (size_t i = 0; i < STRETCHES; i++)
            histogram_merge(&total, &each[i]);
        const struct percentile_intervals x = {&total, STRETCHES, counts_of, NULL, false};
        begin = processor_seconds();
        struct percentile p = percentile_of_intervals(&x, 0.99, 0.95, &arena);
        look[round] = (processor_seconds() - begin) * 1e3;
        if (p.lack)
            return 1;
    }
    figure_limit("histogram, one latency", "ns", 2, figure_median(add, ROUNDS), 5);
    figure_limit("histogram, one merge", "us", 2, figure_median(merge, ROUNDS), 5);
    figure_limit("interval of a p99", "ms", 2, figure_median(look, ROUNDS), 20);
    arena_free(&arena);
    return 0;
}
