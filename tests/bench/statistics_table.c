/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the pipeline makes of simulated series whose truth is known: one line a kind of series, with
 * the share of the series that were cut, in which both ends of the steady part were found within
 * two readings, that have no steady state, and whose interval holds the true mean.
 *
 *   statistics_table [SEED [RUNS [NAME]]]      only the rows whose name begins with NAME
 *
 * The same seed gives the same series whatever the code under test does, so that two builds are
 * compared pair by pair. No row passes or fails here: tests/unit/test_changepoint_power.c and
 * test_coverage.c hold the limits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stat/judge.h"
#include "tables/presets.h"

#define COUNT_MAX     60000
#define SLICE_SECONDS 0.01 /* of the sessions that are simulated to their stop */

struct truth {
    double mean;
    size_t begin, end;
};

struct row {
    const char *name;
    struct truth (*make)(double x[], size_t n, double p, double q);
    double p, q;
    size_t n;        /* readings; 0: as many as the stop rule of the preset takes */
    unsigned preset; /* index in presets[] */
};

static struct random source;
static struct arena arena;
static double x[COUNT_MAX];

static double normal(void)
{
    double radius = sqrt(-2 * log(1 - random_unit(&source)));
    return radius * cos(6.283185307179586 * random_unit(&source));
}

static void fill_ar1(double y[], size_t n, double rho, double sd)
{
    double state = normal();
    for (size_t i = 0; i < n; i++) {
        y[i] = sd * state;
        state = rho * state + sqrt(1 - rho * rho) * normal();
    }
}

static struct truth whole(double mean, size_t n)
{
    return (struct truth){mean, 0, n};
}

/* Mean 100, standard deviation q. */
static struct truth ar1(double y[], size_t n, double rho, double sd)
{
    fill_ar1(y, n, rho, sd);
    for (size_t i = 0; i < n; i++)
        y[i] += 100;
    return whole(100, n);
}

static struct truth lognormal(double y[], size_t n, double sigma, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        y[i] = exp(sigma * normal());
    return whole(exp(sigma * sigma / 2), n);
}

static struct truth bimodal(double y[], size_t n, double share, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        y[i] = 100 + (random_unit(&source) < share ? 50 : 0) + 4 * normal();
    return whole(100 + 50 * share, n);
}

/* Two levels, 10 above and 10 below 100, or q. */
static struct truth switching(double y[], size_t n, double chance, double distance)
{
    double state = random_unit(&source) < 0.5 ? distance : -distance;
    for (size_t i = 0; i < n; i++) {
        if (random_unit(&source) < chance)
            state = -state;
        y[i] = 100 + state + 2 * normal();
    }
    return whole(100, n);
}

/* Stalls to one half, of 3 1/3 readings on average. */
static struct truth bursts(double y[], size_t n, double chance, double unused)
{
    (void)unused;
    double share = chance / (chance + 0.3);
    bool stalled = random_unit(&source) < share;
    for (size_t i = 0; i < n; i++) {
        stalled = random_unit(&source) < (stalled ? 0.7 : chance);
        y[i] = 100 - 50 * stalled + 5 * normal();
    }
    return whole(100 - 50 * share, n);
}

/* Bursts of `length` readings at one half, about one in `every` readings. */
static struct truth even_bursts(double y[], size_t n, double length, double every)
{
    fill_ar1(y, n, 0, 5);
    double left = random_unit(&source) < length / every ? ceil(length * random_unit(&source)) : 0;
    for (size_t i = 0; i < n; i++) {
        if (left <= 0 && random_unit(&source) < 1 / (every - length))
            left = length;
        y[i] += left > 0 ? 50 : 100;
        left--;
    }
    return whole(100 - 50 * length / every, n);
}

/* k slow readings first. */
static struct truth slow_start(double y[], size_t n, double k, double rho)
{
    fill_ar1(y, n, rho, 5);
    for (size_t i = 0; i < n; i++)
        y[i] += (double)i < k ? 50 : 100;
    return (struct truth){100, (size_t)k, n};
}

