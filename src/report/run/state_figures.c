/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's state over time as strips below each other, one for each kind of gauge: a line for
   each node, or the range over many. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/run/run_figures.h"

enum { STRIPS_MAX = 16, EVENTS_MAX = RESULT_EVENTS_MAX };

/* Gauges of one kind. */
struct family {
    size_t members[RESULT_GAUGES_MAX];
    size_t count;
};

static bool is_alike(const struct result_gauge *a, const struct result_gauge *b)
{
    return !strcmp(a->key, b->key) && !strcmp(a->unit, b->unit);
}

/* Shown are gauges that are known and not 0 all the time. */
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

/* Copies one member's means, lows and highs. */
static void copy_member(const struct result_timeline *t, const struct result_gauge *g, double *mean,
                        double *low, double *high)
{
    for (size_t i = 0; i < t->count; i++) {
        mean[i] = (double)g->mean[i];
        low[i] = fmin((double)g->low[i], (double)g->mean[i]);
        high[i] = fmax((double)g->high[i], (double)g->mean[i]);
    }
}

/* Combines all members: the mean of their means, and the range from the lowest to the highest
   mean. */
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
