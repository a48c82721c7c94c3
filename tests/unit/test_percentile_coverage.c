/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts how often the 95 % interval of a percentile contains the true value, in simulated runs of
 * independent latencies, of autocorrelated latencies, and of stalls. Prints the table. ./build.sh
 * bench makes all runs (simulations.h).
 */
#include "base/random.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/percentile.h"
#include "tests/unit/check.h"
#include "tests/unit/simulations.h"

/*
 * Lognormal latencies about 100 us. phi: autocorrelation from one I/O to the next. Stalls make I/Os
 * 20 times as slow: the share `stalled` of all I/Os, in stalls of `length` I/Os on average.
 */
struct model {
    const char *name;
    double phi;
    double stalled, length;
    /* intervals have equal times and not equal numbers of I/Os: a stall is few I/Os in many
       intervals */
    bool timed;
    /* How the logarithm of the level varies from interval to interval: an AR(1) with this sd, or a
       step of `height` on which the share `up` of all intervals lies, `dwell` of them in a row on
       average. */
    double wander, swing;
    double up, dwell, height;
};

struct row {
    struct model model;
    size_t intervals, per_interval;
    int runs;
};

/* Every run with stalls has at least 25 of them: what did not occur cannot be covered. */
static const struct row rows[] = {
    {{"independent", 0, 0, 0, false, 0, 0, 0, 0, 0}, 100, 100, 400},
    {{"independent", 0, 0, 0, false, 0, 0, 0, 0, 0}, 256, 20, 400},
    {{"independent", 0, 0, 0, false, 0, 0, 0, 0, 0}, 100, 400, 100},
    {{"AR(1) .5", 0.5, 0, 0, false, 0, 0, 0, 0, 0}, 100, 100, 400},
    {{"AR(1) .5", 0.5, 0, 0, false, 0, 0, 0, 0, 0}, 256, 20, 400},
    {{"AR(1) .9", 0.9, 0, 0, false, 0, 0, 0, 0, 0}, 100, 20, 400},
    {{"AR(1) .9", 0.9, 0, 0, false, 0, 0, 0, 0, 0}, 100, 100, 400},
    {{"AR(1) .9", 0.9, 0, 0, false, 0, 0, 0, 0, 0}, 256, 100, 200},
    {{"AR(1) .99", 0.99, 0, 0, false, 0, 0, 0, 0, 0}, 100, 100, 400},
    {{"AR(1) .99", 0.99, 0, 0, false, 0, 0, 0, 0, 0}, 256, 100, 200},
    {{"AR(1) .99", 0.99, 0, 0, false, 0, 0, 0, 0, 0}, 100, 1000, 100},
    {{"AR(1) .99 timed", 0.99, 0, 0, true, 0, 0, 0, 0, 0}, 100, 1000, 100},
    {{"stalls 2 % of 20", 0, 0.02, 20, false, 0, 0, 0, 0, 0}, 256, 100, 200},
    {{"stalls 2 % of 20", 0, 0.02, 20, false, 0, 0, 0, 0, 0}, 100, 1000, 100},
    {{"stalls 2 % of 20 timed", 0, 0.02, 20, true, 0, 0, 0, 0, 0}, 256, 100, 200},
    {{"stalls 2 % of 50", 0, 0.02, 50, false, 0, 0, 0, 0, 0}, 256, 400, 100},
    {{"stalls 10 % of 200", 0, 0.1, 200, false, 0, 0, 0, 0, 0}, 100, 1000, 100},
    {{"level AR(1) .5", 0, 0, 0, false, 0.5, 0.3, 0, 0, 0}, 101, 200, 400},
    {{"level AR(1) .9", 0, 0, 0, false, 0.9, 0.3, 0, 0, 0}, 256, 200, 150},
    {{"level AR(1) .9, few", 0, 0, 0, false, 0.9, 0.3, 0, 0, 0}, 101, 200, 400},
    {{"two levels, 5 in a row", 0, 0, 0, false, 0, 0, 0.5, 5, 1}, 101, 200, 400},
    {{"two levels, 10 in a row", 0, 0, 0, false, 0, 0, 0.5, 10, 1}, 256, 100, 300},
    {{"two levels, 3 in a row", 0, 0, 0, false, 0, 0, 0.3, 3, 1.5}, 256, 200, 150},
};

