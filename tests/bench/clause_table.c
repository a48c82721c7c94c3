/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long clauses about a percentile take to pass (docs/statistics.md): latencies whose logarithm
 * has a standard deviation of .5 about a level that wanders from one stretch of 100 of them to the
 * next (AR(1)), a look after every stretch from the 30th on, a p99 that lies inside its limit; or
 * on it, and looks after every eighth from the 41st on, to 256. Beside it a fixed test of one look,
 * of the share beyond the limit, that knows how much that share varies in the long run and passes
 * in 90 of 100 cases. The same for the same seed.
 *
 *   clause_table [SEED [RUNS]]
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/limit_verdict.h"
#include "tests/unit/simulated.h"

enum {
    VALUES = 100,
    KEPT = 256, /* stretches: beyond that neighbours are put together, as a session does */
    FIRST_LOOK = 30,
    SELDOM = 8,
    SELDOM_FIRST = 41,
    STRETCHES_MAX = 20000,
    LONG_RUN = 1 << 20,
    BATCH = 1 << 12,
    TRIED = LIMIT_THRESHOLDS + LIMIT_WIDE,
    RUNS_MAX = 10000
};

#define ALPHA  0.05
#define POWER  0.9
#define SHARE  0.99
#define WITHIN 0.5 /* standard deviation of the logarithm within a stretch */

static const struct row {
    double rho, level_sd;
    double inside; /* the percentile over its limit */
    size_t most;   /* stretches */
} rows[] = {
    /* The first three: .9, .8, .7 of the share of values that the limit allows lies beyond it. */
    {0, 0, 0.9805, STRETCHES_MAX},
    {0, 0, 0.9595, STRETCHES_MAX},
    {0, 0, 0.9366, STRETCHES_MAX},
    {0, 0, 0.9, STRETCHES_MAX},
    {0.5, 0.3, 0.9, STRETCHES_MAX},
    {0.9, 0.3, 0.9, STRETCHES_MAX},
    {0.97, 0.3, 0.9, STRETCHES_MAX},
    {0.9, 0.1, 0.9, STRETCHES_MAX},
    {0.97, 0.1, 0.9, STRETCHES_MAX},
    {0, 0, 1, KEPT},
    {0.5, 0.6, 1, KEPT},
    {0.9, 0.6, 1, KEPT},
    {0.97, 0.6, 1, KEPT},
    {0.9, 0.3, 1, KEPT},
};

static struct arena scratch;

struct wander {
    const struct row *row;
    double level;
    uint64_t state;
};

static struct wander wander_of(const struct row *row, uint64_t state)
{
    struct wander w = {row, 0, state};
    w.level = row->level_sd * simulated_normal(&w.state);
    return w;
}

static void wander_on(struct wander *w)
{
    double rho = w->row->rho, fresh = w->row->level_sd * simulated_normal(&w->state);
    w->level = rho * w->level + sqrt(1 - rho * rho) * fresh;
}

/* The mean share of values above a threshold, and its variance in the long run, for one stretch. */
static double long_run_variance(const struct row *row, double threshold, double *share)
{
    static double batch[LONG_RUN / BATCH];
    struct wander w = wander_of(row, 99);
    double chance = 0;
    memset(batch, 0, sizeof batch);
    *share = 0;
    for (int i = 0; i < LONG_RUN; i++) {
        wander_on(&w);
        double p = 0.5 * erfc((threshold - w.level) / WITHIN / sqrt(2));
        batch[i / BATCH] += p / BATCH;
        *share += p / LONG_RUN;
        chance += p * (1 - p) / VALUES / LONG_RUN;
    }
    size_t batches = LONG_RUN / BATCH;
    return BATCH * variance_of(batch, batches, mean_of(batch, batches)) + chance;
}

static double fixed_stretches(const struct row *row, double percentile, double limit)
{
    double on, inside, most = long_run_variance(row, percentile, &on),
                       least = long_run_variance(row, limit, &inside);
    double sum = normal_quantile(1 - ALPHA) * sqrt(most) + normal_quantile(POWER) * sqrt(least);
    return sum * sum / ((on - inside) * (on - inside));
}

struct history {
    double beyond[TRIED][KEPT], count[KEPT];
    size_t kept, each; /* stretches that are kept; each of so many */
    size_t filled;     /* of the one that is being filled */
};

