/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of an acceptance: a document, which fills one screen (with --full it shows every disk
 * in detail), a page with figures, CSV and JSON.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "report/accept/acceptance_report.h"
#include "report/accept/pts_report.h"
#include "report/document/document.h"
#include "report/html/chart.h"
#include "report/plot/plot.h"

enum { COLUMNS_MAX = 160, STRIP_ROWS = 6, FINDINGS_SHOWN = 4, NAME_WIDTH = 14 };

/* Units for an axis of bytes, the largest first. */
static const struct written_unit {
    double bytes;
    const char *label;
} written_units[] = {
    {1e12, "TB written"}, {1e9, "GB written"}, {1e6, "MB written"}, {1, "bytes written"}};

/* Draws a disk's throughput as a figure of the page. */
static void acceptance_chart_throughput(const void *what, size_t disk, struct text *out)
{
    const struct acceptance *a = what;
    const struct acceptance_disk *d = &a->disks[disk];
    double *columns = calloc(3 * d->point_count, sizeof *columns);
    struct chart_mark marks[ACCEPTANCE_CHANGES];
    const struct written_unit *unit = written_units;
    out->failed |= !columns;
    if (!columns)
        return;
    while (unit->bytes > 1 && d->points[d->point_count - 1].written < unit->bytes)
        unit++;
    double *x = columns, *rate = columns + d->point_count, *celsius = rate + d->point_count;
    for (size_t i = 0; i < d->point_count; i++) {
        x[i] = d->points[i].written / unit->bytes;
        rate[i] = d->points[i].rate;
        celsius[i] = d->points[i].celsius;
    }
    for (size_t i = 0; i < d->change_count; i++)
        marks[i] = (struct chart_mark){.x = x[d->changes[i]]};
    struct chart c = {.title = "Throughput",
                      .words = d->change_count ? "lines: another level begins" : NULL,
                      .x_label = unit->label,
                      .x_kind = METRIC_KIND_NUMBER,
                      .y_kind = METRIC_KIND_BYTE_RATE,
                      .x = x,
                      .count = d->point_count,
                      .shape = CHART_WHOLE,
                      .lines = {{.name = "written", .y = rate, .area = true}},
                      .line_count = 1,
                      .marks = marks,
                      .mark_count = d->change_count};
    chart_add(out, &c);
    c.title = "Temperature";
    c.words = NULL;
    c.y_unit = "C";
    c.lines[0] = (struct chart_line){.name = "temperature", .y = celsius, .colour = 1};
    chart_add(out, &c);
    free(columns);
}

static void acceptance_chart_pts(const void *what, size_t number, struct text *out)
{
    const struct acceptance *a = what;
    (void)number;
    for (size_t i = 0; i < a->disk_count; i++)
        for (size_t k = 0; k < a->disks[i].pts_count; k++)
            pts_add_charts(&a->disks[i].pts[k], a->disks[i].path, out);
}

static enum tone tone_of(enum grade grade)
{
    return grade == GRADE_FAIL                               ? TONE_RED
           : grade == GRADE_UNDECIDED || grade == GRADE_WARN ? TONE_YELLOW
                                                             : TONE_GREEN;
}

/* ---- lines ---- */

static void add_verdict(const struct acceptance *a, struct document *out)
{
    size_t counts[GRADE_FAIL + 1] = {0};
    char words[320], lead[32];
    for (size_t i = 0; i < a->disk_count; i++)
        counts[a->disks[i].verdict]++;
    snprintf(lead, sizeof lead, "%s  ", acceptance_verdict_name(a->verdict));
    if (a->disk_count == 1)
        snprintf(words, sizeof words, "%s",
                 a->disks[0].why[0] ? a->disks[0].why : a->disks[0].path);
    else
        snprintf(words, sizeof words, "%zu of %zu drives accepted, %zu failed, %zu undecided",
                 counts[GRADE_PASS], a->disk_count, counts[GRADE_FAIL], counts[GRADE_UNDECIDED]);
    document_paragraph(out, lead, tone_of(a->verdict), words);
}

static void add_identity(const struct acceptance_disk *d, struct document *out)
{
    char words[400], size[UNITS_BUFFER], lead[280];
    snprintf(words, sizeof words, "%s%s%s%s%s%s%s", d->model, d->model[0] ? ", " : "",
             format_size(size, sizeof size, (double)d->size),
             d->serial[0] ? ", serial number " : ", no serial number", d->serial,
             d->firmware[0] ? ", firmware " : "", d->firmware);
    snprintf(lead, sizeof lead, "%s: ", d->path);
    document_paragraph(out, lead, TONE_BOLD, words);
}