/* As seen on a real drive: 420 IOPS, then 21,000 that jump about. */
static struct truth real_start(double y[], size_t n, double k, double spread)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (double)i < k ? 420 + 20 * normal() : fmax(0, 21000 + spread * normal());
    return (struct truth){21000, (size_t)k, n};
}

/* 60 readings of warm-up, cool-down of 40, with strays among them. */
static struct truth three_phases(double y[], size_t n, double strays, double height)
{
    fill_ar1(y, n, 0, 4);
    for (size_t i = 0; i < n; i++) {
        y[i] += i < 60 ? 50 : i < n - 40 ? 100 : 70;
        if (random_unit(&source) < strays)
            y[i] += height;
    }
    return (struct truth){100 + strays * height, 60, n - 40};
}

static struct truth decay(double y[], size_t n, double tau, double rho)
{
    fill_ar1(y, n, rho, 2);
    for (size_t i = 0; i < n; i++)
        y[i] += 100 - 60 * exp(-(double)i / tau);
    return (struct truth){100, (size_t)(3 * tau), n};
}

/* One dip of `length` readings in the middle; the mean is that of all readings. */
static struct truth one_dip(double y[], size_t n, double length, double depth)
{
    fill_ar1(y, n, 0, 4);
    for (size_t i = 0; i < n; i++)
        y[i] += i >= n / 2 && (double)i < (double)(n / 2) + length ? 100 - depth : 100;
    return (struct truth){100 - depth * length / (double)n, 0, n};
}

/* Dips of 40 readings that come about once in `every`; the mean is that of the long run. */
static struct truth rare_dips(double y[], size_t n, double every, double depth)
{
    struct truth t = even_bursts(y, n, 40, every);
    for (size_t i = 0; i < n; i++)
        if (y[i] < 75)
            y[i] += 50 - depth;
    return (struct truth){100 - depth * 40 / every, t.begin, t.end};
}

/* The same, but the level before differs from the one after by one tenth. */
static struct truth dip_and_step(double y[], size_t n, double length, double depth)
{
    struct truth t = one_dip(y, n, length, depth);
    for (size_t i = n / 2; i < n; i++)
        y[i] += 10;
    return t;
}

static struct truth drift(double y[], size_t n, double rise, double unused)
{
    (void)unused;
    fill_ar1(y, n, 0, 1);
    for (size_t i = 0; i < n; i++)
        y[i] += 100 + rise * (double)i / (double)n;
    return whole(100 + rise / 2, n);
}

