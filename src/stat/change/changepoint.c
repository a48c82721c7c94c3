/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choice of the method, and the steps of the default one. */
#include "stat/change/changepoint.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/change/internal.h"
#include "stat/change/segment.h"

#define PENALTY_FACTOR 3.0
#define MIN_SERIES     1000.0 /* a shorter one does not yet show which of its levels come back */
#define SMALLEST_NOISE 1e-3   /* share of the range; smaller scatter counts as no noise */
#define OUTLIER_SHARE  0.05
/* a smaller share of the readings means nothing, however far out they are */
#define STRAY_SHARE    0.002
#define STRAY_READINGS 2.5
#define MAX_ISOLATED   2

/* The readings, the cleaned readings, and the values that all divisions share. */
struct series {
    const double *readings;
    double *x;
    size_t n;
    double penalty;
    double smallest_noise;
    size_t *cuts;
    size_t cut_capacity;
    struct arena *scratch;
};

static size_t max_cuts(size_t n)
{
    return n / CHANGEPOINT_MINIMUM_SEGMENT + 1;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t pelt_method_bytes(size_t n)
{
    size_t step =
        arena_bytes(n, sizeof(double)) + pelt_scratch_bytes(n, CHANGEPOINT_MINIMUM_SEGMENT);
    step = larger(step, noise_scratch_bytes(n));
    step = larger(step, recurrence_scratch_bytes(n));
    step = larger(step, confirm_scratch_bytes(max_cuts(n)));
    step = larger(step, arena_bytes(n, sizeof(double)) +
                            larger(noise_scratch_bytes(n), longrun_scratch_bytes(n, max_cuts(n))));
    step = larger(step, reversion_scratch_bytes());
    step = larger(step, short_warmup_scratch_bytes(n));
    return arena_bytes(n, sizeof(double)) + arena_bytes(max_cuts(n), sizeof(size_t)) + step;
}

size_t changepoint_scratch_bytes(enum changepoint_method method, size_t n)
{
    switch (method) {
    case CHANGEPOINT_PELT:
        return pelt_method_bytes(n);
    case CHANGEPOINT_EDM:
        return edm_scratch_bytes(n);
    case CHANGEPOINT_NONE:
        break;
    }
    return 0;
}

double changepoint_penalty(size_t n)
{
    return PENALTY_FACTOR * log(fmax((double)n, MIN_SERIES));
}

static size_t divide(const struct series *s, double noise)
{
    size_t mark = arena_mark(s->scratch);
    double *scaled = arena_alloc(s->scratch, s->n, sizeof *scaled);
    double centre = mean_of(s->x, s->n);
    noise = fmax(noise, s->smallest_noise);
    for (size_t i = 0; i < s->n; i++)
        scaled[i] = (s->x[i] - centre) / noise;
    size_t count = pelt_mean(scaled, s->n, s->penalty, CHANGEPOINT_MINIMUM_SEGMENT, s->cuts,
                             s->cut_capacity, s->scratch);
    arena_reset(s->scratch, mark);
    return count;
}

/*
 * Keeps the cuts that still stand against the uncleaned readings, in which only isolated outliers
 * and a very small share of others are brought in: stalls that come in bursts are noise.
 */
static size_t keep_cuts_beyond_bursts(const struct series *s, size_t count)
{
    if (count == 0)
        return 0;
    size_t mark = arena_mark(s->scratch);
    double *readings = arena_alloc(s->scratch, s->n, sizeof *readings);
    double share = fmax(STRAY_SHARE, STRAY_READINGS / (double)s->n);
    noise_clean(s->readings, s->n, share, readings, s->scratch);
    /* one or two outliers between ordinary readings are chance; more may be a level */
    for (size_t begin = 0, end; begin < s->n; begin = end + 1) {
        for (end = begin; end < s->n && s->x[end] != s->readings[end]; end++)
            ;
        if (end - begin <= MAX_ISOLATED)
            memcpy(&readings[begin], &s->x[begin], (end - begin) * sizeof readings[0]);
    }
    count = longrun_cuts(readings, s->n, s->cuts, count, s->penalty, s->scratch);
    arena_reset(s->scratch, mark);
    return count;
}

static size_t divide_robustly(const struct series *s)
{
    double noise = noise_level(s->x, s->n, s->scratch);
    size_t count = divide(s, noise);
    double switching = recurrence_noise_level(s->x, s->n, s->cuts, count, s->scratch);
    if (switching > noise)
        count = divide(s, switching);
    count = confirm_cuts(s->x, s->n, s->cuts, count, s->penalty, s->scratch);
    count = keep_cuts_beyond_bursts(s, count);

    struct segment longest = segment_longest(s->n, s->cuts, count);
    if (!reversion_is_steady(s->x + longest.begin, longest.end - longest.begin, s->scratch))
        count = divide(s, noise_level_independent(s->x, s->n, s->scratch));
    return count;
}

/*
 * Cuts at the end of a short warm-up. The search can cut a step that lies inside the minimum
 * segment length only at that length; such a cut is moved to the step.
 */
static size_t cut_short_warmup(const struct series *s, size_t count)
{
    const size_t min = CHANGEPOINT_MINIMUM_SEGMENT;
    bool is_shortest = count > 0 && s->cuts[0] == min;
    size_t after = is_shortest ? 1 : 0;
    size_t end = count > after ? s->cuts[after] : s->n;
    size_t length = short_warmup_length(s->x, end, min, s->penalty, s->scratch);
    if (length == 0)
        return count;
    if (!is_shortest) {
        memmove(&s->cuts[1], &s->cuts[0], count * sizeof s->cuts[0]);
        count++;
    }
    s->cuts[0] = length;
    return count;
}

static size_t find_in_short(const double x[], size_t n, size_t out[], size_t capacity,
                            struct arena *scratch)
{
    size_t cuts[SHORT_SERIES_MAX / 4], mark = arena_mark(scratch);
    double *clean = arena_alloc(scratch, n, sizeof *clean);
    size_t count = short_series_cuts(x, n, cuts);
    if (count == 0) { /* an outlier may hide a cut; bringing it in may move the cut by one */
        noise_clean(x, n, OUTLIER_SHARE, clean, scratch);
        count = short_series_cuts(clean, n, cuts);
    }
    for (size_t i = 0; i < count && i < capacity; i++)
        out[i] = cuts[i];
    arena_reset(scratch, mark);
    return count;
}

static size_t find_by_pelt(const double x[], size_t n, size_t out[], size_t capacity,
                           struct arena *scratch)
{
    if (n <= SHORT_SERIES_MAX)
        return find_in_short(x, n, out, capacity, scratch);
    size_t mark = arena_mark(scratch);
    struct series s = {.readings = x, .n = n, .cut_capacity = max_cuts(n), .scratch = scratch};
    s.x = arena_alloc(scratch, n, sizeof *s.x);
    s.cuts = arena_alloc(scratch, s.cut_capacity, sizeof *s.cuts);
    noise_clean(x, n, OUTLIER_SHARE, s.x, scratch);
    s.penalty = changepoint_penalty(n);
    double low = s.x[0], high = s.x[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, s.x[i]);
        high = fmax(high, s.x[i]);
    }
    s.smallest_noise = SMALLEST_NOISE * (high - low);
    size_t count = s.smallest_noise > 0 ? cut_short_warmup(&s, divide_robustly(&s)) : 0;
    for (size_t i = 0; i < count && i < capacity; i++)
        out[i] = s.cuts[i];
    arena_reset(scratch, mark);
    return count;
}

enum change_search changepoint_search(enum changepoint_method method, size_t n)
{
    if (method == CHANGEPOINT_NONE || n < SHORT_SERIES_MIN)
        return CHANGE_SEARCH_NONE;
    if (n > SHORT_SERIES_MAX)
        return CHANGE_SEARCH_FULL;
    return method == CHANGEPOINT_PELT ? CHANGE_SEARCH_PLAIN : CHANGE_SEARCH_NONE;
}

bool changepoint_is_trend(enum changepoint_method method, const double x[], size_t n)
{
    return method == CHANGEPOINT_PELT && short_series_is_trend(x, n);
}

size_t changepoint_find(enum changepoint_method method, const double x[], size_t n, size_t out[],
                        size_t capacity, struct arena *scratch)
{
    switch (method) {
    case CHANGEPOINT_PELT:
        return find_by_pelt(x, n, out, capacity, scratch);
    case CHANGEPOINT_EDM:
        return edm_percent(x, n, EDM_PILOT_DELTA, EDM_PILOT_PERCENT, EDM_PILOT_DEGREE, out,
                           capacity, scratch);
    case CHANGEPOINT_NONE:
        break;
    }
    return 0;
}
