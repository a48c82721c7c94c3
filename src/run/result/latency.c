/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percentile rows and histograms out of latency stretches. */
#include "run/result/internal.h"

#include <math.h>
#include <stdio.h>

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

/* One operation's stretches, as stat/estimate/percentile.h asks for them. */
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

/* A pass that was measured whole has percentiles, no samples from which they are estimated. */
static void add_percentile(struct contents *c, struct result *r, enum metric_id metric,
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
    struct result_row *row = result_add(r, metric, op, p.enough ? p.value : NAN);
    row->n = p.n;
    row->effective_n = p.effective_n;
    row->confidence = p.confidence;
    if (p.enough) {
        row->low = p.low;
        row->high = p.high;
    } else {
        snprintf(row->note, sizeof row->note,
                 "not enough samples: worth %.0f independent ones, %.0f are needed",
                 floor(p.effective_n), percentile_min_n(p.share, p.confidence, true));
    }
}

/* Percentiles over stretches [begin, end), of one operation's latencies or service times. Returns
   all of them together, empty where there was no I/O. */
static const struct histogram *add_percentiles(struct contents *c, const struct source *source,
                                               const char *op, struct histogram *total,
                                               struct result *r)
{
    static const struct {
        enum metric_id metric;
        double share;
    } of_service[] = {
        {METRIC_SERVICE_P50, .5}, {METRIC_SERVICE_P99, .99}, {METRIC_SERVICE_P999, .999}};
    struct percentile_intervals intervals = {.total = total,
                                             .intervals = source->end - source->begin,
                                             .counts = count_above,
                                             .source = source};
    histogram_clear(total);
    for (size_t i = source->begin; i < source->end; i++)
        latency_add_interval(total, histogram_of(source, i));
    for (int i = 0; i < PERCENTILES && total->n && !source->service; i++)
        add_percentile(c, r, percentiles[i].metric, percentiles[i].share, op, &intervals);
    for (int i = 0; i < 3 && total->n && source->service; i++)
        add_percentile(c, r, of_service[i].metric, of_service[i].share, op, &intervals);
    return total;
}

void latency_rows(struct contents *c, const struct judged *j, struct result *r)
{
    static const char *const names[IO_OPS] = {[IO_READ] = "read", [IO_WRITE] = "write"};
    struct source source = {.measurement = &c->measurement};
    judged_stretches(c, j, &source.begin, &source.end);
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        c->histogram_edges[i] = histogram_edge(i);
    for (source.op = 0; source.op < IO_OPS; source.op++) {
        const char *name = names[source.op];
        if (!judged_op_used(&c->plan, source.op))
            continue;
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
    source.service = true;
    for (source.op = 0; source.op < IO_OPS && plan_is_timed(&c->plan); source.op++) {
        const char *name = names[source.op];
        if (!judged_op_used(&c->plan, source.op))
            continue;
        const struct histogram *total =
            add_percentiles(c, &source, name, &c->service[source.op], r);
        if (total->n)
            result_add(r, METRIC_SERVICE_MAX, name, (double)total->max)->n = total->n;
    }
}
