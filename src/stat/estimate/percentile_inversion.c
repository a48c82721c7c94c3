/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the interval of a percentile: every threshold that the data do not contradict. */
#include <math.h>

#include "stat/basic/distribution.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/percentile.h"

#define MIN_BEYOND 5  /* with fewer values beyond a threshold, clusters cannot be seen */
#define DECADE     10 /* the largest factor by which one late stall may raise the upper end */
#define RARE       (1.0 / 200)
/* minimum number of independent time slices for percentiles above 1 - RARE */
#define MIN_STRETCHES  8
#define STALL_STRETCH  2  /* maximum number of neighbouring intervals that one stall may span */
#define EVEN_COUNT     16 /* a cell with fewer values does not show how they are spread */
#define EVEN_RATIO     2
#define CELL_STEPS     10
#define MORE_MIN       1.01
#define STALLS_TO_KNOW 4 /* minimum number of stalls that shows how often stalls come */

/* The search for one percentile's interval. */
struct inversion {
    const struct percentile_cells *x;
    size_t last; /* index of the highest cell that is not left out */
    double rare; /* 1 - share */
    double confidence;
    /* the values have long memory, which is then assumed also at thresholds that do not show it */
    bool remembers;
    double sparse_n; /* number of independent values at thresholds with few values beyond them */
    /* number of independent values, if the share in the tail moves over time as much as the shares
       of lower thresholds */
    double drift_n;
    /* The stall that is left out: `stall_above` values, in intervals [stall_begin, stall_end). */
    size_t stall_begin, stall_end;
    double stall_above;
    double *above, *count; /* [x->intervals] */
    struct arena *scratch;
};

static struct exceedance exceedance_at(struct inversion *v, size_t cell)
{
    v->x->counts(v->x->source, cell, v->above, v->count);
    for (size_t i = v->stall_begin; i < v->stall_end; i++) {
        double stalled = v->stall_above / (double)(v->stall_end - v->stall_begin);
        v->above[i] = fmax(0, v->above[i] - stalled);
    }
    struct exceedance e =
        exceedance_of(v->above, v->count, v->x->intervals, v->confidence, v->scratch);
    return v->remembers ? exceedance_with_memory(&e) : e;
}

static double worth_of(const struct inversion *v, const struct exceedance *e)
{
    double beyond = fmin(e->above, e->count - e->above);
    return beyond >= MIN_BEYOND ? e->effective_n : v->sparse_n;
}

/* The share of values above a threshold, and the number of independent values that it rests on. */
struct threshold {
    double share, n;
};

/* Returns the threshold at the upper end of a cell, which is the lower end of the next cell. */
static struct threshold threshold_above(struct inversion *v, size_t cell)
{
    struct exceedance e = exceedance_at(v, cell);
    return (struct threshold){e.share, worth_of(v, &e)};
}

static struct threshold threshold_below(struct inversion *v, size_t cell)
{
    return cell > 0 ? threshold_above(v, cell - 1) : (struct threshold){1, v->sparse_n};
}

/* Returns true if too few values lie above the threshold for it to be the percentile. */
static bool is_too_high(const struct inversion *v, struct threshold t)
{
    double n = fmin(t.n, v->drift_n);
    return binomial_cdf(n * t.share, n, v->rare) < (1 - v->confidence) / 2;
}

static bool is_too_low(const struct inversion *v, struct threshold t)
{
    return binomial_cdf(t.n * (1 - t.share), t.n, 1 - v->rare) < (1 - v->confidence) / 2;
}

static bool too_high(struct inversion *v, size_t cell)
{
    return is_too_high(v, threshold_above(v, cell));
}

static bool too_low(struct inversion *v, size_t cell)
{
    return is_too_low(v, threshold_below(v, cell));
}

/* Returns true if the values of a cell seem to be spread evenly in it: the adjacent cells contain
   about as many values. */
