/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws distributions over a logarithmic time axis: histograms and distribution functions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/run/run_figures.h"

enum { COLUMNS = 160 };

struct range {
    double low, high;
};

/* Extends a range to all buckets with samples. A bucket that begins at 0 extends it only to half of
   the bucket's upper end. */
static struct range range_of(const struct result_histogram *h, struct range all)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->counts[i] > 0) {
            all.low = fmin(all.low, h->edges[i] > 0 ? h->edges[i] : h->edges[i + 1] / 2);
            all.high = fmax(all.high, h->edges[i + 1]);
        }
    return all;
}

static double total_of(const struct result_histogram *h)
{
    double total = 0;
    for (size_t i = 0; i < h->count; i++)
        total += (double)h->counts[i];
    return total;
}

/* Returns the number of samples below `value`. The samples of a bucket are assumed to be spread
   evenly over the logarithm of time. */
static double below(const struct result_histogram *h, double value)
{
    double sum = 0;
    for (size_t i = 0; i < h->count && h->edges[i] < value; i++) {
        double low = h->edges[i], high = h->edges[i + 1];
        double part = value >= high ? 1
                      : low > 0     ? log(value / low) / log(high / low)
                                    : value / high;
        sum += (double)h->counts[i] * part;
    }
    return sum;
}

static double edge_of(struct range range, size_t column)
{
    return range.low * pow(range.high / range.low, (double)column / COLUMNS);
}

/* ---- histograms ---- */

void limits_add(const struct result *r, const char *op, struct chart *chart)
{
    for (size_t i = 0; i < r->clause_count && chart->limit_count < CHART_LIMITS_MAX; i++) {
        const struct result_clause *c = &r->clauses[i];
        struct clauses one;
        if (c->is_width || c->kind != METRIC_KIND_TIME ||
            clauses_parse_limits(&one, c->text, NULL) || one.clause[0].time != CLAUSE_RESPONSE ||
            strcmp(one.clause[0].op[0] ? one.clause[0].op : op, op) != 0)
            continue;
        chart->limits[chart->limit_count++] = (struct chart_limit){c->limit, c->text};
    }
}

static size_t add_percentile_marks(const struct result *r, const char *op,
                                   struct chart_mark marks[], char labels[][32])
{
    static const enum metric_id metrics[] = {METRIC_LATENCY_P50, METRIC_LATENCY_P99,
                                             METRIC_LATENCY_P999, METRIC_LATENCY_MAX};
    size_t count = 0;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct result_row *row = result_find(r, metrics[i], op);
        char value[NUMBER_BUFFER];
        if (!row || !(row->value > 0))
            continue;
        snprintf(labels[count], sizeof labels[count], "%.10s %.16s", metric_of(metrics[i])->title,
                 number_value(value, sizeof value, METRIC_KIND_TIME, row->value));
        marks[count] = (struct chart_mark){row->value, labels[count]};
        count++;
    }
    return count;
}

static void add_histogram(const struct result *r, const struct result_histogram *h,
                          struct text *out)
{
    struct range range = range_of(h, (struct range){INFINITY, 0});
    double total = total_of(h), x[COLUMNS], y[COLUMNS], before = 0;
    struct chart_mark marks[4];
    char title[64], labels[4][32];
    if (!(total > 0) || !(range.high > range.low))
        return;
    for (size_t i = 0; i < COLUMNS; i++) {
        double sum = below(h, edge_of(range, i + 1));
        x[i] = sqrt(edge_of(range, i) * edge_of(range, i + 1));
        y[i] = (sum - before) / total;
        before = sum;
    }
    snprintf(title, sizeof title, "%s histogram, %s", r->timed ? "Response time" : "Latency",
             h->op);
    struct chart chart = {.title = title,
                          .words = "share of requests in each column of equal ratio",
                          .x_label = r->timed ? "response time" : "latency",
                          .x_kind = METRIC_KIND_TIME,
                          .y_kind = METRIC_KIND_SHARE,
                          .x = x,
                          .count = COLUMNS,
                          .x_begin = range.low,
                          .x_end = range.high,
                          .log_x = true,
                          .lines = {{.name = h->op, .y = y, .area = true}},
                          .line_count = 1,
                          .marks = marks,
                          .mark_count = add_percentile_marks(r, h->op, marks, labels),
                          .limits_of_x = true};
    limits_add(r, h->op, &chart);
    chart_add(out, &chart);
}

void figures_of_latency(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    (void)number;
    for (size_t i = 0; i < r->histogram_count; i++)
        add_histogram(r, &r->histograms[i], out);
}

/* ---- distribution functions ---- */

void distributions_chart(const char *title, const char *label, const struct distribution d[],
                         size_t count, struct text *out)
{
    struct range range = {INFINITY, 0};
    double x[COLUMNS + 1], y[2][COLUMNS + 1];
    for (size_t i = 0; i < count; i++)
        for (size_t h = 0; h < d[i].count; h++)
            range = range_of(&d[i].histograms[h], range);
    if (!(range.high > range.low))
        return;
    struct chart chart = {.title = title,
                          .x_label = label,
                          .x_kind = METRIC_KIND_TIME,
                          .y_kind = METRIC_KIND_SHARE,
                          .x = x,
                          .count = COLUMNS + 1,
                          .x_begin = range.low,
                          .x_end = range.high,
                          .log_x = true};
    for (size_t i = 0; i < count && i < 2; i++) {
        double total = 0;
        for (size_t h = 0; h < d[i].count; h++)
            total += total_of(&d[i].histograms[h]);
        for (size_t c = 0; c <= COLUMNS; c++) {
            double sum = 0;
            x[c] = edge_of(range, c);
            for (size_t h = 0; h < d[i].count; h++)
                sum += below(&d[i].histograms[h], x[c] * (1 + 1e-12));
            y[i][c] = total > 0 ? sum / total : NAN;
        }
        chart.lines[chart.line_count++] =
            (struct chart_line){.name = d[i].name, .y = y[i], .colour = (unsigned)i};
    }
    chart_add(out, &chart);
}