static const struct row rows[] = {
    {"flat normal", ar1, 0, 5, 100, 1},
    {"flat normal", ar1, 0, 5, 300, 1},
    {"flat normal", ar1, 0, 5, 2000, 1},
    {"flat lognormal 1", lognormal, 1, 0, 300, 1},
    {"flat lognormal .5", lognormal, 0.5, 0, 2000, 1},
    {"flat bimodal .2", bimodal, 0.2, 0, 300, 1},
    {"flat bimodal .5", bimodal, 0.5, 0, 300, 1},
    {"flat AR .5", ar1, 0.5, 5, 2000, 1},
    {"flat AR .6", ar1, 0.6, 5, 200, 1},
    {"flat AR .6", ar1, 0.6, 5, 2000, 1},
    {"flat AR .9", ar1, 0.9, 5, 200, 1},
    {"flat AR .9", ar1, 0.9, 5, 2000, 1},
    {"flat bursts .01", bursts, 0.01, 0, 300, 1},
    {"flat bursts .01", bursts, 0.01, 0, 1000, 1},
    {"flat bursts 5/200", even_bursts, 5, 200, 300, 1},
    {"flat bursts 5/200", even_bursts, 5, 200, 1000, 1},
    {"flat bursts 2/60", even_bursts, 2, 60, 400, 1},
    {"flat bursts 2/200", even_bursts, 2, 200, 400, 1},
    {"flat bursts 3/100", even_bursts, 3, 100, 400, 1},
    {"switching .1", switching, 0.1, 10, 100, 1},
    {"switching .1", switching, 0.1, 10, 200, 1},
    {"switching .1", switching, 0.1, 10, 2000, 1},
    {"switching .05", switching, 0.05, 10, 200, 1},
    {"switching .02", switching, 0.02, 10, 200, 1},
    {"switching .02", switching, 0.02, 10, 500, 1},
    {"switching .02", switching, 0.02, 10, 2000, 1},
    {"edge 5", slow_start, 5, 0, 300, 1},
    {"edge 10", slow_start, 10, 0, 300, 1},
    {"edge 18", slow_start, 18, 0, 300, 1},
    {"edge 25", slow_start, 25, 0, 300, 1},
    {"edge 10 AR .5", slow_start, 10, 0.5, 300, 1},
    {"edge 18 AR .5", slow_start, 18, 0.5, 1000, 1},
    {"edge 18 real", real_start, 18, 4000, 300, 1},
    {"edge 18 real", real_start, 18, 4000, 1000, 1},
    {"phases", three_phases, 0, 0, 400, 1},
    {"phases strays .01", three_phases, 0.01, 150, 400, 1},
    {"phases strays .01 high", three_phases, 0.01, 600, 400, 1},
    {"phases strays .03", three_phases, 0.03, 150, 400, 1},
    {"phases strays .03 high", three_phases, 0.03, 600, 400, 1},
    {"decay 15", decay, 15, 0, 600, 1},
    {"decay 40", decay, 40, 0, 600, 1},
    {"decay 40 AR .5", decay, 40, 0.5, 1000, 1},
    {"decay 80", decay, 80, 0, 1000, 1},
    {"decay 80", decay, 80, 0, 3000, 1},
    {"step 60", slow_start, 60, 0, 400, 1},
    {"step 60 AR .5", slow_start, 60, 0.5, 400, 1},
    {"dip 40 of 400", one_dip, 40, 40, 400, 1},
    {"dip 40 of 1000", one_dip, 40, 40, 1000, 1},
    {"dip 150 of 400", one_dip, 150, 40, 400, 1},
    {"dip, rare 500 of 1000", rare_dips, 500, 40, 1000, 1},
    {"dip, rare 1000 of 1000", rare_dips, 1000, 40, 1000, 1},
    {"dip, rare 1000 of 4000", rare_dips, 1000, 40, 4000, 1},
    {"dip and step", dip_and_step, 40, 40, 400, 1},
    {"drift", drift, 10, 0, 600, 1},
    {"stop after decay 40", decay, 40, 0, 0, 0},
    {"stop after decay 40", decay, 40, 0, 0, 1},
    {"stop after decay 80", decay, 80, 0.5, 0, 1},
    {"stop after step 60", slow_start, 60, 0, 0, 1},
    {"stop after step 60", slow_start, 60, 0.5, 0, 1},
    {"stop dips, 1000", rare_dips, 1000, 40, 0, 0},
    {"stop dips, 1000", rare_dips, 1000, 40, 0, 1},
    {"stop normal", ar1, 0, 30, 0, 0},
    {"stop normal", ar1, 0, 30, 0, 1},
    {"stop AR .5", ar1, 0.5, 30, 0, 0},
    {"stop AR .5", ar1, 0.5, 30, 0, 1},
    {"stop AR .9", ar1, 0.9, 10, 0, 0},
    {"stop AR .9", ar1, 0.9, 10, 0, 1},
    {"stop AR .95", ar1, 0.95, 10, 0, 0},
    {"stop AR .95", ar1, 0.95, 10, 0, 1},
    {"stop lognormal .5", lognormal, 0.5, 0, 0, 0},
    {"stop lognormal .5", lognormal, 0.5, 0, 0, 1},
    {"stop bursts .01", bursts, 0.01, 0, 0, 0},
    {"stop bursts .01", bursts, 0.01, 0, 0, 1},
    {"stop switching .1", switching, 0.1, 10, 0, 0},
    {"stop switching .1", switching, 0.1, 10, 0, 1},
    {"stop switching .02", switching, 0.02, 10, 0, 0},
    {"stop switching .02", switching, 0.02, 10, 0, 1},
    {"stop levels of 2 s", switching, 0.005, 20, 0, 0},
    {"stop levels of 2 s", switching, 0.005, 20, 0, 1},
    {"stop levels of 2 s", switching, 0.005, 20, 0, 2},
};

