/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws several sessions, each with its interval, over their numbers or over the requested rate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/run/formats.h"
#include "report/run/run_figures.h"

enum { POINTS_MAX = 512 };

struct points {
    double x[POINTS_MAX], y[POINTS_MAX], low[POINTS_MAX], high[POINTS_MAX];
    size_t count;
};

static void add_point(struct points *p, double x, double y, double low, double high)
{
    size_t at = p->count;
    if (at == POINTS_MAX)
        return;
    for (; at > 0 && p->x[at - 1] > x; at--) {
        p->x[at] = p->x[at - 1];
        p->y[at] = p->y[at - 1];
        p->low[at] = p->low[at - 1];
        p->high[at] = p->high[at - 1];
    }
    p->x[at] = x;
    p->y[at] = y;
    p->low[at] = isfinite(low) ? low : y;
    p->high[at] = isfinite(high) ? high : y;
    p->count++;
}

static void add_chart(const struct points *p, struct chart *chart, const char *name,
                      struct text *out)
{
    chart->x = p->x;
    chart->count = p->count;
    chart->lines[0] = (struct chart_line){.name = name, .y = p->y, .low = p->low, .high = p->high};
    chart->line_count = 1;
    chart_add(out, chart);
}

static void add_sessions(const struct result *r, struct text *out)
{
    struct points points = {.count = 0};
    const struct metric *metric = metric_of(r->headline);
    const struct result_row *all = result_find(r, r->headline, r->headline_op);
    struct chart chart = {.title = "Sessions",
                          .words = "each with its own interval",
                          .x_label = "session",
                          .x_kind = METRIC_KIND_NUMBER,
                          .y_kind = metric->kind};
    for (size_t i = 0; i < r->repeat->session_count; i++) {
        const struct result_row *row =
            result_session_find(&r->repeat->sessions[i], r->headline, r->headline_op);
        if (row && isfinite(row->value))
            add_point(&points, (double)r->repeat->sessions[i].number, row->value, row->low,
                      row->high);
    }
    if (all && isfinite(all->value))
        chart.limits[chart.limit_count++] = (struct chart_limit){all->value, "mean of all"};
    add_chart(&points, &chart, result_title(r, r->headline), out);
}

/* Adds a chart of the clause's value at each rate. */
static void add_probes(const struct result_rates *rates, struct text *out)
{
    struct points points = {.count = 0};
    const struct result_clause *clause = &rates->probes[0].clause;
    for (size_t i = 0; i < rates->count; i++) {
        const struct result_probe *p = &rates->probes[i];
        if (isfinite(p->clause.value) && !strcmp(p->clause.text, clause->text))
            add_point(&points, p->rate, p->clause.value, p->low, p->high);
    }
    struct chart chart = {.title = "Probes",
                          .words = clause->text,
                          .x_label = "requests per second that fell due",
                          .x_kind = METRIC_KIND_COUNT_RATE,
                          .y_kind = clause->kind,
                          .log_y = true,
                          .limits = {{clause->limit, clause->text}},
                          .limit_count = 1};
    add_chart(&points, &chart, "value of the clause", out);
}

void figures_of_sessions(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    (void)number;
    if (r->repeat)
        add_sessions(r, out);
    if (r->rates && r->rates->count > 0)
        add_probes(r->rates, out);
}
