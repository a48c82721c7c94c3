/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the work amounts of trial rounds and of later rounds (midpoints of a range that may
   grow), and makes the forecast. */
#include "stat/wps/work_amount.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "stat/wps/work_session.h"

/* ---- rounds of different work amounts ---- */

#define ROUNDS_A_FIT 50

void work_session_begin(struct work_session *w, const struct work_limits *limits)
{
    work_plan_start(&w->plan, limits);
}

void work_session_free(struct work_session *w)
{
    free(w->rounds);
    free(w->used);
    arena_free(&w->scratch);
    *w = (struct work_session){0};
}

static int reserve(struct work_session *w, struct err *e)
{
    if (w->count < w->capacity)
        return 0;
    size_t more = w->capacity, same = w->capacity;
    struct arena scratch;
    if (!array_grow(&w->rounds, sizeof *w->rounds, w->count, &more) ||
        !array_grow(&w->used, sizeof *w->used, w->count, &same))
        return err_no_memory(e, "the rounds");
    if (arena_init_untouched(&scratch, work_rate_scratch_bytes(more), e))
        return -1;
    arena_free(&w->scratch);
    w->scratch = scratch;
    w->capacity = more;
    return 0;
}

/* Copies rounds to `to`: with `less` the rounds that have less work than `end`, otherwise the used
   rounds that have at least that work. Returns their number. */
static size_t take_side(const struct work_session *w, double end, bool less, struct work_round to[])
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++)
        if (less ? w->rounds[i].work < end
                 : w->rounds[i].work >= end && work_plan_uses(&w->plan, &w->rounds[i]))
            to[n++] = w->rounds[i];
    return n;
}

/* Fits the line to the rounds that the present range of work amounts uses. */
static struct work_rate fit(struct work_session *w, double confidence)
{
    size_t n = take_side(w, 0, false, w->used);
    return work_rate_of(w->used, n, confidence, &w->scratch);
}

int work_session_add(struct work_session *w, const struct work_round *round, double confidence,
                     struct err *e)
{
    if (reserve(w, e))
        return -1;
    w->rounds[w->count++] = *round;
    if (w->count >= w->fit_at) {
        w->planned = fit(w, confidence);
        w->fit_at = w->count + 1 + w->count / ROUNDS_A_FIT;
    }
    work_plan_add(&w->plan, round->seconds, &w->planned);
    return 0;
}

void work_session_judge(struct work_session *w, double confidence)
{
    w->rate = fit(w, confidence);
    w->left = work_plan_forecast(&w->plan, &w->rate);
    w->enough = work_plan_enough(&w->plan, &w->rate);
}

struct work_rate work_session_duration(struct work_session *w, double work, double confidence,
                                       bool widened)
{
    /* smallest work of the rounds on the line; largest work of the rounds before the bend */
    double least = INFINITY, most = 0;
    size_t n = take_side(w, w->rate.bend, false, w->used);
    for (size_t i = 0; i < n; i++)
        least = fmin(least, w->used[i].work);
    const struct work_rate on_line =
        work_rate_duration(w->used, n, work, confidence, widened, &w->scratch);
    n = take_side(w, least, true, w->used);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, w->used[i].work);
    const struct work_rate below = work_rate_plain(w->used, n, confidence, &w->scratch);
    double crossing =
        (below.setup.value - w->rate.setup.value) / (w->rate.slope.value - below.slope.value);
    if (!(work < (crossing > most && crossing < least ? crossing : least)) || !(below.degrees > 0))
        return on_line;
    const struct work_rate beside =
        work_rate_duration(w->used, n, work, confidence, widened, &w->scratch);
    const bool differs = on_line.setup.value <= 0 || on_line.setup.value < beside.setup.low ||
                         on_line.setup.value > beside.setup.high;
    return differs ? beside : on_line;
}

#define GROWTH 1.5 /* a longer round than this, relative to the first, shows the speed */
/* ratio of the longest to the shortest round, unless the maximum work b prevents it */
#define LONGER_MIN 2.0
#define PASS       15 /* rounds after which the range may grow: four levels of midpoints */
#define BLIND_PASS 7  /* rounds after which the range may grow while no speed is known */
#define WIDER_MAX  4.0
#define PASSES_MAX 10000