struct tally {
    unsigned cut, ends, unsteady, held, stopped;
    double width, readings;
};

static bool within_two(size_t a, size_t b)
{
    return a + 2 >= b && b + 2 >= a;
}

static void count(struct tally *t, const struct judgement *j, const struct truth *truth)
{
    t->cut += j->changepoints_found > 0;
    t->ends += within_two(j->stable_begin, truth->begin) && within_two(j->stable_end, truth->end);
    t->unsteady += j->phase == PHASE_NO_STEADY_STATE;
    t->held += j->estimate.low <= truth->mean && truth->mean <= j->estimate.high;
    t->width += (j->estimate.high - j->estimate.low) / truth->mean;
}

static struct judge_config config_of(const struct row *row)
{
    const struct preset *preset = &presets[row->preset];
    return (struct judge_config){
        .changepoint = CHANGEPOINT_PELT,
        .estimate = {INTERVAL_SPECTRAL, 0.95, preset->autocorrelation_limit},
        .target_width = preset->target_width,
        .minimum_subsessions = preset->minimum_subsessions,
        .higher_is_better = true,
        .stopping = row->n == 0};
}

/* The rounds of a session: as long as asked for at least, then as the judgement demands. */
static void run_to_stop(const struct row *row, const struct truth *truth, struct tally *t)
{
    struct judge_config config = config_of(row);
    struct stop_rule rule = judge_stop_rule(&config);
    double least = presets[row->preset].minimum_seconds / SLICE_SECONDS;
    double n = fmax(least, (double)stop_min_n(&rule));
    while (n <= COUNT_MAX) {
        struct judgement j = judge(x, (size_t)n, &config, &arena);
        if (j.enough && (double)j.stable_end >= floor(n)) {
            count(t, &j, truth);
            t->stopped++;
            t->readings += n;
            return;
        }
        double more = j.required_n * 1.1 - n;
        n += fmax(fmin(more, n), n / 4);
    }
}

static void measure(const struct row *row, uint64_t seed, unsigned runs)
{
    struct judge_config config = config_of(row);
    struct tally t = {0};
    for (unsigned run = 0; run < runs; run++) {
        random_seed(&source, seed, run);
        struct truth truth = row->make(x, row->n ? row->n : COUNT_MAX, row->p, row->q);
        if (row->n == 0) {
            run_to_stop(row, &truth, &t);
            continue;
        }
        struct judgement j = judge(x, row->n, &config, &arena);
        count(&t, &j, &truth);
    }
    double share = 1.0 / (row->n ? runs : t.stopped);
    printf("%-26s", row->name);
    if (row->n)
        printf(" n %5zu", row->n);
    else
        printf(" %-7s", presets[row->preset].name);
    printf(" cut %.3f ends %.3f unsteady %.3f holds %.3f width %.3f", t.cut * share, t.ends * share,
           t.unsteady * share, t.held * share, t.width * share);
    if (row->n == 0)
        printf(" stopped %.3f after %.0f", (double)t.stopped / runs, t.readings * share);
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 400;
    const char *name = argc > 3 ? argv[3] : "";
    if (arena_init(&arena, judge_scratch_bytes(COUNT_MAX), NULL))
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strncmp(rows[i].name, name, strlen(name)))
            measure(&rows[i], seed, runs);
    arena_free(&arena);
    return EXIT_SUCCESS;
}
