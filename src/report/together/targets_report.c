/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the report of several targets: a page with the verdict, a line for each target, what they
 * share, and all targets over time; CSV, JSON and fio's JSON+, which are combined from those of
 * single results.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/document/document.h"
#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"
#include "report/together/internal.h"

enum { TARGETS_MAX = 128, POINTS_MIN = 60, POINTS_MAX = 600, POINTS_OF_ALL = 12000 };

/* ---- the table ---- */

static void add_titles(const struct result_targets *t, struct document *out)
{
    const char *const titles_of[TARGETS_METRICS] = {targets_rate_title(t), "throughput", "p50",
                                                    "p99"};
    struct layout_column titles[2 + 2 * TARGETS_METRICS] = {{"target", -1}};
    for (size_t i = 0; i < TARGETS_METRICS; i++) {
        titles[1 + 2 * i] = (struct layout_column){titles_of[i], 1};
        titles[2 + 2 * i] = (struct layout_column){"+-", 1};
    }
    titles[1 + 2 * TARGETS_METRICS] = (struct layout_column){"verdict", -1};
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

static void add_row(const char *name, const struct result *r, const char *verdict,
                    struct document *out)
{
    char cell[NUMBER_BUFFER];
    document_left(out, name, 1);
    for (size_t i = 0; i < TARGETS_METRICS; i++) {
        const struct result_row *row = targets_row(r, targets_metrics[i]);
        const struct result_row none = {
            .value = NAN, .low = NAN, .high = NAN, .next_low = NAN, .next_high = NAN};
        row = row ? row : &none;
        document_right(
            out, number_value(cell, sizeof cell, metric_of(targets_metrics[i])->kind, row->value),
            1);
        document_right(out, number_arm(cell, sizeof cell, row->value, row->low, row->high), 1);
    }
    document_left(out, verdict, 1);
    document_end_row(out);
}

static void add_table(const struct result_targets *t, struct document *out)
{
    document_heading(out, "Targets");
    add_titles(t, out);
    for (size_t i = 0; i < t->count; i++)
        add_row(t->targets[i].name, t->targets[i].result,
                targets_verdict_words(t->targets[i].result), out);
    add_row("all", t->all, "", out);
}

/* ---- side by side ---- */

/* Draws the intervals of targets_metrics[number] for all targets. */
static void chart_intervals(const void *what, size_t number, struct text *out)
{
    const struct result_targets *t = what;
    const enum metric_id metric = targets_metrics[number];
    struct chart_row rows[TARGETS_MAX];
    char words[TARGETS_MAX][NUMBER_BUFFER];
    const enum metric_kind kind = metric_of(metric)->kind;
    size_t count = 0;
    for (size_t i = 0; i < t->count && count < TARGETS_MAX; i++) {
        const struct result *r = t->targets[i].result;
        const struct result_row *row = targets_row(r, metric);
        if (!row || !isfinite(row->value))
            continue;
        number_value(words[count], sizeof *words, kind, row->value);
        rows[count] = (struct chart_row){.name = t->targets[i].name,
                                         .words = words[count],
                                         .low = isfinite(row->low) ? row->low : row->value,
                                         .value = row->value,
                                         .high = isfinite(row->high) ? row->high : row->value,
                                         .odd = targets_verdict_tone(r) == TONE_RED};
        count++;
    }
    chart_rows_add(out, &(struct chart_rows){.title = number == 1 ? "Throughput" : "Latency, p99",
                                             .words = "with intervals; red: it failed",
                                             .kind = kind,
                                             .rows = rows,
                                             .count = count});
}

/* ---- over time ---- */

static const struct result_series *throughput_of(const struct result *r)
{
    for (size_t i = 0; i < r->series_count; i++)
        if (r->series[i].kind == METRIC_KIND_BYTE_RATE && r->series[i].count > 0)
            return &r->series[i];
    return NULL;
}

/* Adds a strip for a target. Slices are merged to at most `points`, so that a page with many
   targets does not become too long. */
static void add_strip(const struct result_target *target, const struct result_series *s,
                      size_t points, double end, bool last, struct text *out)
{
    const size_t together = (s->count + points - 1) / points;
    const size_t count = (s->count + together - 1) / together;
    double *values = calloc(count, sizeof *values);
    out->failed |= !values;
    if (!values)
        return;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = i * together;
        const size_t after = begin + together < s->count ? begin + together : s->count;
        for (size_t k = begin; k < after; k++)
            values[i] += s->values[k] / (double)(after - begin);
    }
    const struct plot plot = {.values = values,
                              .count = count,
                              .stable_begin = s->stable_begin / together,
                              .stable_end = s->stable_end / together,
                              .slice_seconds = s->slice_seconds * (double)together,
                              .kind = s->kind};
    chart_series(out, &plot, target->name, "throughput", end, last ? CHART_LAST_STRIP : CHART_STRIP,
                 NULL, 0);
    free(values);
}

