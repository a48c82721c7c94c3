/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws figures over time: the main numbers, percentiles, throughput, readings in their order, and
   the machine's state as strips below each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/layout/number.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

enum { STRIPS_MAX = 16, EVENTS_MAX = RESULT_EVENTS_MAX };

/* Minimum number of periods for a figure over time. */
#define PERIODS_MIN 3
#define TILES_MAX   5

/* ---- the main numbers ---- */

static void add_tile(const struct result *r, const struct result_row *row, struct text *out)
{
    const struct metric *m = metric_of(row->metric);
    struct number_scale scale = number_scale_of(m->kind, row->value, row->low, row->high);
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    bool interval = isfinite(row->low) && isfinite(row->high);
    text_add(out, "<div><dt>");
    html_add(out, result_op_word(r, row->op));
    text_add(out, *result_op_word(r, row->op) ? " " : "");
    html_add(out, result_title(r, row->metric));
    text_add(out, "</dt><dd><b>");
    html_add(out, interval ? number_scaled(value, sizeof value, &scale, row->value)
                           : number_value(value, sizeof value, m->kind, row->value));
    text_add(out, "</b>");
    if (interval) {
        text_addf(out, "<br>%s<br>",
                  number_plus_minus(arm, sizeof arm, row->value, row->low, row->high));
        number_scaled(high, sizeof high, &scale, row->high);
        scale.suffix = scale.suffix[0] == ' ' ? "" : scale.suffix;
        html_add(out, number_scaled(low, sizeof low, &scale, row->low));
        text_add(out, " to ");
        html_add(out, high);
    }
    text_add(out, "</dd></div>\n");
}

/* Returns true if the row is about all operations, or about the only one. */
static bool is_of_all(const struct result *r, const struct result_row *row)
{
    return !strcmp(row->op, "all") || !result_find(r, row->metric, "all");
}

void figures_of_numbers(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    (void)number;
    enum { RATES_MAX = 3 };
    const struct result_row *headline = result_find(r, r->headline, r->headline_op);
    const struct result_row *shown[TILES_MAX];
    size_t count = 0;
    if (headline && !isnan(headline->value))
        shown[count++] = headline;
    for (size_t i = 0; i < r->row_count && count < TILES_MAX; i++) {
        const struct result_row *row = &r->rows[i];
        bool tail = row->metric == METRIC_LATENCY_P99 || row->metric == METRIC_LATENCY_P999;
        bool main = isfinite(row->low) && isfinite(row->high) && count < RATES_MAX;
        if (row != headline && !isnan(row->value) && (main || tail) && is_of_all(r, row))
            shown[count++] = row;
    }
    text_add(out, count ? "<dl class=\"tiles\">\n" : "");
    for (size_t i = 0; i < count; i++)
        add_tile(r, shown[i], out);
    text_add(out, count ? "</dl>\n" : "");
}

/* ---- percentiles ---- */

/* Allocates `number` columns of `count` numbers in one block of memory, which the caller frees.
   When memory runs out, returns NULL and sets out->failed. */
static double *columns(size_t count, size_t number, struct text *out)
{
    double *all = calloc(count * number + 1, sizeof *all);
    out->failed |= !all;
    return all;
}

static void add_percentiles(const struct result *r, const struct result_period periods[],
                            size_t count, double end, struct text *out)
{
    static const char *const names[] = {"p50", "p90", "p99", "p99.9"};
    enum { LINES = sizeof names / sizeof *names };
    /* twice as many, because a gap may be needed before each point */
    const size_t room = 2 * count;
    double *all = columns(room, 1 + LINES, out);
    size_t points = 0;
    if (!all)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct result_period *p = &periods[i];
        const double values[LINES] = {p->p50.value, p->p90.value, p->p99.value, p->p999.value};
        if (i > 0 && p->begin_seconds - periods[i - 1].begin_seconds > 1.5 * p->seconds) {
            all[points] = p->begin_seconds;
            for (size_t l = 0; l < LINES; l++)
                all[(1 + l) * room + points] = NAN;
            points++;
        }
        all[points] = p->begin_seconds + p->seconds / 2;
        for (size_t l = 0; l < LINES; l++)
            all[(1 + l) * room + points] = values[l];
        points++;
    }
    char title[64], length[NUMBER_BUFFER], words[NUMBER_BUFFER + 16];
    snprintf(title, sizeof title, "Latency percentiles over time, %s", periods[0].op);
    snprintf(words, sizeof words, "in intervals of %s",
             number_seconds(length, sizeof length, periods[count - 1].seconds));
    struct chart chart = {.title = title,
                          .words = words,
                          .x_label = "time",
                          .x_kind = METRIC_KIND_SECONDS,
                          .y_kind = METRIC_KIND_TIME,
                          .x = all,
                          .count = points,
                          .x_end = end,
                          .log_y = true,
                          .highest = true,
                          .line_count = LINES};
    limits_add(r, periods[0].op, &chart);
    for (unsigned l = 0; l < LINES; l++)
        chart.lines[l] =
            (struct chart_line){.name = names[l], .y = all + (1 + l) * room, .colour = l};
    chart_add(out, &chart);
    free(all);
}

