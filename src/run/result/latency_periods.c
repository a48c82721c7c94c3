/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes percentiles over time: one set for each period of the wall clock, with confidence
 * intervals.
 *
 * The interval is that of the latency in this period. It uses order statistics on the number of
 * independent values in the period. Latencies come in clusters, so this number is smaller than the
 * number of values. Neighbouring periods show by how much: their shares above a common threshold
 * differ more than those of independent values would. A level that drifts slowly differs little
 * from one period to the next, and does not widen the intervals.
 */
#include <math.h>
#include <stdio.h>

#include "base/invariant.h"
#include "base/units.h"
#include "run/result/internal.h"
#include "stat/estimate/percentile.h"

/* ---- the share of an I/O in a period ---- */

/*
 * An I/O that spans several periods counts in each by the fraction of its duration in it (Cronburg,
 * England, Percentiles). The histograms have the duration of an I/O and the period in which it
 * completed, but not the instant: all instants of the period are assumed to be equally likely, and
 * the fractions are expected values.
 */

/* Latencies of a period, each weighted by the fraction of its duration in that period. */
struct latency_weights {
    double count[HISTOGRAM_BUCKETS + 1]; /* the last element counts latencies above all buckets */
    double total, min, max;              /* min and max are infinity and 0 if it is empty */
};

/* I/Os shorter than this share of a period count only in the period in which they completed. */
#define SHORT_SHARE 0.01

/* Returns the expected part of a duration of `life` ns that is more than `before` ns before the
   period of `length` ns in which it ends. */
static double expected_before(double life, double before, double length)
{
    double rest = life - before;
    if (rest <= 0)
        return 0;
    return rest < length ? rest * rest / (2 * length) : rest - length / 2;
}

/* Returns the fraction of a duration that is in the period `back` periods before the one in which
   it ends. */
static double fraction_of(double life, uint64_t back, double length)
{
    double at = (double)back * length;
    if (life < SHORT_SHARE * length)
        return back ? 0 : 1;
    double later = back ? expected_before(life, at - length, length) : life;
    return (later - expected_before(life, at, length)) / life;
}

/* Adds I/Os that completed `back` periods later, by their fractions in this period. */
static void add_fractions(struct latency_weights *w, const struct interval_histogram *from,
                          uint64_t back, double length)
{
    const double least = back ? fmax((double)(back - 1) * length, SHORT_SHARE * length) : 0;
    for (size_t i = histogram_bucket((uint64_t)least); i <= HISTOGRAM_BUCKETS; i++) {
        uint64_t count = i < HISTOGRAM_BUCKETS ? from->count[i] : from->over;
        if (!count)
            continue;
        double longest = i < HISTOGRAM_BUCKETS ? fmin(histogram_edge(i + 1) - 1, (double)from->max)
                                               : (double)from->max;
        double shortest = fmax(histogram_edge(i), (double)from->min);
        double fraction = fraction_of((shortest + longest) / 2, back, length);
        if (!(fraction > 0))
            continue;
        w->count[i] += fraction * (double)count;
        w->total += fraction * (double)count;
        w->min = fmin(w->min, shortest);
        w->max = fmax(w->max, longest);
    }
}

/* Computes the weights of period `number`. `first` is the index of the first period of the history
   that is not before it. */
static void latency_weights_of(struct latency_weights *w, const struct latency_history *h, int op,
                               size_t first, uint64_t number)
{
    const double length = (double)h->length_ns;
    *w = (struct latency_weights){.min = INFINITY};
    for (size_t i = first; i < h->count; i++) {
        const struct interval_histogram *from = h->periods[i].latency[op];
        uint64_t back = h->periods[i].number - number;
        if (back && (number + 1) * h->length_ns <= h->periods[i].since_ns)
            continue; /* I/O in flight at that time belongs to another round */
        if (from->min == UINT64_MAX || (back && (double)from->max <= (double)(back - 1) * length))
            continue;
        add_fractions(w, from, back, length);
    }
}

/* Finds the bucket in which the cumulative weight reaches `share` of the total, and the position
   within it. */
static size_t bucket_of_share(const struct latency_weights *w, double share, double *within)
{
    double target = share * w->total * (1 - 1e-12), before = 0;
    size_t last = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        if (!(w->count[i] > 0))
            continue;
        last = i;
        if (before + w->count[i] >= target)
            break;
        before += w->count[i];
    }
    *within = fmax(0, fmin(1, (target - before) / w->count[last]));
    return last;
}

static void latency_weights_bounds(const struct latency_weights *w, double share, double *least,
                                   double *greatest)
{
    double unused;
    size_t bucket = bucket_of_share(w, share, &unused);
    *least = fmax(histogram_edge(bucket), w->min);
    *greatest = bucket < HISTOGRAM_BUCKETS ? fmin(histogram_edge(bucket + 1) - 1, w->max) : w->max;
}

/* latency_weights_quantile returns a quantile, interpolated linearly inside its bucket;
   latency_weights_bounds gives the bounds of that bucket. Both need a total above 0. */