double work_midpoint(size_t i)
{
    size_t level = 1;
    while (level * 2 <= i)
        level *= 2;
    return ((double)(i - level) + 0.5) / (double)level;
}

double work_slice_seconds(double t, double s, size_t n)
{
    double count = (double)n;
    t = fmax(t, (1 + LONGER_MIN) / 2 * s * count);
    return (2 * t - 2 * s * count) / (count * count - count);
}

void work_plan_start(struct work_plan *plan, const struct work_limits *limits)
{
    *plan = (struct work_plan){.limits = *limits, .low = limits->min, .high = limits->max};
    plan->trial = true;
    plan->next = limits->min;
}

bool work_plan_uses(const struct work_plan *plan, const struct work_round *round)
{
    bool long_enough = plan->too_short || round->seconds >= plan->limits.shortest;
    return long_enough && (plan->trial || round->work >= plan->low);
}

/* Returns the largest value of `low`, at which half of the user's range remains. */
static double lower_end_max(const struct work_plan *plan)
{
    return floor((plan->limits.min + plan->limits.max) / 2);
}

static void take_next(struct work_plan *plan)
{
    plan->place++;
    plan->next = round(plan->low + (plan->high - plan->low) * work_midpoint(plan->place));
}

/* Sets the range of the first estimate; it is the user's whole range when the trial shows no
   speed. */
static void begin_range(struct work_plan *plan)
{
    const struct work_limits *l = &plan->limits;
    plan->trial = false;
    double longer = plan->last.seconds - plan->first.seconds;
    double more = plan->last.work - plan->first.work;
    if (longer > 0 && more > 0) {
        double shortest = plan->last.seconds - (plan->last.work - plan->low) * longer / more;
        double slice = work_slice_seconds(l->quick_seconds, shortest, l->quick_rounds);
        double reach = (double)(l->quick_rounds - 1) * slice * more / longer;
        plan->high = fmin(l->max, plan->low + fmax(reach, 1));
    }
    take_next(plan);
}

static void add_trial(struct work_plan *plan, double seconds)
{
    struct work_round now = {plan->next, seconds};
    bool short_round = seconds < plan->limits.shortest, first = !(plan->first.work > 0);
    if (first)
        plan->first = now;
    plan->last = now;
    if (short_round)
        plan->low = fmin(2 * now.work, plan->limits.max);
    bool grown = !short_round && seconds >= GROWTH * plan->first.seconds;
    if (!grown && now.work < plan->limits.max) {
        plan->next = fmin(2 * now.work, plan->limits.max);
        return;
    }
    if (plan->low > lower_end_max(plan)) {
        plan->too_short = true;
        plan->low = plan->limits.min;
    }
    begin_range(plan);
}

static void raise_low(struct work_plan *plan, double work)
{
    plan->low = fmax(plan->low, fmin(ceil(work), lower_end_max(plan)));
}

/* What is still missing until the widened interval of a rate is narrow enough. */
struct need {
    /* sum of squares that the work amounts of further rounds must add to the spread; 0: narrow
       enough */
    double spread;
    double rounds; /* minimum number of further rounds */
};

/* If the interval is narrower than requested by this factor, the noise need not be known well: the
   interval would be narrow enough even if it had to be this many times wider. */
#define AMPLE 4

/* Returns the factor by which the number of rounds must grow until the noise between them is known
   well enough. */
static double growth_to_know(const struct work_plan *plan, const struct work_rate *rate,
                             const struct work_rate *wide)
{
    return AMPLE * work_rate_width(wide) <= plan->limits.width ? 1 : work_rate_growth_to_know(rate);
}