static bool is_even(const struct percentile_cells *x, size_t cell)
{
    if (cell == 0 || cell + 1 >= x->cells || x->count[cell] < EVEN_COUNT)
        return false;
    double around = fmin(x->count[cell - 1], x->count[cell + 1]);
    bool adjacent = x->low[cell] - x->high[cell - 1] <= 1 && x->low[cell + 1] - x->high[cell] <= 1;
    return adjacent && x->count[cell] <= EVEN_RATIO * around;
}

/*
 * Returns the interval's end in a cell of which the test rejects the outer end and accepts the
 * inner one. If values are spread evenly in the cell, the interval ends inside it; otherwise at the
 * rejected end, which keeps the coverage for any spread inside.
 */
static double end_inside(struct inversion *v, size_t cell, bool up)
{
    double width = v->x->high[cell] - v->x->low[cell];
    if (!is_even(v->x, cell))
        return up ? v->x->high[cell] : v->x->low[cell];
    const struct threshold below = threshold_below(v, cell), above = threshold_above(v, cell);
    /* position of the threshold in the cell, from 0 at its low end to 1 */
    double accepted = up ? 0 : 1, rejected = 1 - accepted;
    for (int step = 0; step < CELL_STEPS; step++) {
        double middle = (accepted + rejected) / 2;
        struct threshold t = {below.share + (above.share - below.share) * middle,
                              fmin(below.n, above.n)};
        *((up ? is_too_high(v, t) : is_too_low(v, t)) ? &rejected : &accepted) = middle;
    }
    return v->x->low[cell] + width * rejected;
}

/*
 * Searches outwards from `at` (up: to the last cell, else to the first) for the first cell that the
 * test rejects, by growing steps and then by bisection. Returns x->cells when it rejects none.
 */
static size_t first_rejected(struct inversion *v, size_t at, bool up)
{
    bool (*rejects)(struct inversion *, size_t) = up ? too_high : too_low;
    size_t room = up ? v->last - at : at; /* number of cells between `at` and the outermost one */
    size_t accepted = 0, step = 0;
    while (!rejects(v, up ? at + step : at - step)) {
        if (step == room)
            return v->x->cells;
        accepted = step + 1;
        step = step ? 2 * step : 1;
        step = step < room ? step : room;
    }
    while (accepted < step) {
        size_t middle = accepted + (step - accepted) / 2;
        if (rejects(v, up ? at + middle : at - middle))
            step = middle;
        else
            accepted = middle + 1;
    }
    return up ? at + step : at - step;
}

/* Returns the cell of a rank, and sets *value to the value of that rank, interpolated linearly
   inside the cell. */
static size_t cell_of_rank(const struct percentile_cells *x, uint64_t rank, double *value)
{
    double before = 0;
    size_t cell = 0;
    while (cell + 1 < x->cells && before + x->count[cell] < (double)rank)
        before += x->count[cell++];
    double along = ((double)rank - before - 0.5) / x->count[cell];
    *value = x->low[cell] + (x->high[cell] - x->low[cell]) * along;
    return cell;
}

/* Returns the cell for which the share of values above it is nearest to `rare`. `at` is the cell of
   the percentile. */
static size_t nearest_cell(const struct percentile_cells *x, size_t at, double n, double rare)
{
    double above = 0;
    for (size_t cell = at + 1; cell < x->cells; cell++)
        above += x->count[cell];
    double with = above + x->count[at], wanted = rare * n;
    bool below_nearer = above * with < wanted * wanted;
    return at > 0 && with < n && below_nearer ? at - 1 : at;
}

static struct exceedance exceedance_of_share(struct inversion *v, double n, double rare)
{
    double unused;
    size_t at = cell_of_rank(v->x, histogram_nearest_rank((uint64_t)n, 1 - rare), &unused);
    return exceedance_at(v, nearest_cell(v->x, at, n, rare));
}

/* Returns the number of independent values at the outermost threshold with at least MIN_BEYOND
   values beyond it; `otherwise` if there is none. */
static double worth_of_sparse(struct inversion *v, size_t at, bool up, double otherwise)
{
    double beyond = 0;
    size_t room = up ? v->last - at : at;
    for (size_t i = 0; i < room; i++) {
        size_t cell = up ? v->last - i : i;
        beyond += v->x->count[cell];
        if (beyond >= MIN_BEYOND)
            return exceedance_at(v, up ? cell - 1 : cell).effective_n;
    }
    return otherwise;
}

