/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints results of PTS tests as CSV and JSON, and draws their figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/accept/pts_report.h"
#include "report/html/chart.h"
#include "report/layout/fields.h"

/* ---- CSV ---- */

void pts_print_csv(const struct pts_result *r, const char *disk, struct text *out)
{
    for (unsigned i = 0; i < r->sample_count; i++) {
        const struct pts_sample *s = &r->samples[i];
        const struct pts_cell *cell = &r->cells[s->cell];
        const double values[] = {s->iops,    s->bandwidth, s->mean_ns, s->max_ns,
                                 s->seconds, s->written,   s->celsius};
        text_add_csv(out, disk);
        text_addf(out, ",%s,%u,%u,%u,%u,%u,%d", r->name, r->threads, r->depth, s->round + 1,
                  cell->read_percent, cell->block, cell->tracked);
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            csv_add_field(out, values[k]);
        text_addf(out, ",%d\n", s->throttled);
    }
}

/* ---- JSON ---- */

static const struct field test_fields[] = {
    FIELD(pts_result, name, NULL, "test"),
    FIELD_JSON(pts_result, words),
    FIELD_JSON(pts_result, client),
    FIELD_JSON(pts_result, reduced),
    FIELD_JSON(pts_result, left_out),
    FIELD_JSON(pts_result, threads),
    FIELD(pts_result, depth, NULL, "queue_depth"),
    FIELD_JSON(pts_result, capacity),
    FIELD(pts_result, range, NULL, "active_range"),
    FIELD_JSON(pts_result, cell_seconds),
    FIELD_JSON(pts_result, rounds_max),
    FIELD_JSON(pts_result, rounds),
    FIELD(pts_result, cache, NULL, "write_cache"),
    FIELD_JSON(pts_result, prepared),
    FIELD_JSON(pts_result, platform),
    FIELD_JSON(pts_result, pause_seconds),
    FIELD_LAST,
};

static const struct field cell_fields[] = {
    FIELD_JSON(pts_cell, block),
    FIELD_JSON(pts_cell, read_percent),
    FIELD_JSON(pts_cell, tracked),
    FIELD_JSON(pts_cell, mean),
    FIELD_LAST,
};

static const struct field tracked_fields[] = {
    FIELD_JSON(pts_tracked, cell),
    FIELD_JSON(pts_tracked, mean),
    FIELD_JSON(pts_tracked, min),
    FIELD_JSON(pts_tracked, max),
    FIELD_JSON(pts_tracked, slope),
    FIELD_JSON(pts_tracked, first),
    FIELD_JSON(pts_tracked, range),
    FIELD_JSON(pts_tracked, change),
    FIELD_JSON(pts_tracked, steady),
    FIELD_JSON(pts_tracked, phase),
    FIELD_JSON(pts_tracked, drift),
    FIELD_JSON(pts_tracked, drift_low),
    FIELD_JSON(pts_tracked, drift_high),
    FIELD_JSON(pts_tracked, mean_low),
    FIELD_JSON(pts_tracked, mean_high),
    FIELD(pts_tracked, drift_verdict, NULL, "verdict"),
    FIELD_LAST,
};

static const struct field event_fields[] = {
    FIELD_JSON(pts_event, written), FIELD_JSON(pts_event, celsius), FIELD_JSON(pts_event, before),
    FIELD_JSON(pts_event, after),   FIELD_JSON(pts_event, words),   FIELD_LAST,
};

void pts_print_json(const struct pts_result *r, struct json *j)
{
    json_fields(j, test_fields, r);
    json_string(j, "end", pts_end_name(r->end));
    json_unsigned(j, "window_begin", r->window + 1);
    json_begin_array(j, "cells");
    for (unsigned i = 0; i < r->cell_count; i++) {
        if (!r->cells[i].chosen)
            continue;
        json_begin_object(j, NULL);
        json_fields(j, cell_fields, &r->cells[i]);
        json_end_object(j);
    }
    json_end_array(j);
    json_records(j, "tracked", tracked_fields, r->tracked, r->tracked_count, sizeof *r->tracked);
    json_records(j, "events", event_fields, r->events, r->event_count, sizeof *r->events);
    json_begin_array(j, "latency");
    for (unsigned i = 0; i < PTS_PERCENTILES && r->latency_seconds > 0; i++) {
        json_begin_object(j, NULL);
        json_number(j, "share", pts_percentiles[i]);
        json_number(j, "ns", r->latency[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

/* ---- figures ---- */

/* Collects the samples of a cell: x is the round, or the total of written bytes in TB; y is the
   tracked value. Returns their number. */
static size_t points_of(const struct pts_result *r, unsigned cell, bool over_bytes, double x[],
                        double y[])
{
    size_t count = 0;
    for (unsigned i = 0; i < r->sample_count; i++)
        if (r->samples[i].cell == cell) {
            x[count] = over_bytes ? r->samples[i].written / 1e12 : r->samples[i].round + 1;
            y[count++] = pts_sample_value(r, &r->samples[i]);
        }
    return count;
}

static void add_saturation(const struct pts_result *r, const char *title, struct text *out)
{
    struct chart_mark marks[PTS_EVENTS_MAX];
    double *x = calloc(2 * r->sample_count + 1, sizeof *x);
    out->failed |= !x;
    if (!x)
        return;
    double *y = x + r->sample_count;
    size_t count = points_of(r, 0, true, x, y);
    for (unsigned i = 0; i < r->event_count; i++)
        marks[i] = (struct chart_mark){r->events[i].written / 1e12, r->events[i].words};
    chart_add(out, &(struct chart){.title = title,
                                   .words = "IOPS of 4 KiB random writes against what was written",
                                   .x_label = "TB written",
                                   .x_kind = METRIC_KIND_NUMBER,
                                   .y_kind = r->kind,
                                   .x = x,
                                   .count = count,
                                   .lines = {{.name = "IOPS", .y = y}},
                                   .line_count = 1,
                                   .marks = marks,
                                   .mark_count = r->event_count});
    free(x);
}

void pts_add_charts(const struct pts_result *r, const char *disk, struct text *out)
{
    double x[PTS_ROUNDS_MAX], y[PTS_TRACKED_MAX][PTS_ROUNDS_MAX], base;
    char names[PTS_TRACKED_MAX][48], size[UNITS_BUFFER], title[480];
    snprintf(title, sizeof title, "%.256s: %s", disk, r->words);
    struct chart c = {
        .title = title,
        .words = "tracked cells in every round, over the mean of the window, which is marked",
        .x_label = "round",
        .x_kind = METRIC_KIND_NUMBER,
        .y_kind = METRIC_KIND_NUMBER,
        .x = x,
        .counted_begin = r->window + 1,
        .counted_end = r->window + 5};
    if (r->saturation) {
        add_saturation(r, title, out);
        return;
    }
    for (unsigned i = 0; i < r->tracked_count; i++) {
        const struct pts_cell *cell = &r->cells[r->tracked[i].cell];
        size_t count = points_of(r, r->tracked[i].cell, false, x, y[i]);
        c.count = c.count && c.count < count ? c.count : count;
        base = r->tracked[i].mean;
        for (size_t k = 0; k < count; k++)
            y[i][k] /= base;
        snprintf(names[i], sizeof names[i], "%s %u/%u", format_size(size, sizeof size, cell->block),
                 cell->read_percent, 100 - cell->read_percent);
        c.lines[c.line_count++] = (struct chart_line){.name = names[i], .y = y[i], .colour = i};
    }
    if (c.line_count)
        chart_add(out, &c);
}
