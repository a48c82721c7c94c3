/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A qualification as CSV: the columns that report/qualify/qualification.h tells. */
#include <math.h>
#include <stdio.h>

#include "report/qualify/internal.h"
#include "report/run/formats.h"

struct line {
    const char *row;
    const struct qualification_device *device; /* NULL: the machine */
    const char *name, *grade, *unit;
    double value, low, high, confidence;
    uint64_t n;
    bool counted; /* n is known */
    const char *found, *expected, *note;
};

static const struct line empty = {.name = "",
                                  .grade = "",
                                  .unit = "",
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .confidence = NAN,
                                  .found = "",
                                  .expected = "",
                                  .note = ""};

static void add_text(struct text *out, const char *field)
{
    text_add_csv(out, field);
    text_add(out, ",");
}

static void add_number(struct text *out, double value)
{
    csv_add_number(out, value);
    text_add(out, ",");
}

static void add_line(const struct qualification *q, const struct line *l, struct text *out)
{
    add_text(out, l->row);
    add_text(out, l->device ? l->device->name : "");
    add_text(out, l->device ? l->device->model : q->product);
    add_text(out, l->device ? l->device->serial : q->board_serial);
    add_text(out, l->name);
    add_text(out, l->grade);
    add_text(out, l->unit);
    add_number(out, l->value);
    add_number(out, l->low);
    add_number(out, l->high);
    add_number(out, l->confidence);
    if (l->counted)
        text_addf(out, "%llu", (unsigned long long)l->n);
    text_add(out, ",");
    add_text(out, l->found);
    add_text(out, l->expected);
    text_add_csv(out, l->note);
    text_add(out, "\n");
}

static void add_verdict(const struct qualification *q, const struct qualification_device *d,
                        struct text *out)
{
    struct line l = empty;
    l.row = d ? "device" : "machine";
    l.device = d;
    l.name = "verdict";
    l.grade = grade_name(d ? d->grade : q->grade);
    l.found = d ? d->firmware : q->date;
    l.expected = d ? "" : q->expectations;
    l.note = d ? "" : q->interrupted ? "interrupted" : q->undecided ? "not decided" : "";
    add_line(q, &l, out);
}

static void add_check(const struct qualification *q, const struct qualification_check *check,
                      struct text *out)
{
    struct line l = empty;
    l.row = "check";
    l.device = check->device < 0 ? NULL : &q->devices[check->device];
    l.name = check->what;
    l.grade = grade_name(check->grade);
    l.found = check->found;
    l.expected = check->expected;
    l.note = check->note;
    add_line(q, &l, out);
}

static void add_value(const struct qualification *q, const struct qualification_device *d,
                      const char *name, const char *unit, double value, struct text *out)
{
    struct line l = empty;
    if (isnan(value))
        return;
    l.row = "measurement";
    l.device = d;
    l.name = name;
    l.unit = unit;
    l.value = value;
    add_line(q, &l, out);
}

static void add_test(const struct qualification *q, const struct qualification_device *d,
                     const struct qualification_test *t, struct text *out)
{
    char name[64];
    for (size_t i = 0; t->measured && i < QUALIFICATION_ROWS; i++) {
        const struct result_row *row = qualification_row(t, i);
        const struct metric *metric = metric_of(row->metric);
        struct line l = empty;
        snprintf(name, sizeof name, "%s %s", t->name, metric->name);
        l.row = "measurement";
        l.device = d;
        l.name = name;
        l.unit = metric->unit;
        l.value = row->value;
        l.low = row->low;
        l.high = row->high;
        l.confidence = row->confidence;
        l.n = row->n;
        l.counted = true;
        l.found = verdict_name(t->verdict);
        l.note = row->note;
        add_line(q, &l, out);
    }
    snprintf(name, sizeof name, "%s efficiency", t->name);
    add_value(q, d, name, "1", t->efficiency, out);
}

void qualification_print_csv(const struct qualification *q, const struct report_style *style,
                             struct text *out)
{
    (void)style;
    text_add(out, "row,device,model,serial,name,grade,unit,value,ci_low,ci_high,confidence,n,"
                  "found,expected,note\n");
    add_verdict(q, NULL, out);
    for (size_t i = 0; i < q->device_count; i++)
        add_verdict(q, &q->devices[i], out);
    for (size_t i = 0; i < q->check_count; i++)
        add_check(q, &q->checks[i], out);
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        for (size_t t = 0; t < d->test_count; t++)
            add_test(q, d, &d->tests[t], out);
        add_value(q, d, "size", "bytes", (double)d->size, out);
        add_value(q, d, "read limit", "B/s", d->limit_read, out);
        add_value(q, d, "temperature before", "C", d->temperature_begin, out);
        add_value(q, d, "temperature most", "C", d->temperature_max, out);
    }
}