/* Writes the throughput of preconditioning: "2.00 GiB at 640 MB/s, its lowest level 410 MB/s". */
static void throughput_words(const struct acceptance_disk *d, char *to, size_t size)
{
    char bytes[UNITS_BUFFER], rate[UNITS_BUFFER], low[UNITS_BUFFER], level[80] = "";
    if (d->change_count)
        snprintf(level, sizeof level, ", its lowest level %s",
                 format_rate(low, sizeof low, d->rate_low));
    snprintf(to, size, "%s at %s%s", format_size(bytes, sizeof bytes, d->written),
             format_rate(rate, sizeof rate, d->rate), level);
}

static void add_stage(const struct acceptance_disk *d, const struct acceptance_stage *s,
                      struct document *out)
{
    char words[500] = "", throughput[200] = "", time[UNITS_BUFFER] = "", again[48] = "";
    if (s->seconds > 0)
        format_time(time, sizeof time, s->seconds * 1e9);
    if (s->begun > 1)
        snprintf(again, sizeof again, "; taken up again %u time%s", s->begun - 1,
                 s->begun == 2 ? "" : "s");
    if (d->point_count && s == d->stages + d->throughput_stage)
        throughput_words(d, throughput, sizeof throughput);
    snprintf(words, sizeof words, "%s%s%s%s%s%s", throughput,
             throughput[0] && s->words[0] ? "; " : "", s->words, again, "", "");
    document_add(out, "  ");
    document_left(out, s->name, NAME_WIDTH);
    document_left(out, acceptance_stage_word(s), 14);
    document_right(out, time, 8);
    document_add(out, "  ");
    document_end_row_in_words(out, s->status == STAGE_DONE ? TONE_PLAIN : TONE_YELLOW, words);
}

static void add_findings(const struct acceptance_disk *d, struct document *out)
{
    size_t shown = 0, left = d->finding_dropped;
    for (int grade = GRADE_FAIL; grade >= GRADE_NONE; grade--)
        for (size_t i = 0; i < d->finding_count; i++) {
            const struct acceptance_finding *f = &d->findings[i];
            if ((int)f->grade != grade || (f->grade == GRADE_NONE && !out->style.full))
                continue;
            if (!out->style.full && shown == FINDINGS_SHOWN) {
                left++;
                continue;
            }
            char lead[64];
            snprintf(lead, sizeof lead, "  %-11s%s%s",
                     f->grade == GRADE_NONE ? "note" : grade_name(f->grade), f->stage,
                     f->stage[0] ? ": " : "");
            document_paragraph(out, lead, f->grade >= GRADE_WARN ? tone_of(f->grade) : TONE_PLAIN,
                               f->words);
            shown++;
        }
    if (left)
        document_line(out, "  and %zu more: --full", left);
}

/* ---- throughput against written bytes ---- */

/* Resamples the throughput to columns that each cover an equal number of written bytes. A column's
   value is its bytes divided by the time in which they were written. */
static void resample(const struct acceptance_disk *d, double values[], size_t columns)
{
    double begin = 0, bytes[COLUMNS_MAX] = {0}, seconds[COLUMNS_MAX] = {0};
    for (size_t i = 0; i < d->point_count; i++) {
        const struct acceptance_point *p = &d->points[i];
        double width = d->written / (double)columns, at = begin;
        while (at < p->written && p->rate > 0) {
            size_t column = (size_t)(at / width);
            column = column < columns ? column : columns - 1;
            double end = ((double)column + 1) * width;
            /* `at` may already be the column's end, because of rounding */
            end = fmin(p->written, end > at ? end : end + width);
            bytes[column] += end - at;
            seconds[column] += (end - at) / p->rate;
            at = end;
        }
        begin = p->written;
    }
    for (size_t i = 0; i < columns; i++)
        values[i] = seconds[i] > 0 ? bytes[i] / seconds[i] : (double)NAN;
}

static void draw_throughput(const void *what, size_t disk, const struct report_style *style,
                            struct text *out)
{
    const struct acceptance_disk *d = &((const struct acceptance *)what)->disks[disk];
    double values[COLUMNS_MAX];
    char bytes[UNITS_BUFFER];
    size_t width = layout_width(style), columns = width - PLOT_STRIP_GUTTER - 1;
    columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    resample(d, values, columns);
    const struct plot_strip strip = {.values = values,
                                     .count = columns,
                                     .columns = columns,
                                     .rows = STRIP_ROWS,
                                     .kind = METRIC_KIND_BYTE_RATE,
                                     .name = "written"};
    plot_strip(&strip, style, out);
    text_addf(out, "%*s0", PLOT_STRIP_GUTTER, "");
    layout_right(out, format_size(bytes, sizeof bytes, d->written), columns - 1);
    text_add(out, "\n");
}

