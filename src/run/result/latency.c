/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percentile rows and histograms out of latency stretches. */
#include "run/result/internal.h"

#include <math.h>
#include <stdio.h>

#include "stat/mean/percentile.h"

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

/* One operation's stretches, as stat/mean/percentile.h asks for them. */
struct source {
    const struct measurement *measurement;
    size_t begin, end;
    int op;
    bool service; /* from issue to completion, instead of the latency */
};

static const struct interval_histogram *histogram_of(const struct source *from, size_t i)
{
    const struct stretch *s = measurement_stretch(from->measurement, i);
    return from->service ? &s->timing->service[from->op] : &s->latency[from->op];
}

static void count_above(const void *source, double ns, double above[], double count[])
{
    const struct source *from = source;
    struct histogram one;
    for (size_t i = from->begin; i < from->end; i++) {
        histogram_clear(&one);
        latency_add_interval(&one, histogram_of(from, i));
        above[i - from->begin] = (double)histogram_above(&one, ns);
        count[i - from->begin] = (double)one.n;
    }
}

static void add_percentile(struct result *r, enum metric_id metric, const char *op,
                           const struct percentile *p)
{
    struct result_row *row = result_add(r, metric, op, p->enough ? p->value : NAN);
    row->n = p->n;
    row->effective_n = p->effective_n;
    row->confidence = p->confidence;
    if (p->enough) {
        row->low = p->low;
        row->high = p->high;
    } else {
        snprintf(row->note, sizeof row->note,
                 "not enough samples: worth %.0f independent ones, %.0f are needed",
                 floor(p->effective_n), percentile_min_n(p->share, p->confidence, true));
    }
}

/* A pass that was measured whole has percentiles, not samples of any. */
static void percentile_row(struct contents *c, struct result *r, enum metric_id metric,
                           double share, const char *op,
                           const struct percentile_intervals *intervals)
{
    if (plan_is_one_pass(&c->plan)) {
        double value = histogram_quantile(intervals->total, share);
        result_add(r, metric, op, value)->n = intervals->total->n;
        return;
    }
    struct percentile p =
        percentile_of_intervals(intervals, share, c->plan.confidence, &c->scratch);
    add_percentile(r, metric, op, &p);
}

static void add_histogram(struct contents *c, struct result *r, int op, const char *name)
{
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        c->histogram_edges[i] = histogram_edge(i);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        c->histogram_counts[op][i] = c->latency[op].count[i];
    struct result_histogram *h = &r->histograms[r->histogram_count++];
    *h = (struct result_histogram){
        .edges = c->histogram_edges, .counts = c->histogram_counts[op], .count = HISTOGRAM_BUCKETS};
    snprintf(h->op, sizeof h->op, "%s", name);
}

static void rows_of(struct contents *c, size_t begin, size_t end, int op, const char *name,
                    struct result *r)
{
    struct histogram *total = &c->latency[op];
    histogram_clear(total);
    for (size_t i = begin; i < end; i++)
        latency_add_interval(total, &measurement_stretch(&c->measurement, i)->latency[op]);
    if (!total->n)
        return;

    struct source source = {&c->measurement, begin, end, op, false};
    struct percentile_intervals intervals = {
        .total = total, .intervals = end - begin, .counts = count_above, .source = &source};
    for (int i = 0; i < PERCENTILES; i++)
        percentile_row(c, r, percentiles[i].metric, percentiles[i].share, name, &intervals);
    result_add(r, METRIC_LATENCY_MIN, name, (double)total->min)->n = total->n;
    result_add(r, METRIC_LATENCY_MAX, name, (double)total->max)->n = total->n;
    add_histogram(c, r, op, name);
}

/* The percentiles of the time from issue to completion. */
static void service_rows_of(struct contents *c, size_t begin, size_t end, int op, const char *name,
                            struct result *r)
{
    static const struct {
        enum metric_id metric;
        double share;
    } rows[] = {{METRIC_SERVICE_P50, .5}, {METRIC_SERVICE_P99, .99}, {METRIC_SERVICE_P999, .999}};
    struct histogram *total = &c->service[op];
    struct source source = {&c->measurement, begin, end, op, true};
    histogram_clear(total);
    for (size_t i = begin; i < end; i++)
        latency_add_interval(total, histogram_of(&source, i));
    if (!total->n)
        return;
    struct percentile_intervals intervals = {
        .total = total, .intervals = end - begin, .counts = count_above, .source = &source};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        percentile_row(c, r, rows[i].metric, rows[i].share, name, &intervals);
    result_add(r, METRIC_SERVICE_MAX, name, (double)total->max)->n = total->n;
}

void latency_rows(struct contents *c, const struct judged *j, struct result *r)
{
    static const char *const names[IO_OPS] = {[IO_READ] = "read", [IO_WRITE] = "write"};
    size_t begin, end;
    judged_stretches(c, j, &begin, &end);
    for (int op = 0; op < IO_OPS; op++)
        if (judged_op_used(&c->plan, op))
            rows_of(c, begin, end, op, names[op], r);
    for (int op = 0; op < IO_OPS && plan_is_timed(&c->plan); op++)
        if (judged_op_used(&c->plan, op))
            service_rows_of(c, begin, end, op, names[op], r);
}