/*
 * Finds the interval's upper end. The end is in the cell that the plain test rejects, or, if
 * further out, in the cell that the test with a moving tail (drift_n) rejects. If the second test
 * accepts every threshold, the end is the longest value seen, unless that is a decade away. Returns
 * x->cells when the plain test rejects no threshold.
 */
static size_t upper_end(struct inversion *v, size_t at, double drift_n, double decade)
{
    v->drift_n = INFINITY;
    size_t plain = first_rejected(v, at, true);
    if (plain == v->x->cells)
        return plain;
    v->drift_n = drift_n;
    size_t cell = first_rejected(v, plain, true);
    if (cell < v->x->cells)
        return cell;
    return v->x->high[v->last] < decade ? v->last : plain;
}

/*
 * Returns true if all values of at least `decade` belong to one stall, in neighbouring intervals.
 * That stall is left out from now on.
 */
static bool leave_out_stall(struct inversion *v, size_t at, double decade)
{
    size_t last = at, begin = v->x->intervals, end = 0;
    while (last < v->last && v->x->low[last + 1] < decade)
        last++;
    v->x->counts(v->x->source, last, v->above, v->count);
    double total = 0;
    for (size_t i = 0; i < v->x->intervals; i++) {
        if (v->above[i] > 0) {
            begin = i < begin ? i : begin;
            end = i + 1;
        }
        total += v->above[i];
    }
    if (end <= begin || end - begin > STALL_STRETCH)
        return false;
    v->stall_begin = begin;
    v->stall_end = end;
    v->stall_above = total;
    v->last = last;
    return true;
}

/* The cells in which the interval ends (x->cells: it has no end on this side), and the numbers of
   independent values there. */
struct ends {
    size_t low, high;
    double low_value, high_value;
    double effective_n; /* number of independent values at the percentile */
    /* smallest number of independent values at the thresholds where the ends were searched */
    double worth;
};

static struct ends find_ends(struct inversion *v, size_t at, double n, double decade)
{
    struct exceedance here = exceedance_at(v, nearest_cell(v->x, at, n, v->rare));
    struct exceedance wider = exceedance_of_share(v, n, fmin(0.5, 10 * v->rare));
    double drift_n =
        fmin(exceedance_worth_at(&here, v->rare), exceedance_worth_at(&wider, v->rare));
    struct ends e = {.effective_n = here.effective_n};
    v->drift_n = INFINITY;
    v->sparse_n = e.worth = worth_of_sparse(v, at, false, here.effective_n);
    e.low = first_rejected(v, at, false);
    if (e.low < v->x->cells)
        e.low_value = end_inside(v, e.low, false);
    v->sparse_n = worth_of_sparse(v, at, true, here.effective_n);
    e.high = upper_end(v, at, drift_n, decade);
    if (e.high < v->x->cells)
        e.high_value = end_inside(v, e.high, true);
    e.worth = fmin(e.worth, v->sparse_n);
    return e;
}

/* Moves the ends of the interval outwards until their distance from the percentile, as a factor, is
   at least that of the median's ends from the median. */
static void move_with_level(struct percentile *p, const struct percentile *level)
{
    if (level->lack || !(level->low > 0 && p->low > 0))
        return;
    p->low = fmin(p->low, p->value * level->low / level->value);
    p->high = fmax(p->high, p->value * level->high / level->value);
}