static void add_plot(const struct acceptance *a, size_t disk, struct document *out)
{
    const struct acceptance_disk *d = &a->disks[disk];
    char warmth[64] = "";
    if (!d->point_count)
        return;
    if (!isnan(d->celsius_max))
        snprintf(warmth, sizeof warmth, "; %.0f C at most", d->celsius_max);
    document_end_row(out);
    if (!out->style.page) /* in a page, the figure has its own title */
        document_line(out, "Throughput against what was written%s", warmth);
    document_figure(out, (struct figure){.text = draw_throughput,
                                         .page = acceptance_chart_throughput,
                                         .context = a,
                                         .number = disk});
}

static void add_levels(const struct acceptance_disk *d, struct document *out)
{
    char bytes[UNITS_BUFFER], rate[UNITS_BUFFER];
    for (size_t i = 0; i < d->change_count; i++) {
        size_t at = d->changes[i],
               end = i + 1 < d->change_count ? d->changes[i + 1] : d->point_count;
        double sum = 0;
        for (size_t k = at; k < end; k++)
            sum += d->points[k].rate;
        document_line(out, "  after %-10s %s",
                      format_size(bytes, sizeof bytes, at ? d->points[at - 1].written : 0),
                      format_rate(rate, sizeof rate, sum / (double)(end - at)));
    }
}

/* ---- the whole text ---- */

static void add_disk(const struct acceptance_disk *d, struct document *out)
{
    document_end_row(out);
    add_identity(d, out);
    for (size_t i = 0; i < d->stage_count; i++)
        add_stage(d, &d->stages[i], out);
    add_findings(d, out);
}

/* Adds one line about a disk, for reports on several disks. */
static void add_line(const struct acceptance_disk *d, struct document *out)
{
    char words[540], throughput[200] = "";
    if (d->point_count)
        throughput_words(d, throughput, sizeof throughput);
    snprintf(words, sizeof words, "%s%s%s", d->why, d->why[0] && throughput[0] ? "; " : "",
             throughput);
    document_add(out, "  ");
    document_left(out, d->name, NAME_WIDTH);
    document_left(out, acceptance_verdict_name(d->verdict), 11);
    document_end_row_in_words(out, tone_of(d->verdict), words);
}

static void acceptance_document(const void *what, struct document *out)
{
    const struct acceptance *a = what;
    document_title(out, "Acceptance of new drives");
    document_title(out, "Acceptance of new drives");
    bool at_length = out->style.full || a->disk_count == 1;
    add_verdict(a, out);
    for (size_t i = 0; i < a->disk_count; i++) {
        const struct acceptance_disk *d = &a->disks[i];
        if (!at_length) {
            add_line(d, out);
            continue;
        }
        add_disk(d, out);
        add_plot(a, i, out);
        if (out->style.full)
            add_levels(d, out);
        for (size_t k = 0; k < d->pts_count; k++)
            pts_print_text(&d->pts[k], out);
    }
    document_end_row(out);
    document_line(out, "Begun %s, all of it: %s", a->date, a->folder);
    document_part(out);
    document_figure(out, (struct figure){.page = acceptance_chart_pts, .context = a});
}

void acceptance_pts_csv(const struct acceptance *a, struct text *out)
{
    text_add(out, PTS_CSV_HEADER);
    for (size_t i = 0; i < a->disk_count; i++)
        for (size_t k = 0; k < a->disks[i].pts_count; k++)
            pts_print_csv(&a->disks[i].pts[k], a->disks[i].path, out);
}

/* ---- CSV ---- */

static void add_number(struct text *out, double value)
{
    text_add(out, ",");
    if (!isnan(value))
        text_add_number(out, value);
}

static void add_row(struct text *out, const char *row, const struct acceptance_disk *d,
                    const char *const texts[3], const double numbers[3])
{
    const char *const fields[] = {d->path, d->model, d->serial, texts[0], texts[1], texts[2]};
    text_add(out, row);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        text_add(out, ",");
        text_add_csv(out, fields[i]);
    }
    for (size_t i = 0; i < 3; i++)
        add_number(out, numbers[i]);
    text_add(out, "\n");
}

