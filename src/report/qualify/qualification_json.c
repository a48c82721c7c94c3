/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A qualification as JSON: everything it holds, and the machine it is of. */
#include "base/json.h"

#include "report/inventory/inventory.h"
#include "report/qualify/internal.h"

static void add_check(struct json *j, const struct qualification *q,
                      const struct qualification_check *check)
{
    json_begin_object(j, NULL);
    json_string(j, "device", check->device < 0 ? "" : q->devices[check->device].name);
    json_string(j, "what", check->what);
    json_string(j, "grade", grade_name(check->grade));
    json_string(j, "found", check->found);
    json_string(j, "expected", check->expected);
    json_string(j, "note", check->note);
    json_end_object(j);
}

static void add_row(struct json *j, const struct result_row *row)
{
    const struct metric *metric = metric_of(row->metric);
    json_begin_object(j, NULL);
    json_string(j, "metric", metric->name);
    json_string(j, "unit", metric->unit);
    json_number(j, "value", row->value);
    json_number(j, "ci_low", row->low);
    json_number(j, "ci_high", row->high);
    json_number(j, "confidence", row->confidence);
    json_unsigned(j, "n", row->n);
    json_string(j, "note", row->note);
    json_end_object(j);
}

static void add_test(struct json *j, const struct qualification_test *t)
{
    json_begin_object(j, NULL);
    json_string(j, "name", t->name);
    json_bool(j, "measured", t->measured);
    json_string(j, "verdict", t->measured ? verdict_name(t->verdict) : "");
    json_string(j, "failure", t->failure);
    json_string(j, "workload", t->workload);
    json_string(j, "engine", t->engine);
    json_number(j, "elapsed_seconds", t->seconds);
    json_number(j, "efficiency_share", t->efficiency);
    json_begin_array(j, "metrics");
    for (size_t i = 0; t->measured && i < QUALIFICATION_ROWS; i++)
        add_row(j, qualification_row(t, i));
    json_end_array(j);
    json_end_object(j);
}

static void add_device(struct json *j, const struct qualification_device *d)
{
    json_begin_object(j, NULL);
    json_string(j, "name", d->name);
    json_string(j, "grade", grade_name(d->grade));
    json_string(j, "kind", d->kind);
    json_string(j, "model", d->model);
    json_string(j, "serial", d->serial);
    json_string(j, "firmware", d->firmware);
    json_string(j, "link", d->link);
    json_string(j, "slot", d->slot);
    json_unsigned(j, "size_bytes", d->size);
    json_number(j, "read_limit_bytes_per_second", d->limit_read);
    json_number(j, "temperature_before_celsius", d->temperature_begin);
    json_number(j, "temperature_max_celsius", d->temperature_max);
    json_begin_array(j, "tests");
    for (size_t i = 0; i < d->test_count; i++)
        add_test(j, &d->tests[i]);
    json_end_array(j);
    json_end_object(j);
}

void qualification_print_json(const struct qualification *q, const struct report_style *style,
                              struct text *out)
{
    struct json j = json_on(out);
    (void)style;
    json_begin_object(&j, NULL);
    json_string(&j, "grade", grade_name(q->grade));
    json_string(&j, "product", q->product);
    json_string(&j, "machine", q->machine);
    json_string(&j, "serial", q->board_serial);
    json_string(&j, "date", q->date);
    json_string(&j, "preset", q->preset);
    json_string(&j, "cupel", q->version);
    json_string(&j, "expectations", q->expectations);
    json_number(&j, "elapsed_seconds", q->seconds);
    json_unsigned(&j, "dropped_checks", q->dropped);
    json_bool(&j, "chosen", q->chosen);
    json_bool(&j, "interrupted", q->interrupted);
    json_bool(&j, "undecided", q->undecided);
    json_begin_array(&j, "devices");
    for (size_t i = 0; i < q->device_count; i++)
        add_device(&j, &q->devices[i]);
    json_end_array(&j);
    json_begin_array(&j, "checks");
    for (size_t i = 0; i < q->check_count; i++)
        add_check(&j, q, &q->checks[i]);
    json_end_array(&j);
    inventory_add_json(q->hardware, "hardware", &j);
    json_end_object(&j);
}
