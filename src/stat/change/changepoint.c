/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds change points by the requested method, and contains the steps of the default method. */
#include "stat/change/changepoint.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/change/internal.h"
#include "stat/change/segment.h"
#include "stat/estimate/autoregression.h"
#include "stat/estimate/mean_variance.h"

/* Compares one level with two levels and with a line, by least squares. The limits are squares of
   Student's t, far above the values that chance produces. */

#define LEVEL_MIN    4
#define STEP_SQUARE  70.0
#define TREND_SQUARE 30.0
/* share of the sum of squares about the mean; a remainder below this share is a rounding error */
#define EXACT 1e-12

/* The sum of squares about the mean, and how much of it is explained by a line, or by a second
   level over the best range of readings. */
struct explained {
    double all, by_step, by_line;
    /* range of the readings at the second level, half open; may lie at either end of the series */
    size_t begin, end;
};

/* Returns the square of Student's t of a step or slope that explains `explained` of the sum of
   squares `all` of n readings. */
static double square_of(double explained, double all, size_t n)
{
    double left = fmax(all - explained, EXACT * all);
    return all > 0 ? ((double)n - 2) * explained / left : 0;
}

/* Returns true if the range begin..end may be a second level: it has at least LEVEL_MIN readings,
   so have the readings outside it together, and so has each side that is not empty. */
static bool is_stretch(size_t begin, size_t end, size_t n)
{
    size_t length = end - begin;
    return length >= LEVEL_MIN && n - length >= LEVEL_MIN && (begin == 0 || begin >= LEVEL_MIN) &&
           (end == n || n - end >= LEVEL_MIN);
}

/* Finds the range of readings whose second level explains the most, and fits a line. Both use
   running sums of the deviations from the mean. */
static struct explained explain(const double x[], size_t n)
{
    struct explained best = {0};
    double sums[SHORT_SERIES_MAX + 1] = {0}, mean = mean_of(x, n), along = 0, spread = 0;
    for (size_t i = 0; i < n; i++) {
        double deviation = x[i] - mean, place = (double)i - ((double)n - 1) / 2;
        sums[i + 1] = sums[i] + deviation;
        best.all += deviation * deviation;
        along += place * deviation;
        spread += place * place;
    }
    best.by_line = along * along / spread;
    for (size_t begin = 0; begin + LEVEL_MIN <= n; begin++)
        for (size_t end = begin + LEVEL_MIN; end <= n; end++) {
            if (!is_stretch(begin, end, n))
                continue;
            double sum = sums[end] - sums[begin], length = (double)(end - begin);
            double by_step = sum * sum * (1 / length + 1 / ((double)n - length));
            if (by_step > best.by_step) {
                best.by_step = by_step;
                best.begin = begin;
                best.end = end;
            }
        }
    return best;
}

static bool has_step(const struct explained *by, size_t n)
{
    return by->by_step > by->by_line && square_of(by->by_step, by->all, n) >= STEP_SQUARE;
}

/* Appends the cuts of x[from..to), ascending, to out[count..]. Returns the new count. */
static size_t add_cuts(const double x[], size_t from, size_t to, size_t out[], size_t count)
{
    size_t n = to - from;
    if (n < SHORT_SERIES_MIN)
        return count;
    struct explained by = explain(x + from, n);
    if (!has_step(&by, n))
        return count;
    count = add_cuts(x, from, from + by.begin, out, count);
    if (by.begin > 0)
        out[count++] = from + by.begin;
    count = add_cuts(x, from + by.begin, from + by.end, out, count);
    if (by.end < n) {
        out[count++] = from + by.end;
        count = add_cuts(x, from + by.end, to, out, count);
    }
    return count;
}

/* Finds the cuts of x[0..n), n at most SHORT_SERIES_MAX, in ascending order; `cuts` must have n / 4
   elements. */
static size_t short_series_cuts(const double x[], size_t n, size_t cuts[])
{
    return add_cuts(x, 0, n, cuts, 0);
}

/* Returns true if x[0..n) rises or falls from its beginning to its end, rather than by a step. */
static bool short_series_is_trend(const double x[], size_t n)
{
    if (n < SHORT_SERIES_MIN || n > SHORT_SERIES_MAX)
        return false;
    struct explained by = explain(x, n);
    return !has_step(&by, n) && square_of(by.by_line, by.all, n) >= TREND_SQUARE;
}

/* ---- a short warm-up ---- */

/*
 * Finds a warm-up that is shorter than the minimum segment of the change point search.
 *
 * For k from 3 to `max`, the first k readings are a short warm-up if
 *
 *   - the reading k - 1, and at least 80 % of the first k readings, lie outside the range of the
 *     later readings (without 1 % at either end), all on the same side: a few stalls at the start
 *     are not enough, and a level that comes back later is no warm-up;
 *   - the means before and after k differ by more than chance explains:
 *     (df + 1) ln(1 + t^2 / df) >= min_worth with t = step / sqrt(s0 (1/k + 1/(n-k))), as in
 *     longrun.c. s0 and its degrees of freedom df are those of the readings from `max` on.
 *
 * If several k qualify, the one with the largest worth counts.
 */

#define MIN_READINGS  3
#define SHARE_OUTSIDE 0.8
#define RARE          0.01
#define CONFIDENCE    0.95

static size_t short_warmup_scratch_bytes(size_t n)
{
    return arena_bytes(n, sizeof(double)) + mean_variance_scratch_bytes(n);
}

