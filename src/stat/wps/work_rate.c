/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the speed from the line, and finds the rounds that are on the line. */
#include "stat/wps/work_rate.h"

#include <math.h>

#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/change/changepoint.h"
#include "stat/estimate/long_memory.h"
#include "stat/wps/internal.h"

#define BEND_CHANGE 0.05 /* smallest relative change of the slope that matters */
#define BEND_PLACES 12
/* minimum number of rounds on either side of a bend; above the bend also a quarter of all rounds */
#define MIN_SIDE                  4
#define STOP_WIDENING             6.0
#define STOP_WIDENING_INDEPENDENT 3.0

size_t work_rate_scratch_bytes(size_t n)
{
    return arena_bytes(n, sizeof(struct work_round)) + line_scratch_bytes(n);
}

static struct work_value unknown(double value)
{
    return (struct work_value){value, -INFINITY, INFINITY};
}

static void set_speed(struct work_rate *r)
{
    r->bounded = r->slope.low > 0;
    /* A slope of 0 or less means that more work takes no more time, so the speed has no upper
       bound. */
    r->speed.value = r->slope.value <= 0 ? INFINITY : 1 / r->slope.value;
    r->speed.low = r->slope.high > 0 ? 1 / r->slope.high : 0;
    r->speed.high = r->bounded ? 1 / r->slope.low : INFINITY;
}

static struct work_value value_of(const struct line *l, enum line_column c, double confidence)
{
    if (!(l->degrees > 0))
        return unknown(l->value[c]);
    double half = student_t_quantile((1 + confidence) / 2, l->degrees) * l->error[c];
    return (struct work_value){l->value[c], l->value[c] - half, l->value[c] + half};
}

static struct work_rate rate_of_line(const struct line *l, size_t rounds, double confidence)
{
    struct work_rate r = {.rounds = rounds,
                          .mean_work = l->mean_work,
                          .spread = l->spread,
                          .confidence = confidence,
                          .degrees = l->degrees,
                          .independent = l->independent,
                          .memory = l->memory,
                          .doubt = l->doubt,
                          .heavy_tailed = l->heavy_tailed,
                          .autocorrelation = l->persistence,
                          .proportional = l->proportional};
    r.setup = value_of(l, LINE_SETUP, confidence);
    r.slope = value_of(l, LINE_SLOPE, confidence);
    set_speed(&r);
    return r;
}

static struct work_rate fit(const struct work_round round[], size_t n,
                            const struct line_options *options, double confidence,
                            struct arena *scratch)
{
    struct line l;
    if (n >= 2 && line_fit(round, n, options, &l, scratch))
        return rate_of_line(&l, n, confidence);
    return (struct work_rate){.rounds = n,
                              .setup = unknown(NAN),
                              .slope = unknown(NAN),
                              .speed = {NAN, 0, INFINITY},
                              .confidence = confidence};
}

/* Returns by how much a bend at this work amount lowers the deviance; 0 if the bend is too small to
   matter. `brief`: as in struct line_options. */
static double bend_worth(const struct work_round round[], size_t n, double bend, bool brief,
                         struct arena *scratch)
{
    struct line l;
    struct line_options options = {.weighted = true, .bend = bend, .brief = brief};
    if (!line_fit(round, n, &options, &l, scratch) || !(l.degrees > 0))
        return 0;
    double errors = l.value[LINE_EXTRA] / l.error[LINE_EXTRA];
    bool matters = fabs(l.value[LINE_EXTRA]) > BEND_CHANGE * fabs(l.value[LINE_SLOPE]);
    return matters ? (l.degrees + 1) * log1p(errors * errors / l.degrees) : 0;
}

/*
 * Returns the work amount at which the slope changes; 0 if it does not change. Fits a line with a
 * bend at each of a few amounts, and returns the most likely one.
 */
