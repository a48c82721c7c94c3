/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An acceptance as CSV, JSON and a page, and the table of formats. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "report/accept/internal.h"
#include "report/accept/pts_report.h"

void acceptance_pts_csv(const struct acceptance *a, struct text *out)
{
    text_add(out, PTS_CSV_HEADER);
    for (size_t i = 0; i < a->disk_count; i++)
        for (size_t k = 0; k < a->disks[i].pts_count; k++)
            pts_print_csv(&a->disks[i].pts[k], a->disks[i].path, out);
}

const struct report_kind acceptance_report = {acceptance_document, acceptance_csv, acceptance_json,
                                              NULL};

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

void acceptance_csv(const void *what, struct text *out)
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

void acceptance_json(const void *what, struct text *out)
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