/* Returns the length of the warm-up at the start of x[0..n); 0 if there is none or if n < 2 max. */
static size_t short_warmup_length(const double x[], size_t n, size_t max, double min_worth,
                                  struct arena *scratch)
{
    if (n < 2 * max)
        return 0;
    /* Computes the mean of the readings after any short warm-up, and the limits below and above
       which a share RARE of these readings lies. */
    const double *later = x + max;
    const size_t later_count = n - max, mark = arena_mark(scratch);
    double *copy = arena_alloc(scratch, later_count, sizeof *copy);
    memcpy(copy, later, later_count * sizeof *copy);
    const double mean = mean_of(later, later_count), count = (double)later_count;
    const double low = quantile_of(copy, later_count, RARE);
    const double high = quantile_of(copy, later_count, 1 - RARE);
    const struct mean_variance v = mean_variance_of(later, later_count, CONFIDENCE, scratch);
    arena_reset(scratch, mark);
    const double density = fmax(v.value * count, DBL_MIN), degrees = fmax(v.degrees, 1);
    size_t below = 0, above = 0, length = 0;
    double sum = 0, best = min_worth;
    for (size_t k = 1; k <= max; k++) {
        double reading = x[k - 1];
        sum += reading;
        below += reading < low;
        above += reading > high;
        bool last_outside = below > above ? reading < low : reading > high;
        size_t outside = below > above ? below : above;
        if (k < MIN_READINGS || !last_outside || (double)outside < SHARE_OUTSIDE * (double)k)
            continue;
        double step = mean - sum / (double)k;
        double square = step * step / (density * (1 / (double)k + 1 / count));
        double worth = (degrees + 1) * log1p(square / degrees);
        if (worth >= best) {
            best = worth;
            length = k;
        }
    }
    return length;
}

/* ---- do readings come back to their mean often enough to have a steady level? ---- */

#define MIN_INDEPENDENT 3.0
/* minimum number of independent readings for short series: a ramp or a decay of such a length never
   reaches it */
#define MIN_OF_SHORT   1.5
#define LARGEST_SAMPLE 1024
#define LARGEST_ORDER  5

static size_t reversion_scratch_bytes(void)
{
    return arena_bytes(LARGEST_SAMPLE, sizeof(double)) +
           autoregression_scratch_bytes(LARGEST_SAMPLE);
}

static bool fit_is_steady(const double x[], size_t n, double mean, size_t order, double min,
                          struct arena *scratch)
{
    struct autoregression a = autoregression_fit(x, n, mean, order, scratch);
    double rest = 1 - a.persistence;
    return sum_of_squares(x, n, mean) * rest * rest >= min * a.variance;
}

/*
 * Returns true if x[0..n) is worth at least three independent readings. For fewer than 450
 * readings the minimum is n / 150, but at least 1.5. The worth is n_eff = n var (1 - r)^2 /
 * var_noise, where var is the variance of the readings, and an autoregressive fit gives the
 * persistence r and the variance var_noise of its noise.
 *
 * A random walk, a ramp and a slow decay that fills the series are worth fewer, however long they
 * are. So is a stationary series that is shorter than about six times its correlation time: no
 * method can distinguish it from them. Two fits are made, of order 1 and of an order up to 5, and
 * the lower worth counts, since a high order predicts a smooth curve without an error. A constant
 * series is steady. Long series are first averaged in blocks.
 */
static bool reversion_is_steady(const double x[], size_t n, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    double *sample = arena_alloc(scratch, LARGEST_SAMPLE, sizeof *sample);
    size_t block = (n + LARGEST_SAMPLE - 1) / LARGEST_SAMPLE, count = n / block;
    for (size_t i = 0; i < count; i++)
        sample[i] = mean_of(x + i * block, block);
    /* A few readings of a correlated series often look like part of a slope, so the minimum is
       lower for short series. */
    double min = fmin(fmax((double)n / 150, MIN_OF_SHORT), MIN_INDEPENDENT);
    double mean = mean_of(sample, count);
    bool steady = sum_of_squares(sample, count, mean) <= 0 ||
                  (fit_is_steady(sample, count, mean, 1, min, scratch) &&
                   fit_is_steady(sample, count, mean, LARGEST_ORDER, min, scratch));
    arena_reset(scratch, mark);
    return steady;
}

/* ---- the steps ---- */

#define PENALTY_FACTOR 3.0
/* shorter series get the penalty of this length, because they do not yet show which levels recur */
#define MIN_SERIES     1000.0
#define SMALLEST_NOISE 1e-3 /* share of the readings' range; less is no noise */
#define OUTLIER_SHARE  0.05
/* outliers are clipped if they are at most this share of the readings, however far out they lie */
#define STRAY_SHARE    0.002
#define STRAY_READINGS 2.5
#define MAX_ISOLATED   2

/* The readings, the cleaned readings, and values that each search for cuts in them uses. */
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
 * Keeps the cuts that also hold in a series where only isolated outliers and a very small share of
 * all others are clipped. In that series, stalls that come in bursts count as noise.
 */
static size_t keep_cuts_beyond_bursts(const struct series *s, size_t count)
{
    if (count == 0)
        return 0;
    size_t mark = arena_mark(s->scratch);
    double *readings = arena_alloc(s->scratch, s->n, sizeof *readings);
    double share = fmax(STRAY_SHARE, STRAY_READINGS / (double)s->n);
    noise_clean(s->readings, s->n, share, readings, s->scratch);
    /* one or two outliers between ordinary readings are chance; three or more in a row may be a
       level */
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
 * Adds a cut at the end of a short warm-up. The search cannot cut before the minimum segment
 * length: when its first cut is at exactly that length, the cut is moved to the end of the warm-up
 * instead.
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
    if (count == 0) { /* an outlier may hide a cut, and cleaning may move a cut by one reading */
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