enum { MAX_INTERVALS = 256, SHARES = 4, NORMALS = 1 << 16 };

static const double shares[SHARES] = {0.5, 0.9, 0.99, 0.999};
static const double SPREAD = 0.4, STALL = 3; /* standard deviations of a latency's logarithm */

static double normals[NORMALS]; /* equally likely quantiles: a draw is one table lookup */
static struct histogram each[MAX_INTERVALS], total;
static struct arena arena;

struct source {
    const struct model *model;
    struct random random;
    double state, level;
    bool stalled, up;
};

static double draw_normal(struct source *s)
{
    return normals[random_below(&s->random, NORMALS)];
}

static void start(struct source *s, const struct model *model, uint64_t stream)
{
    s->model = model;
    random_seed(&s->random, 11, stream);
    s->state = draw_normal(s);
    s->stalled = random_unit(&s->random) < model->stalled;
    s->level = draw_normal(s);
    s->up = random_unit(&s->random) < model->up;
}

static double next_latency(struct source *s)
{
    const struct model *m = s->model;
    if (m->phi > 0)
        s->state = m->phi * s->state + sqrt(1 - m->phi * m->phi) * draw_normal(s);
    else
        s->state = draw_normal(s);
    if (m->stalled > 0) {
        double leave = s->stalled ? 1 : m->stalled / (1 - m->stalled);
        if (random_unit(&s->random) < leave / m->length)
            s->stalled = !s->stalled;
    }
    return 1e5 * exp(SPREAD * s->state + m->swing * s->level + (s->stalled ? STALL : 0) +
                     (s->up ? m->height : 0));
}

static void next_interval(struct source *s)
{
    const struct model *m = s->model;
    s->level = m->wander * s->level + sqrt(1 - m->wander * m->wander) * draw_normal(s);
    if (m->up > 0) {
        double leave = s->up ? 1 : m->up / (1 - m->up);
        if (random_unit(&s->random) < leave / m->dwell)
            s->up = !s->up;
    }
}

static double mean_latency(const struct model *m)
{
    return 1e5 * exp(SPREAD * SPREAD / 2) * (1 - m->stalled + m->stalled * exp(STALL));
}

static double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* Computed by bisection of the logarithm's distribution. */
static double true_percentile(const struct model *m, double share)
{
    double low = -10, high = 10;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        double sd = sqrt(SPREAD * SPREAD + m->swing * m->swing);
        double below = (1 - m->stalled - m->up) * normal_below(middle / sd) +
                       m->stalled * normal_below((middle - STALL) / sd) +
                       m->up * normal_below((middle - m->height) / sd);
        *(below < share ? &low : &high) = middle;
    }
    return 1e5 * exp(low);
}

static void simulate(struct source *s, const struct row *row)
{
    for (size_t i = 0; i < row->intervals; i++)
        histogram_clear(&each[i]);
    double length = (double)row->per_interval * mean_latency(s->model), now = 0;
    size_t interval = 0;
    for (size_t done = 0; interval < row->intervals; done++) {
        double latency = next_latency(s);
        now += latency;
        size_t before = interval;
        interval = s->model->timed ? (size_t)(now / length) : done / row->per_interval;
        if (interval != before)
            next_interval(s);
        if (interval < row->intervals)
            histogram_add(&each[interval], (uint64_t)latency);
    }
    histogram_clear(&total);
    for (size_t i = 0; i < row->intervals; i++)
        histogram_merge(&total, &each[i]);
}

static void counts_of(const void *source, double ns, double above[], double count[])
{
    const struct row *row = source;
    for (size_t i = 0; i < row->intervals; i++) {
        above[i] = (double)histogram_above(&each[i], ns);
        count[i] = (double)each[i].n;
    }
}

/* What the runs of one row said about one percentile. */
struct outcome {
    int given, covered;
    int distant;  /* intervals that reach beyond ten times the percentile */
    double width; /* sum of widths relative to those of plain order statistics */
    int naive;    /* covered by the interval that assumes independent values */
};

/* Returns the bounds of the bucket with a rank: the exact value lies between them. */
static double rank_least(double rank)
{
    return histogram_edge(histogram_bucket((uint64_t)histogram_rank(&total, (uint64_t)rank)));
}