/* Returns the end of figures over time, in seconds from the start of the measurement. */
static double measured_end(const struct result *r)
{
    const struct result_timeline *t = &r->timeline;
    double end = t->count > 0 ? t->end[t->count - 1] - t->begin[0] : 0;
    for (size_t i = 0; i < r->period_count; i++)
        end = fmax(end, r->periods[i].begin_seconds + r->periods[i].seconds);
    for (size_t i = 0; i < r->series_count; i++)
        end = fmax(end, (double)r->series[i].count * r->series[i].slice_seconds);
    return end;
}

static void percentiles_over_time(const struct result *r, struct text *out)
{
    const double end = measured_end(r);
    for (size_t begin = 0, next; begin < r->period_count; begin = next) {
        const struct result_period *first = &r->periods[begin];
        for (next = begin; next < r->period_count; next++)
            if (strcmp(r->periods[next].op, first->op) != 0 ||
                strcmp(r->periods[next].job, first->job) != 0)
                break;
        if (!strcmp(first->job, "all") && next - begin >= PERIODS_MIN)
            add_percentiles(r, first, next - begin, end, out);
    }
}

/* ---- series ---- */

static const char *series_title(const struct result *r, const char *name)
{
    for (int id = 0; id < METRIC_COUNT; id++)
        if (!strcmp(metric_of((enum metric_id)id)->name, name))
            return result_title(r, (enum metric_id)id);
    return name;
}

static void add_series(const struct result *r, const struct result_series *s,
                       enum chart_shape shape, struct text *out)
{
    char title[80], phases[RESULT_PHASES_MAX][24];
    struct chart_mark marks[RESULT_PHASES_MAX];
    snprintf(title, sizeof title, "%.60s over time", series_title(r, s->name));
    if (title[0] >= 'a' && title[0] <= 'z')
        title[0] = (char)(title[0] - 'a' + 'A');
    for (size_t i = 0; i < r->phase_count; i++) {
        snprintf(phases[i], sizeof phases[i], "phase %zu", i + 1);
        marks[i] = (struct chart_mark){r->phases[i].begin_seconds, phases[i]};
    }
    struct plot plot = {.values = s->values,
                        .count = s->count,
                        .stable_begin = s->stable_begin,
                        .stable_end = s->stable_end,
                        .changepoints = s->changepoints,
                        .changepoint_count = s->changepoint_count,
                        .slice_seconds = s->slice_seconds,
                        .kind = s->kind};
    /* The x axis of a merged result has no given end, because its sources do not end together. */
    chart_series(out, &plot, title, series_title(r, s->name), r->merged ? 0 : measured_end(r),
                 shape, marks, r->phase_count);
}

/* Adds percentiles over time, the headline's series, and strips of the other rates. */
void figures_over_time(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    (void)number;
    const struct result_series *headline = headline_series(r);
    percentiles_over_time(r, out);
    if (headline && headline->count > 0)
        add_series(r, headline, CHART_WHOLE, out);
    for (size_t i = 0; i < r->series_count; i++) {
        const struct result_series *s = &r->series[i];
        if (s != headline && s->count > 0 &&
            (s->kind == METRIC_KIND_BYTE_RATE || s->kind == METRIC_KIND_COUNT_RATE))
            add_series(r, s, CHART_LAST_STRIP, out);
    }
}

/* ---- the machine's state: a strip for each kind of gauge, with a line for each node, or one range
   over many nodes ---- */

/* The gauges of one kind, as indices into the timeline's gauges. */
struct family {
    size_t members[RESULT_GAUGES_MAX];
    size_t count;
};

static bool is_alike(const struct result_gauge *a, const struct result_gauge *b)
{
    return !strcmp(a->key, b->key) && !strcmp(a->unit, b->unit);
}

/* Returns true if the gauge is known and not always 0. */
static bool is_shown(const struct result_timeline *t, const struct result_gauge *g)
{
    for (size_t i = 0; i < t->count; i++)
        if (isfinite(g->high[i]) && (double)g->high[i] != 0)
            return true;
    return false;
}