struct percentile percentile_of_cells(const struct percentile_cells *x, double share,
                                      double confidence, struct arena *scratch)
{
    struct percentile p = {.share = share,
                           .value = NAN,
                           .low = NAN,
                           .high = NAN,
                           .confidence = confidence,
                           .lack = PERCENTILE_LACKS_SAMPLES,
                           .more = INFINITY};
    for (size_t cell = 0; cell < x->cells; cell++)
        p.n += x->count[cell];
    if (!(p.n > 0))
        return p;
    size_t at = cell_of_rank(x, histogram_nearest_rank((uint64_t)p.n, share), &p.value);
    if (x->intervals < 3)
        return p;

    size_t mark = arena_mark(scratch);
    struct inversion v = {.x = x,
                          .last = x->cells - 1,
                          .rare = 1 - share,
                          .confidence = confidence,
                          .above = arena_alloc(scratch, x->intervals, sizeof(double)),
                          .count = arena_alloc(scratch, x->intervals, sizeof(double)),
                          .scratch = scratch};
    /* there are no factors of ten for values at or below 0 */
    const double decade = p.value > 0 ? DECADE * p.value : INFINITY;
    struct exceedance middle = exceedance_of_share(&v, p.n, 0.5);
    v.remembers = x->remembers || middle.memory > 0;
    struct ends e = find_ends(&v, at, p.n, decade);
    bool far = e.low == x->cells || e.high == x->cells || x->high[e.high] > decade;
    if (far && leave_out_stall(&v, at, decade))
        e = find_ends(&v, at, p.n, decade);
    arena_reset(scratch, mark);

    p.effective_n = e.effective_n;
    if (v.stall_above > v.rare * p.n / 2) {
        p.lack = PERCENTILE_LACKS_STALLS;
        p.more = STALLS_TO_KNOW;
    } else if (e.low == x->cells || e.high == x->cells) {
        p.lack = PERCENTILE_LACKS_SAMPLES;
        p.more = fmax(percentile_min_n(share, confidence, true) / e.worth, MORE_MIN);
    } else if (v.rare < RARE && middle.stretches < MIN_STRETCHES) {
        p.lack = PERCENTILE_LACKS_STRETCHES;
        p.more = fmax(MIN_STRETCHES / middle.stretches, MORE_MIN);
    } else {
        p.lack = PERCENTILE_LACKS_NOTHING;
        p.more = 1;
        p.low = fmin(e.low_value, p.value);
        p.high = fmax(e.high_value, p.value);
        p.left_out = v.stall_above;
    }
    if (!p.lack && v.remembers && share > 0.5 && p.value > 0) {
        struct percentile level = percentile_of_cells(x, 0.5, confidence, scratch);
        move_with_level(&p, &level);
    }
    return p;
}

size_t percentile_scratch_bytes(size_t intervals)
{
    return 2 * arena_bytes(intervals, sizeof(double)) + exceedance_scratch_bytes(intervals) +
           3 * arena_bytes(HISTOGRAM_BUCKETS + 1, sizeof(double));
}

/* The buckets of a histogram that hold values, in the form of the cells whose counts are tested. */
struct bucket_cells {
    const struct percentile_intervals *x;
    const double *high;
};

static void counts_of_buckets(const void *source, size_t cell, double above[], double count[])
{
    const struct bucket_cells *of = source;
    of->x->counts(of->x->source, of->high[cell], above, count);
}

struct percentile percentile_of_intervals(const struct percentile_intervals *x, double share,
                                          double confidence, struct arena *scratch)
{
    const struct histogram *h = x->total;
    size_t mark = arena_mark(scratch), cells = 0;
    double *low = arena_alloc(scratch, HISTOGRAM_BUCKETS + 1, sizeof *low);
    double *high = arena_alloc(scratch, HISTOGRAM_BUCKETS + 1, sizeof *high);
    double *count = arena_alloc(scratch, HISTOGRAM_BUCKETS + 1, sizeof *count);
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        uint64_t held = i < HISTOGRAM_BUCKETS ? h->count[i] : h->over;
        if (held == 0)
            continue;
        low[cells] = fmax(histogram_edge(i), (double)h->min);
        high[cells] = i < HISTOGRAM_BUCKETS ? fmin(histogram_edge(i + 1) - 1, (double)h->max)
                                            : (double)h->max;
        count[cells++] = (double)held;
    }
    struct bucket_cells buckets = {x, high};
    struct percentile_cells of = {
        cells, low, high, count, x->intervals, counts_of_buckets, &buckets, x->remembers};
    struct percentile p = percentile_of_cells(&of, share, confidence, scratch);
    p.value = histogram_quantile(h, share);
    arena_reset(scratch, mark);
    return p;
}
