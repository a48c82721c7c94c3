/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes percentile rows and histograms from the latencies of the measurement's stretches of
   time. */
#include "run/result/internal.h"

#include <math.h>
#include <stdio.h>

#include "run/result/never_issued.h"
#include "stat/estimate/percentile.h"

#define PERCENTILE_ENTRY(metric, share) {metric, share},
static const struct {
    enum metric_id metric;
    double share;
} percentiles[] = {PERCENTILE_ROWS(PERCENTILE_ENTRY)};
enum { PERCENTILES = sizeof percentiles / sizeof *percentiles };

void latency_add_interval(struct histogram *to, const struct interval_histogram *from)
{
    uint64_t n = from->over;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        to->count[i] += from->count[i];
        n += from->count[i];
    }
    to->n += n;
    to->over += from->over;
    if (from->min < to->min)
        to->min = from->min;
    if (from->max > to->max)
        to->max = from->max;
}

/* Gives the histograms of stretch of time i of the measurement, as far as the source selects them.
   Returns their number. */
static size_t histograms_of(const struct latency_source *from, size_t i,
                            const struct interval_histogram *of[OPERATIONS])
{
    const struct stretch *s = measurement_stretch(from->measurement, i);
    size_t count = 0;
    if (from->time == CLAUSE_ISSUE_ERROR) {
        of[count++] = &s->timing->issue_error;
        return count;
    }
    for (int op = 0; op < OPERATIONS; op++)
        if (operation_is_of(from->op, op))
            of[count++] = from->time == CLAUSE_SERVICE ? s->timing->service[op] : s->latency[op];
    return count;
}

void latency_total(const struct latency_source *from, struct histogram *total)
{
    histogram_clear(total);
    for (size_t i = from->begin; i < from->end; i++) {
        const struct interval_histogram *of[OPERATIONS];
        for (size_t k = histograms_of(from, i, of); k-- > 0;)
            latency_add_interval(total, of[k]);
    }
}

void latency_counts_above(const void *source, double ns, double above[], double count[])
{
    const struct latency_source *from = source;
    const size_t first = ns < 0 ? 0 : histogram_bucket((uint64_t)ns) + 1;
    for (size_t i = from->begin; i < from->end; i++) {
        const struct interval_histogram *of[OPERATIONS];
        uint64_t below = 0, beyond = 0;
        for (size_t k = histograms_of(from, i, of); k-- > 0;) {
            for (size_t bucket = 0; bucket < first && bucket < HISTOGRAM_BUCKETS; bucket++)
                below += of[k]->count[bucket];
            for (size_t bucket = first; bucket < HISTOGRAM_BUCKETS; bucket++)
                beyond += of[k]->count[bucket];
            /* if the threshold is beyond the buckets, values in `over` may be below it, and do not
               count */
            *(first > HISTOGRAM_BUCKETS ? &below : &beyond) += of[k]->over;
        }
        above[i - from->begin] = (double)beyond;
        count[i - from->begin] = (double)(below + beyond);
    }
}

double latency_seconds(const struct latency_source *from)
{
    const struct measurement *m = from->measurement;
    if (from->end <= from->begin)
        return 0;
    uint64_t slices =
        measurement_stretch(m, from->end - 1)->end - measurement_stretch(m, from->begin)->begin;
    return (double)slices * m->slice_seconds;
}

/* Adds a percentile row. The percentiles of a pass that was measured whole are exact, not estimated
   from samples. */
static void add_percentile(struct contents *c, struct result *r, enum metric_id metric,
                           double share, const char *op,
                           const struct percentile_intervals *intervals)
{
    const struct latency_source *source = intervals->source;
    const struct due_requests due = due_requests_of(c);
    const double of = source->time == CLAUSE_SERVICE ? share : due_share_of_completed(&due, share);
    if (of > 1) {
        struct result_row *row = result_add(r, metric, op, NAN);
        char words[100];
        row->n = intervals->total->n;
        snprintf(row->note, sizeof row->note, "later than all that was measured: %s",
                 due_words(&due, words, sizeof words));
        return;
    }
    if (contents_is_one_pass(c)) {
        double value = histogram_quantile(intervals->total, of);
        result_add(r, metric, op, value)->n = intervals->total->n;
        return;
    }
    struct percentile p =
        percentile_of_intervals(intervals, of, c->plan.statistics.confidence, &c->scratch);
    struct result_row *row = result_add(r, metric, op, p.value);
    row->n = intervals->total->n;
    row->effective_n = p.effective_n;
    row->confidence = p.confidence;
    row->low = p.low;
    row->high = p.high;
    percentile_words(&p, latency_seconds(intervals->source), "s", row->note, sizeof row->note);
}

/* Adds percentiles over the measurement's stretches of time [begin, end), of one operation's
   latencies or service times. Returns the sum of the histograms, which is empty if there was no
   I/O. */
static const struct histogram *add_percentiles(struct contents *c,
                                               const struct latency_source *source, const char *op,
                                               struct histogram *total, struct result *r)
{
    static const struct {
        enum metric_id metric;
        double share;
    } of_service[] = {
        {METRIC_SERVICE_P50, .5}, {METRIC_SERVICE_P99, .99}, {METRIC_SERVICE_P999, .999}};
    struct percentile_intervals intervals = {.total = total,
                                             .intervals = source->end - source->begin,
                                             .counts = latency_counts_above,
                                             .source = source,
                                             .remembers = source->remembers};
    latency_total(source, total);
    for (int i = 0; i < PERCENTILES && total->n && source->time == CLAUSE_RESPONSE; i++)
        add_percentile(c, r, percentiles[i].metric, percentiles[i].share, op, &intervals);
    for (int i = 0; i < 3 && total->n && source->time == CLAUSE_SERVICE; i++)
        add_percentile(c, r, of_service[i].metric, of_service[i].share, op, &intervals);
    return total;
}

void latency_rows(struct contents *c, const struct judged *j, struct result *r)
{
    struct latency_source source = {.measurement = &c->measurement};
    judged_stretches(c, j, &source.begin, &source.end);
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        c->histogram_edges[i] = histogram_edge(i);
    for (source.op = 0; source.op < OPERATIONS; source.op++) {
        const char *name = operation_names[source.op];
        if (!judged_op_used(&c->plan, source.op))
            continue;
        source.remembers = j->response_time[source.op].memory > 0;
        const struct histogram *total =
            add_percentiles(c, &source, name, &c->latency[source.op], r);
        if (!total->n)
            continue;
        result_add(r, METRIC_LATENCY_MIN, name, (double)total->min)->n = total->n;
        result_add(r, METRIC_LATENCY_MAX, name, (double)total->max)->n = total->n;
        uint64_t *counts = c->histogram_counts[source.op];
        for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
            counts[i] = total->count[i];
        struct result_histogram *h = &r->histograms[r->histogram_count++];
        *h = (struct result_histogram){
            .edges = c->histogram_edges, .counts = counts, .count = HISTOGRAM_BUCKETS};
        snprintf(h->op, sizeof h->op, "%s", name);
    }
    source.time = CLAUSE_SERVICE;
    for (source.op = 0; source.op < OPERATIONS && plan_is_timed(&c->plan); source.op++) {
        const char *name = operation_names[source.op];
        if (!judged_op_used(&c->plan, source.op))
            continue;
        const struct histogram *total =
            add_percentiles(c, &source, name, &c->service[source.op], r);
        if (total->n)
            result_add(r, METRIC_SERVICE_MAX, name, (double)total->max)->n = total->n;
    }
}