static double latency_weights_quantile(const struct latency_weights *w, double share)
{
    double within, least, greatest;
    bucket_of_share(w, share, &within);
    latency_weights_bounds(w, share, &least, &greatest);
    return least + (greatest - least) * within;
}

/* ---- percentiles over time ---- */

/* Fewer pairs of neighbours show too little about clusters. */
#define MIN_PAIRS 8
/* The mean period needs this many values beyond the requested percentile. */
#define VALUES_BEYOND 5
#define SHARE_ASKED   0.99

enum { SHARES = 4 };
static const double shares[SHARES] = {0.5, 0.9, 0.99, 0.999};

static struct result_percentile *percentile_at(struct result_period *p, int i)
{
    struct result_percentile *const of[SHARES] = {&p->p50, &p->p90, &p->p99, &p->p999};
    return of[i];
}

/* Returns the highest percentile that a clause limits. */
static double share_asked(const struct plan *plan)
{
    double share = 0;
    for (int i = 0; i < 2; i++) {
        const char *text = i ? plan->ending.precise : plan->ending.sla;
        struct clauses all = {.count = 0};
        struct err e = {0};
        if (!text[0])
            continue;
        INVARIANT(!(i ? clauses_parse_widths : clauses_parse_limits)(&all, text, &e),
                  "plan_check has parsed --sla and --precise");
        for (size_t k = 0; k < all.count; k++)
            if (all.clause[k].subject == CLAUSE_PERCENTILE && !clause_is_max(&all.clause[k]))
                share = fmax(share, all.clause[k].share);
    }
    return share > 0 && share < 1 ? share : SHARE_ASKED;
}

static void take_latency(struct histogram *to, const struct latency_period *p, int op)
{
    histogram_clear(to);
    latency_add_interval(to, p->latency[op]);
}

/*
 * Compares two neighbouring periods: returns the squared difference of their shares above their
 * common percentile, divided by its binomial variance. Returns NaN if one of them has no I/O, or if
 * no value is above that percentile.
 */
static double excess_of(const struct histogram *a, const struct histogram *both, double share)
{
    double n = (double)a->n, m = (double)(both->n - a->n);
    if (!(n > 0) || !(m > 0))
        return NAN;
    double threshold = histogram_quantile(both, share);
    double above = (double)histogram_above(both, threshold),
           of_a = (double)histogram_above(a, threshold);
    double q = above / (n + m), difference = of_a / n - (above - of_a) / m;
    return q > 0 ? difference * difference / (q * (1 - q) * (1 / n + 1 / m)) : NAN;
}

/*
 * Finds for each percentile the number of values that count as one independent value; NaN: unknown.
 */
static void find_clusters(const struct latency_history *h, int op, struct histogram scratch[2],
                          double clusters[SHARES])
{
    double sum[SHARES] = {0}, pairs[SHARES] = {0};
    for (size_t i = 0; i + 1 < h->count; i++) {
        if (h->periods[i].number + 1 != h->periods[i + 1].number)
            continue;
        take_latency(&scratch[0], &h->periods[i], op);
        take_latency(&scratch[1], &h->periods[i], op);
        latency_add_interval(&scratch[1], h->periods[i + 1].latency[op]);
        for (int k = 0; k < SHARES; k++) {
            double excess = excess_of(&scratch[0], &scratch[1], shares[k]);
            if (!isfinite(excess))
                continue;
            sum[k] += excess;
            pairs[k]++;
        }
    }
    for (int k = 0; k < SHARES; k++)
        clusters[k] = pairs[k] >= MIN_PAIRS ? fmax(1, sum[k] / pairs[k]) : NAN;
}

/* Computes a percentile with its interval: ranks among the independent values, converted to shares,
   and the bounds of their buckets. */
static struct result_percentile find_percentile(const struct latency_weights *w, double share,
                                                double clusters, double confidence)
{
    struct result_percentile p = {latency_weights_quantile(w, share), NAN, NAN};
    double worth = floor(w->total / clusters), lower, upper, unused;
    if (!(worth >= 1) || !percentile_ranks(worth, share, confidence, &lower, &upper))
        return p;
    latency_weights_bounds(w, lower / worth, &p.low, &unused);
    latency_weights_bounds(w, upper / worth, &unused, &p.high);
    return p;
}

/* Source of rows: the periods of one job or of all together, and one operation. */
struct rows {
    const struct latency_history *history;
    unsigned job; /* from 1; 0: all jobs */
    int op;
    size_t end; /* r->period_count may not exceed this number while the rows are added */
};

/* Adds the row of a period, unless no I/O was in flight in it or no row is left. `kept` is the
   stored period; NULL: no I/O completed in it, so all of its I/O lasted longer. */