#define TEXTS(...)                                                                                 \
    (const char *const[3])                                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define NUMBERS(...)                                                                               \
    (const double[3])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void acceptance_csv(const void *what, struct text *out)
{
    const struct acceptance *a = what;
    text_add(out, "row,disk,model,serial,name,grade,note,value,at,celsius\n");
    for (size_t i = 0; i < a->disk_count; i++) {
        const struct acceptance_disk *d = &a->disks[i];
        add_row(out, "disk", d, TEXTS("verdict", acceptance_verdict_name(d->verdict), d->why),
                NUMBERS((double)d->size, NAN, d->celsius_max));
        for (size_t k = 0; k < d->stage_count; k++)
            add_row(
                out, "stage", d,
                TEXTS(d->stages[k].name, acceptance_stage_word(&d->stages[k]), d->stages[k].words),
                NUMBERS(d->stages[k].seconds, NAN, NAN));
        for (size_t k = 0; k < d->finding_count; k++)
            add_row(
                out, "finding", d,
                TEXTS(d->findings[k].stage, grade_name(d->findings[k].grade), d->findings[k].words),
                NUMBERS(NAN, NAN, NAN));
        for (size_t k = 0; k < d->point_count; k++)
            add_row(out, "throughput", d, TEXTS("", "", ""),
                    NUMBERS(d->points[k].rate, d->points[k].written, d->points[k].celsius));
    }
}

/* ---- JSON ---- */

static void add_stages(struct json *j, const struct acceptance_disk *d)
{
    json_begin_array(j, "stages");
    for (size_t i = 0; i < d->stage_count; i++) {
        const struct acceptance_stage *s = &d->stages[i];
        json_begin_object(j, NULL);
        json_string(j, "name", s->name);
        json_string(j, "status", acceptance_stage_word(s));
        json_number(j, "seconds", s->seconds);
        json_unsigned(j, "begun", s->begun);
        json_string(j, "words", s->words);
        json_end_object(j);
    }
    json_end_array(j);
    json_begin_array(j, "findings");
    for (size_t i = 0; i < d->finding_count; i++) {
        const struct acceptance_finding *f = &d->findings[i];
        json_begin_object(j, NULL);
        json_string(j, "grade", grade_name(f->grade));
        json_string(j, "stage", f->stage);
        json_string(j, "words", f->words);
        json_end_object(j);
    }
    json_end_array(j);
}

static void add_throughput(struct json *j, const struct acceptance_disk *d)
{
    json_begin_object(j, "throughput");
    json_number(j, "written", d->written);
    json_number(j, "rate", d->rate);
    json_number(j, "rate_low", d->rate_low);
    json_number(j, "celsius_max", d->celsius_max);
    json_sizes(j, "changes", d->changes, d->change_count);
    json_begin_array(j, "points");
    for (size_t i = 0; i < d->point_count; i++) {
        const struct acceptance_point *p = &d->points[i];
        json_numbers(j, NULL, (const double[]){p->written, p->rate, p->celsius}, 3);
    }
    json_end_array(j);
    json_end_object(j);
}

static void acceptance_json(const void *what, struct text *out)
{
    const struct acceptance *a = what;
    struct json j = json_on(out);
    char date[UNITS_BUFFER];
    json_begin_object(&j, NULL);
    json_unsigned(&j, "schema", 1);
    json_string(&j, "kind", "accept");
    json_string(&j, "version", a->version);
    json_string(&j, "date", format_date_iso(date, sizeof date, a->date));
    json_string(&j, "verdict", acceptance_verdict_name(a->verdict));
    json_begin_array(&j, "disks");
    for (size_t i = 0; i < a->disk_count; i++) {
        const struct acceptance_disk *d = &a->disks[i];
        json_begin_object(&j, NULL);
        json_string(&j, "path", d->path);
        json_string(&j, "model", d->model);
        json_string(&j, "serial", d->serial);
        json_string(&j, "firmware", d->firmware);
        json_unsigned(&j, "size", d->size);
        json_string(&j, "verdict", acceptance_verdict_name(d->verdict));
        json_string(&j, "why", d->why);
        add_stages(&j, d);
        add_throughput(&j, d);
        json_begin_array(&j, "pts");
        for (size_t k = 0; k < d->pts_count; k++) {
            json_begin_object(&j, NULL);
            pts_print_json(&d->pts[k], &j);
            json_end_object(&j);
        }
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    text_add(out, "\n");
}

const struct report_kind acceptance_report = {acceptance_document, acceptance_csv, acceptance_json,
                                              NULL};