static struct family family_of(const struct result_timeline *t, size_t first)
{
    struct family f = {.count = 0};
    for (size_t g = first; g < t->gauge_count; g++)
        if (is_alike(&t->gauges[g], &t->gauges[first]) && is_shown(t, &t->gauges[g]))
            f.members[f.count++] = g;
    return f;
}

/* Copies the mean, low and high values of one gauge. */
static void copy_member(const struct result_timeline *t, const struct result_gauge *g, double *mean,
                        double *low, double *high)
{
    for (size_t i = 0; i < t->count; i++) {
        mean[i] = (double)g->mean[i];
        low[i] = fmin((double)g->low[i], (double)g->mean[i]);
        high[i] = fmax((double)g->high[i], (double)g->mean[i]);
    }
}

/* Combines all gauges of a kind: the mean of their means, and the lowest and the highest of their
   means. */
static void copy_range(const struct result_timeline *t, const struct family *f, double *mean,
                       double *low, double *high)
{
    for (size_t i = 0; i < t->count; i++) {
        double sum = 0;
        size_t n = 0;
        low[i] = high[i] = NAN;
        for (size_t m = 0; m < f->count; m++) {
            double value = (double)t->gauges[f->members[m]].mean[i];
            if (!isfinite(value))
                continue;
            sum += value;
            n++;
            low[i] = fmin(low[i], value);
            high[i] = fmax(high[i], value);
        }
        mean[i] = n ? sum / (double)n : NAN;
    }
}

static void add_strip(const struct result *r, const struct family *f, enum chart_shape shape,
                      struct text *out)
{
    enum { LINES_MAX = 6 };
    const struct result_timeline *t = &r->timeline;
    const struct result_gauge *first = &t->gauges[f->members[0]];
    size_t lines = f->count <= LINES_MAX ? f->count : 1, n = t->count;
    double *all = calloc(n * (1 + 3 * lines) + 1, sizeof *all);
    struct chart_mark marks[EVENTS_MAX];
    char title[64], many[64];
    size_t events = 0;
    out->failed |= !all;
    if (!all)
        return;
    for (size_t i = 0; i < r->event_count && events < EVENTS_MAX; i++)
        if (isfinite(r->events[i].seconds))
            marks[events++] = (struct chart_mark){r->events[i].seconds - t->begin[0], NULL};
    snprintf(title, sizeof title, "%.24s", first->key);
    struct chart chart = {.title = title,
                          .x_label = "time",
                          .x_kind = METRIC_KIND_SECONDS,
                          .y_kind = METRIC_KIND_NUMBER,
                          .y_unit = first->unit,
                          .x = all,
                          .count = n,
                          .x_end = measured_end(r),
                          .shape = shape,
                          .line_count = lines,
                          .marks = marks,
                          .mark_count = events,
                          .limits = {{first->limit, "limit"}},
                          .limit_count = isfinite(first->limit)};
    for (size_t i = 0; i < n; i++)
        all[i] = (t->begin[i] + t->end[i]) / 2 - t->begin[0];
    for (size_t l = 0; l < lines; l++) {
        double *mean = all + n * (1 + 3 * l), *low = mean + n, *high = low + n;
        bool single = f->count == 1;
        if (f->count <= LINES_MAX)
            copy_member(t, &t->gauges[f->members[l]], mean, low, high);
        else
            copy_range(t, f, mean, low, high);
        chart.lines[l] = (struct chart_line){.name = t->gauges[f->members[l]].node,
                                             .y = mean,
                                             .low = lines == 1 || single ? low : NULL,
                                             .high = lines == 1 || single ? high : NULL,
                                             .colour = (unsigned)l};
    }
    if (f->count > LINES_MAX) {
        snprintf(many, sizeof many, "mean of %zu, and their range", f->count);
        chart.lines[0].name = many;
    }
    chart_add(out, &chart);
    free(all);
}

void figures_of_state(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    (void)number;
    const struct result_timeline *t = &r->timeline;
    size_t firsts[STRIPS_MAX], count = 0;
    for (size_t g = 0; t->count > 1 && g < t->gauge_count && count < STRIPS_MAX; g++) {
        bool known = !is_shown(t, &t->gauges[g]);
        for (size_t k = 0; k < count && !known; k++)
            known = is_alike(&t->gauges[firsts[k]], &t->gauges[g]);
        if (!known)
            firsts[count++] = g;
    }
    for (size_t i = 0; i < count; i++) {
        struct family family = family_of(t, firsts[i]);
        add_strip(r, &family, i + 1 < count ? CHART_STRIP : CHART_LAST_STRIP, out);
    }
}