static void add_stretch(struct history *h, struct wander *w, const double thresholds[TRIED])
{
    if (h->kept == KEPT && h->filled == 0) {
        for (size_t i = 0; i < KEPT / 2; i++) {
            h->count[i] = h->count[2 * i] + h->count[2 * i + 1];
            for (size_t k = 0; k < TRIED; k++)
                h->beyond[k][i] = h->beyond[k][2 * i] + h->beyond[k][2 * i + 1];
        }
        h->kept /= 2;
        h->each *= 2;
    }
    if (h->filled == 0) {
        h->count[h->kept] = 0;
        for (size_t k = 0; k < TRIED; k++)
            h->beyond[k][h->kept] = 0;
    }
    wander_on(w);
    for (int i = 0; i < VALUES; i++) {
        double x = w->level + WITHIN * simulated_normal(&w->state);
        for (size_t k = 0; k < TRIED; k++)
            h->beyond[k][h->kept] += x > thresholds[k];
    }
    h->count[h->kept] += VALUES;
    h->filled = (h->filled + 1) % h->each;
    h->kept += h->filled == 0;
}

static enum sequential_verdict look(const struct history *h)
{
    static const struct limit limit = {1, false, ALPHA};
    struct exceedance e[TRIED], at_limit[LIMIT_THRESHOLDS];
    for (size_t k = 0; k < TRIED; k++)
        e[k] = exceedance_of(h->beyond[k], h->count, h->kept, 0.95, &scratch);
    for (size_t k = 0; k < LIMIT_THRESHOLDS; k++)
        at_limit[k] = e[0];
    return limit_verdict_of_percentile(e, at_limit, LIMIT_THRESHOLDS, e + LIMIT_THRESHOLDS, SHARE,
                                       e[0].share < 1 - SHARE, h->kept, &limit)
        .verdict;
}

/* Stretches until the verdict. */
static double run(const struct row *row, const double thresholds[TRIED], uint64_t state,
                  enum sequential_verdict *verdict)
{
    static struct history h;
    struct wander w = wander_of(row, state);
    size_t stretches = 0;
    h = (struct history){.each = 1};
    *verdict = SEQUENTIAL_UNDECIDED;
    while (!*verdict && stretches < row->most) {
        add_stretch(&h, &w, thresholds);
        stretches++;
        bool seldom = row->inside >= 1 && (stretches < SELDOM_FIRST || stretches % SELDOM != 1);
        if (stretches >= FIRST_LOOK && h.filled == 0 && !seldom)
            *verdict = look(&h);
    }
    return (double)stretches;
}

static void measure(const struct row *row, uint64_t seed, unsigned runs)
{
    static double stretches[RUNS_MAX];
    double spread = hypot(WITHIN, row->level_sd), sum = 0;
    double percentile = normal_quantile(SHARE) * spread, limit = percentile - log(row->inside);
    const double thresholds[TRIED] = {limit, limit - log(2), limit - log(4),
                                      normal_quantile(1 - LIMIT_WIDER * (1 - SHARE)) * spread, 0};
    unsigned passed = 0, failed = 0;
    for (unsigned i = 0; i < runs; i++) {
        enum sequential_verdict verdict;
        stretches[i] = run(row, thresholds, seed * 1000003 + i * 7919, &verdict);
        sum += stretches[i];
        passed += verdict == SEQUENTIAL_PASS;
        failed += verdict == SEQUENTIAL_FAIL;
    }
    printf("AR(1) %.2f of sd %.1f, at %.4g of the limit: passed %.4f failed %.4f", row->rho,
           row->level_sd, row->inside, (double)passed / runs, (double)failed / runs);
    if (row->inside < 1) {
        double fixed = fixed_stretches(row, percentile, limit), mean = sum / runs;
        double half = quantile_of(stretches, runs, 0.5), tenth = quantile_of(stretches, runs, 0.9);
        printf(" after mean %.0f median %.0f slowest tenth %.0f stretches, a fixed test %.0f: "
               "%.2f %.2f %.2f",
               mean, half, tenth, fixed, mean / fixed, half / fixed, tenth / fixed);
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
    struct err e = {0};
    if (runs < 1 || runs > RUNS_MAX || arena_init(&scratch, 2 * exceedance_scratch_bytes(KEPT), &e))
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(&rows[i], seed, runs);
    arena_free(&scratch);
    return EXIT_SUCCESS;
}