static void add_period(struct contents *c, struct result *r, const struct rows *rows,
                       uint64_t number, const struct latency_period *kept,
                       const struct latency_weights *w, const double clusters[SHARES])
{
    const struct latency_history *h = rows->history;
    const int op = rows->op;
    const double length = (double)h->length_ns / 1e9;
    const uint64_t first = c->measurement.history.periods[0].number;
    if (!(w->total > 0) || r->period_count == rows->end)
        return;
    struct result_period *to = &c->periods[r->period_count++];
    *to = (struct result_period){.begin_seconds =
                                     ((double)number - (double)first) * (double)h->length_ns / 1e9,
                                 .seconds = length,
                                 .covered = length,
                                 .weight = w->total,
                                 .max = w->max,
                                 .mean_ns = NAN,
                                 .byte_rate = NAN};
    if (kept) {
        to->covered = (double)(kept->end_ns - kept->begin_ns) / 1e9;
        to->n = kept->latency[op]->over;
        for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
            to->n += kept->latency[op]->count[i];
    }
    snprintf(to->op, sizeof to->op, "%s", operation_names[op]);
    if (rows->job)
        snprintf(to->job, sizeof to->job, "%u", rows->job);
    else
        snprintf(to->job, sizeof to->job, "all");
    format_instant(to->begin, sizeof to->begin, number * h->length_ns);
    for (int k = 0; k < SHARES; k++)
        *percentile_at(to, k) =
            find_percentile(w, shares[k], clusters[k], c->plan.statistics.confidence);
}

/* Skips periods of the gap before period i in which no I/O can have been in flight. Returns the
   number of the last period to skip: all I/O that completed after the gap began later than that. */
static uint64_t skip_to_life(const struct latency_history *h, int op, size_t i, uint64_t number)
{
    uint64_t first = h->periods[i].number - 1;
    for (size_t k = i; k < h->count; k++) {
        uint64_t back = h->periods[k].latency[op]->max / h->length_ns + 2;
        uint64_t begin = h->periods[k].number > back ? h->periods[k].number - back : 0;
        first = begin < first ? begin : first;
    }
    return first > number ? first : number;
}

/* Adds rows of all periods. Periods in which nothing completed have rows, too, if I/O was in flight
   all the time. */
static void add_periods(struct contents *c, struct result *r, const struct rows *rows,
                        struct histogram scratch[2], struct latency_weights *w)
{
    const struct latency_history *h = rows->history;
    const int op = rows->op;
    double clusters[SHARES];
    find_clusters(h, op, scratch, clusters);
    for (size_t i = 0; i < h->count; i++) {
        uint64_t number = i ? h->periods[i - 1].number + 1 : h->periods[0].number;
        for (; number < h->periods[i].number; number++) {
            latency_weights_of(w, h, op, i, number);
            /* I/O that completed after the gap may have been in flight in later periods of the gap;
               those before its earliest begin are skipped */
            if (!(w->total > 0))
                number = skip_to_life(h, op, i, number);
            else
                add_period(c, r, rows, number, NULL, w, clusters);
        }
        latency_weights_of(w, h, op, i, number);
        add_period(c, r, rows, number, &h->periods[i], w, clusters);
    }
}

void latency_periods(struct contents *c, struct result *r)
{
    struct latency_history *h = &c->measurement.history;
    if (!h->asked_ns)
        latency_history_gather(h, VALUES_BEYOND / (1 - share_asked(&c->plan)));
    size_t mark = arena_mark(&c->scratch);
    struct histogram *scratch = arena_alloc(&c->scratch, 2, sizeof *scratch);
    struct latency_weights *weights = arena_alloc(&c->scratch, 1, sizeof *weights);
    for (int op = 0; op < OPERATIONS && scratch && weights; op++) {
        struct rows rows = {h, 0, op,
                            (size_t)(op + 1) * CONTENTS_PERIODS * h->capacity / OPERATIONS};
        add_periods(c, r, &rows, scratch, weights);
    }
    struct job_histories *jobs = &c->measurement.jobs;
    job_histories_end(jobs, h);
    for (unsigned job = 0; job < jobs->count && scratch && weights; job++)
        for (int op = 0; op < OPERATIONS; op++) {
            struct rows rows = {&jobs->histories[job], job + 1, op,
                                r->period_count + CONTENTS_JOB_PERIODS / OPERATIONS};
            add_periods(c, r, &rows, scratch, weights);
        }
    arena_reset(&c->scratch, mark);
    r->periods = c->periods;
    if (h->asked_ns && c->plan.jobs > MEASUREMENT_JOBS)
        result_note(r, false,
                    "percentiles over time are of all %u jobs together, and of the first %u of "
                    "them each",
                    c->plan.jobs, MEASUREMENT_JOBS);
    if (h->asked_ns && h->count && h->length_ns != h->asked_ns)
        result_note(r, false,
                    "percentiles over time are of intervals of %g s, not of the %g s asked for "
                    "(--interval): %s",
                    (double)h->length_ns * 1e-9, (double)h->asked_ns * 1e-9,
                    h->lengthened ? "there is no room for more of them"
                                  : "they consist of whole time slices");
}