static double find_bend(const struct work_round round[], size_t n, struct arena *scratch)
{
    if (n < WORK_RATE_BEND_ROUNDS)
        return 0;
    size_t mark = arena_mark(scratch);
    double *work = arena_alloc(scratch, n, sizeof *work);
    double *room = arena_alloc(scratch, n, sizeof *room);
    for (size_t i = 0; i < n; i++)
        work[i] = round[i].work;
    sort_values(work, n, room);
    double best = 0, largest = changepoint_penalty(n);
    size_t max_below = n - (n / MIN_SIDE > MIN_SIDE ? n / MIN_SIDE : MIN_SIDE);
    for (size_t place = 0; place < BEND_PLACES; place++) {
        size_t i = MIN_SIDE + place * (max_below - MIN_SIDE) / BEND_PLACES;
        if (work[i] <= work[MIN_SIDE - 1])
            continue;
        /* Long memory only widens the errors, so it is taken into account only if a bend is found
           without it. */
        double worth = bend_worth(round, n, work[i], true, scratch);
        if (worth > largest)
            worth = bend_worth(round, n, work[i], false, scratch);
        if (worth > largest) {
            largest = worth;
            best = work[i];
        }
    }
    arena_reset(scratch, mark);
    return best;
}

struct work_rate work_rate_plain(const struct work_round round[], size_t n, double confidence,
                                 struct arena *scratch)
{
    return fit(round, n, &(struct line_options){.weighted = false}, confidence, scratch);
}

struct work_rate work_rate_of(const struct work_round round[], size_t n, double confidence,
                              struct arena *scratch)
{
    const struct line_options weighted = {.weighted = true};
    double bend = find_bend(round, n, scratch);
    if (!(bend > 0))
        return fit(round, n, &weighted, confidence, scratch);
    size_t mark = arena_mark(scratch), count = 0;
    struct work_round *above = arena_alloc(scratch, n, sizeof *above);
    for (size_t i = 0; i < n; i++)
        if (round[i].work >= bend)
            above[count++] = round[i];
    struct work_rate r = fit(above, count, &weighted, confidence, scratch);
    r.bend = bend;
    arena_reset(scratch, mark);
    return r;
}

/* Moves both ends of an interval to `factor` times their distance from its value. */
static struct work_value stretch(const struct work_value *v, double factor)
{
    return (struct work_value){v->value, v->value - factor * (v->value - v->low),
                               v->value + factor * (v->high - v->value)};
}

static double stop_widening(const struct work_rate *rate)
{
    const double of_error =
        fmax(STOP_WIDENING / rate->degrees, STOP_WIDENING_INDEPENDENT / rate->independent);
    return sqrt(1 + of_error) * fmax(rate->doubt, 1);
}

struct work_rate work_rate_widened(const struct work_rate *rate)
{
    struct work_rate wide = *rate;
    if (!(rate->degrees > 0))
        return wide;
    wide.slope = stretch(&rate->slope, stop_widening(rate));
    set_speed(&wide);
    return wide;
}

struct work_value work_rate_next_speed(const struct work_rate *rate)
{
    struct work_rate next = *rate;
    next.slope = stretch(&rate->slope, sqrt(long_memory_next_factor(rate->memory)));
    set_speed(&next);
    return next.speed;
}

struct work_rate work_rate_duration(const struct work_round round[], size_t n, double work,
                                    double confidence, bool widened, struct arena *scratch)
{
    const struct line_options options = {.weighted = true, .origin = work};
    struct work_rate rate = fit(round, n, &options, confidence, scratch);
    if (widened && rate.degrees > 0)
        rate.setup = stretch(&rate.setup, stop_widening(&rate));
    return rate;
}

double work_rate_growth_to_know(const struct work_rate *rate)
{
    if (!(rate->degrees > 0))
        return 1;
    double growth = 1;
    if (rate->autocorrelation > 0 && !(rate->memory > 0))
        growth = fmax(growth, WORK_RATE_MIN_INDEPENDENT / rate->independent);
    if (rate->heavy_tailed)
        growth = fmax(growth, WORK_RATE_MIN_TAIL_DEGREES / rate->degrees);
    return growth;
}

double work_rate_width(const struct work_rate *rate)
{
    return rate->bounded ? (rate->speed.high - rate->speed.low) / rate->speed.value : INFINITY;
}

double work_rate_seconds(const struct work_rate *rate, double work)
{
    return rate->setup.value + rate->slope.value * work;
}