static void chart_over_time(const void *what, size_t number, struct text *out)
{
    const struct result_targets *t = what;
    (void)number;
    size_t last = t->count, points = POINTS_OF_ALL / t->count;
    double end = 0;
    points = points < POINTS_MIN ? POINTS_MIN : points > POINTS_MAX ? POINTS_MAX : points;
    for (size_t i = 0; i < t->count; i++) {
        const struct result_series *s = throughput_of(t->targets[i].result);
        if (!s)
            continue;
        last = i;
        end = fmax(end, (double)s->count * s->slice_seconds);
    }
    if (last == t->count)
        return;
    for (size_t i = 0; i <= last; i++) {
        const struct result_series *s = throughput_of(t->targets[i].result);
        if (s)
            add_strip(&t->targets[i], s, points, end, i == last, out);
    }
}

/* ---- the page ---- */

static void chart_shared(const void *what, size_t number, struct text *out)
{
    struct shared_graph *g = targets_graph(what);
    (void)number;
    out->failed |= !g;
    if (g)
        shared_graph_draw(
            g,
            "targets at the left, the memory at the right; two frames: the part limits "
            "what goes through it",
            out);
    free(g);
}

static void add_shared(const struct result_targets *t, struct document *out)
{
    if (!targets_share(t, out))
        return;
    document_heading(out, "What they share");
    targets_add_shared(t, out);
    document_part(out);
    document_figure(out, (struct figure){.page = chart_shared, .context = t});
}

static void add_sum(const struct result_targets *t, struct document *out)
{
    document_heading(out, "All of them together");
    document_figure(out, (struct figure){.page = figures_over_time, .context = t->all});
    document_figure(out, (struct figure){.page = figures_of_latency, .context = t->all});
    section_metrics(t->all, out);
    section_latency(t->all, out);
}

static void targets_page(const struct result_targets *t, struct document *out)
{
    struct text title = {0};
    text_addf(&title, "%s", t->targets[0].name);
    if (t->count > 1)
        text_addf(&title, " and %zu more target%s", t->count - 1, t->count > 2 ? "s" : "");
    document_title_from(out, &title);
    out->style.full = false; /* first screen, so that the verdict includes advice */
    targets_add_verdict(t, out);
    out->style.full = true;
    targets_add_warnings(t, out);
    document_part(out);
    document_figure(out, (struct figure){.page = figures_of_numbers, .context = t->all});
    add_table(t, out);
    add_shared(t, out);
    document_part(out);
    document_figure(out, (struct figure){.page = chart_intervals, .context = t, .number = 1});
    document_figure(out, (struct figure){.page = chart_intervals, .context = t, .number = 3});
    document_figure(out, (struct figure){.title = "Throughput of each over time",
                                         .page = chart_over_time,
                                         .context = t});
    add_sum(t, out);
}

/* Adds the CSV rows of a result. Only the first result adds the header line. */
static void add_rows(const struct result *r, struct text *out)
{
    struct text one = {0};
    result_csv(r, &one);
    const char *rows = layout_string(&one), *end = out->length ? strchr(rows, '\n') : NULL;
    text_add(out, end ? end + 1 : rows);
    out->failed = out->failed || one.failed;
    text_free(&one);
}

static void print_csv(const void *what, struct text *out)
{
    const struct result_targets *t = what;
    for (size_t i = 0; i < t->count; i++)
        add_rows(t->targets[i].result, out);
    /* The sum is printed without the columns of a merge, to have the same columns as the
       targets. */
    struct result *sum = malloc(sizeof *sum);
    out->failed = out->failed || !sum;
    if (!sum)
        return;
    *sum = *t->all;
    sum->merged = NULL;
    add_rows(sum, out);
    free(sum);
}

static void print_json(const void *what, struct text *out)
{
    const struct result_targets *t = what;
    text_add(out, "{\n\"schema\": 1,\n\"kind\": \"targets\",\n\"targets\": [\n");
    for (size_t i = 0; i < t->count; i++) {
        text_add(out, i ? ",\n" : "");
        result_json(t->targets[i].result, out);
    }
    text_add(out, "],\n\"all\":\n");
    result_json(t->all, out);
    text_add(out, ",\n\"shared\":\n");
    struct json j = json_on(out);
    json_begin_array(&j, NULL);
    for (size_t i = 0; i < t->shared_count; i++) {
        const struct result_shared *s = &t->shared[i];
        json_begin_object(&j, NULL);
        json_string(&j, "name", s->name);
        json_string(&j, "kind", node_kind_name(s->kind));
        json_unsigned(&j, "targets", s->targets);
        json_number(&j, "limit_read", s->limit_read);
        json_number(&j, "limit_write", s->limit_write);
        json_number(&j, "used_read", s->used_read);
        json_number(&j, "used_write", s->used_write);
        json_number(&j, "utilisation", s->utilisation);
        json_end_object(&j);
    }
    json_end_array(&j);
    text_addf(out, ",\n\"shared_left_out\": %zu\n}\n", t->shared_left_out);
}

static void print_fio_json(const void *what, struct text *out)
{
    const struct result_targets *t = what;
    const struct result *results[t->count];
    for (size_t i = 0; i < t->count; i++)
        results[i] = t->targets[i].result;
    fio_json_print_results(results, t->count, out);
}

static void print_document(const void *what, struct document *out)
{
    (out->style.page ? targets_page : targets_text)(what, out);
}

const struct report_kind targets_report = {print_document, print_csv, print_json, print_fio_json};