static double rank_greatest(double rank)
{
    return histogram_edge(histogram_bucket((uint64_t)histogram_rank(&total, (uint64_t)rank)) + 1) -
           1;
}

/* Returns true if the interval that assumes independence contains the truth. */
static bool holds_if_independent(double truth, double share)
{
    double l, u;
    if (!percentile_ranks((double)total.n, share, 0.95, &l, &u))
        return false;
    return rank_least(l) <= truth && truth <= rank_greatest(u);
}

static double plain_width(double share)
{
    double l, u;
    if (!percentile_ranks((double)total.n, share, 0.95, &l, &u))
        return NAN;
    return rank_greatest(u) - rank_least(l);
}

static void run_row(const struct row *row, uint64_t stream, struct outcome out[SHARES])
{
    const struct percentile_intervals intervals = {&total, row->intervals, counts_of, row, false};
    struct source s;
    memset(out, 0, SHARES * sizeof *out);
    for (int run = 0; run < simulation_runs(row->runs); run++) {
        start(&s, &row->model, (stream << 32) + (uint64_t)run);
        simulate(&s, row);
        for (size_t i = 0; i < SHARES; i++) {
            double truth = true_percentile(&row->model, shares[i]);
            struct percentile p = percentile_of_intervals(&intervals, shares[i], 0.95, &arena);
            out[i].given += !p.lack;
            out[i].covered += !p.lack && p.low <= truth && truth <= p.high;
            out[i].distant += !p.lack && p.high > 10 * p.value;
            out[i].naive += holds_if_independent(truth, shares[i]);
            out[i].width += p.lack ? 0 : (p.high - p.low) / plain_width(shares[i]);
        }
    }
}

static void print_row(const struct row *row, const struct outcome out[SHARES])
{
    const int runs = simulation_runs(row->runs);
    printf("%-25s %3zu x %4zu", row->model.name, row->intervals, row->per_interval);
    for (size_t i = 0; i < SHARES; i++) {
        if (out[i].given == 0)
            printf("  |   -     0 %%        ");
        else
            printf("  | %.3f %3d %% (%.3f)", (double)out[i].covered / out[i].given,
                   100 * out[i].given / runs, (double)out[i].naive / runs);
    }
    putchar('\n');
}

static void test_coverage(void)
{
    long given = 0, covered = 0;
    printf("covered, share of runs with an interval (covered if clusters were ignored)\n");
    printf("%-36s  | p50                  | p90                  | p99                  | p99.9\n",
           "intervals x I/Os in each");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome out[SHARES];
        run_row(&rows[i], i, out);
        print_row(&rows[i], out);
        for (size_t k = 0; k < SHARES; k++) {
            given += out[k].given;
            covered += out[k].covered;
            if (rows[i].model.stalled <= 0)
                CHECK_INT(out[k].distant, 0);
            bool plain = i < 3 && k < 3 && out[k].given > 0; /* independent, p50 to p99 */
            double runs = simulation_runs(rows[i].runs), some = out[k].given;
            CHECK_COUNT(!plain || out[k].width < (1.3 + simulation_slack(0.5, (int)runs)) * some);
            /* Both with two standard errors (three for few runs): the share of wrong intervals
               among all runs, and, if most runs get an interval, among those. */
            const double errors = simulations_are_whole() ? 2 : 3;
            CHECK_COUNT(some - out[k].covered <= 0.05 * runs + errors * sqrt(0.05 * 0.95 * runs));
            if (some > 0.5 * runs)
                CHECK_COUNT(out[k].covered >= 0.94 * some - errors * sqrt(0.94 * 0.06 * some));
        }
    }
    printf("all rows: %.4f of %ld intervals\n", (double)covered / (double)given, given);
    CHECK_COUNT((double)covered >= 0.97 * (double)given);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, percentile_scratch_bytes(MAX_INTERVALS), &e) != 0) {
        puts(e.msg);
        return CHECK_SKIPPED;
    }
    for (int i = 0; i < NORMALS; i++)
        normals[i] = normal_quantile((i + 0.5) / NORMALS);
    test_coverage();
    arena_free(&arena);
    return check_result();
}