/* The error of a slope falls with the square root of the spread of the work amounts. */
static struct need need_of(const struct work_plan *plan, const struct work_rate *rate)
{
    struct work_rate wide = work_rate_widened(rate);
    double half = (wide.slope.high - wide.slope.low) / 2 / rate->slope.value;
    double width = plan->limits.width;
    /* the solution x of 2 x / (1 - x^2) = width */
    double enough = (sqrt(1 + width * width) - 1) / width;
    double more = rate->spread * (half * half / (enough * enough) - 1);
    double rounds =
        (double)plan->limits.min_rounds - fmin((double)rate->rounds, (double)plan->taken);
    double to_know = ceil((growth_to_know(plan, rate, &wide) - 1) * (double)rate->rounds);
    return (struct need){fmax(more, 0), fmax(fmax(rounds, to_know), 0)};
}

/* Returns how much one round adds on average to the spread, if its work comes from a range of this
   width. */
static double spread_of_range(double width)
{
    return width * width / 12;
}

/* Returns the factor by which the range grows after a pass. */
static double growth_of_range(const struct need *need, double width, bool proportional)
{
    double left = need->spread / spread_of_range(width), count = fmax(need->rounds, PASS);
    return proportional || left <= count ? 1 : fmin(sqrt(left / count), WIDER_MAX);
}

static void widen(struct work_plan *plan, double growth)
{
    double wider = plan->low + growth * (plan->high - plan->low);
    wider = fmin(wider, plan->limits.max);
    if (wider > plan->high) {
        plan->high = wider;
        plan->place = 0;
    }
}

void work_plan_add(struct work_plan *plan, double seconds, const struct work_rate *rate)
{
    if (plan->trial) {
        add_trial(plan, seconds);
        return;
    }
    plan->taken++;
    if (seconds < plan->limits.shortest && !plan->too_short) {
        plan->too_short = plan->low >= lower_end_max(plan);
        raise_low(plan, 2 * plan->next);
    }
    if (rate && rate->bounded) {
        double setup = rate->setup.low * rate->speed.value;
        plan->setup_dominates = setup > lower_end_max(plan);
        raise_low(plan, fmax(setup, rate->bend));
        struct need need = need_of(plan, rate);
        if (plan->place >= PASS)
            widen(plan, growth_of_range(&need, plan->high - plan->low, rate->proportional));
    } else if (plan->place >= BLIND_PASS) {
        widen(plan, WIDER_MAX);
    }
    if (plan->high < LONGER_MIN * plan->low)
        plan->high = fmin(LONGER_MIN * plan->low, plan->limits.max);
    take_next(plan);
}

bool work_plan_enough(const struct work_plan *plan, const struct work_rate *rate)
{
    struct work_rate wide = work_rate_widened(rate);
    size_t rounds = rate->rounds < plan->taken ? rate->rounds : plan->taken;
    return !plan->trial && rounds >= plan->limits.min_rounds &&
           growth_to_know(plan, rate, &wide) <= 1 && work_rate_width(&wide) <= plan->limits.width;
}

struct work_forecast work_plan_forecast(const struct work_plan *plan, const struct work_rate *rate)
{
    struct work_forecast unknown = {NAN, NAN}, left = {0, 0};
    if (plan->trial || !(rate->slope.value > 0) || !(rate->degrees > 0) || !(rate->spread > 0))
        return unknown;
    struct need need = need_of(plan, rate);
    double width = plan->high - plan->low, max_width = plan->limits.max - plan->low;
    double pass = fmax(PASS - (double)(plan->place - 1), 1);
    double count = (double)rate->rounds, mean = rate->mean_work;
    for (int i = 0; i < PASSES_MAX && (need.spread > 0 || need.rounds > 0); i++) {
        double each = spread_of_range(width);
        double rounds = fmin(pass, ceil(fmax(need.spread / each, need.rounds)));
        double middle = plan->low + width / 2, further = middle - mean;
        double between = count * rounds / (count + rounds) * further * further;
        left.rounds += rounds;
        left.seconds += rounds * work_rate_seconds(rate, middle);
        count += rounds;
        mean += further * rounds / count;
        need.spread = fmax(need.spread - rounds * each - between, 0);
        need.rounds = fmax(need.rounds - rounds, 0);
        width = fmin(width * growth_of_range(&need, width, rate->proportional), max_width);
        pass = PASS;
    }
    return need.spread > 0 ? unknown : left;
}
