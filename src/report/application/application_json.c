/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as JSON. */
#include <math.h>

#include "base/json.h"
#include "report/application/application.h"

static void add_numbers(struct json *j, const struct application_numbers *x, const char *op,
                        double seconds)
{
    json_begin_object(j, op);
    json_unsigned(j, "count", x->count);
    json_unsigned(j, "failed", x->failed);
    json_unsigned(j, "bytes", x->bytes);
    json_number(j, "iops", (double)x->count / seconds);
    json_number(j, "bandwidth", (double)x->bytes / seconds);
    json_number(j, "response_time_ns", x->mean_ns);
    json_number(j, "lat_min_ns", x->min_ns);
    json_number(j, "lat_max_ns", x->max_ns);
    static const enum metric_id metrics[] = {
#define PERCENTILE_METRIC(metric, share) metric,
        PERCENTILE_ROWS(PERCENTILE_METRIC)
#undef PERCENTILE_METRIC
    };
    for (int i = 0; i < APPLICATION_PERCENTILES; i++)
        json_number(j, metric_of(metrics[i])->name, x->percentile_ns[i]);
    json_end_object(j);
}

static void add_level(struct json *j, const char *key, const struct application_level *l,
                      double seconds)
{
    json_begin_object(j, key);
    if (l->name[0]) {
        json_string(j, "name", l->name);
        json_unsigned(j, "size", l->size);
        json_unsigned(j, "merged", l->merged);
        json_unsigned(j, "own_requests", l->own_count);
        json_unsigned(j, "own_bytes", l->own_bytes);
    }
    json_number(j, "blocks", l->blocks);
    json_number(j, "busy_seconds", l->busy_seconds);
    json_number(j, "depth_mean", l->depth_mean);
    json_unsigned(j, "depth_max", l->depth_max);
    for (int op = 0; op < APPLICATION_OPS; op++)
        if (l->op[op].count > 0)
            add_numbers(j, &l->op[op], application_op_name((enum application_op)op), seconds);
    json_end_object(j);
}

static void add_file(struct json *j, const struct application_file *f)
{
    json_begin_object(j, NULL);
    json_string(j, "name", f->name);
    json_unsigned(j, "size", f->size);
    json_unsigned(j, "reads", f->count[APPLICATION_READ]);
    json_unsigned(j, "read_bytes", f->bytes[APPLICATION_READ]);
    json_unsigned(j, "writes", f->count[APPLICATION_WRITE]);
    json_unsigned(j, "written_bytes", f->bytes[APPLICATION_WRITE]);
    json_unsigned(j, "flushes", f->count[APPLICATION_FLUSH]);
    json_end_object(j);
}

static void add_notes(struct json *j, const struct result *r)
{
    json_begin_array(j, "notes");
    for (size_t i = 0; i < r->note_count; i++) {
        json_begin_object(j, NULL);
        json_bool(j, "warning", r->notes[i].warning);
        json_string(j, "text", r->notes[i].text);
        json_end_object(j);
    }
    json_end_array(j);
}

static void add_series(struct json *j, const struct result *r)
{
    json_begin_array(j, "series");
    for (size_t i = 0; i < r->series_count; i++) {
        json_begin_object(j, NULL);
        json_string(j, "name", r->series[i].name);
        json_string(j, "unit", r->series[i].unit);
        json_number(j, "slice_seconds", r->series[i].slice_seconds);
        json_numbers(j, "values", r->series[i].values, r->series[i].count);
        json_end_object(j);
    }
    json_end_array(j);
}

static void add_settings(struct json *j, const struct facts *facts)
{
    json_begin_object(j, "settings");
    for (size_t i = 0; i < facts->count; i++)
        json_string(j, facts->rows[i].key, facts->rows[i].value);
    json_end_object(j);
}

void application_print_json(const struct application *a, const struct report_style *style,
                            struct text *out)
{
    (void)style;
    struct json j = json_on(out);
    json_begin_object(&j, NULL);
    json_string(&j, a->of_program ? "program" : "device", a->result.target);
    json_bool(&j, "interrupted", a->interrupted);
    json_number(&j, "elapsed_seconds", a->seconds);
    json_unsigned(&j, "processes", a->processes);
    json_unsigned(&j, "events", a->events);
    json_unsigned(&j, "events_lost", a->lost);
    json_bool(&j, "rates_known", application_rates_known(a));
    if (a->of_program)
        add_level(&j, "calls", &a->calls, a->rate_seconds);
    json_begin_array(&j, "devices");
    for (size_t i = 0; i < a->device_count; i++)
        add_level(&j, NULL, &a->devices[i], a->rate_seconds);
    json_end_array(&j);
    json_begin_array(&j, "files");
    for (size_t i = 0; i < a->file_count; i++)
        add_file(&j, &a->files[i]);
    json_end_array(&j);
    json_unsigned(&j, "files_more", a->files_more);
    const struct result_row *bps = result_find(&a->result, METRIC_BPS, "all");
    json_number(&j, "bps", bps ? bps->value : NAN);
    add_notes(&j, &a->result);
    add_series(&j, &a->result);
    add_settings(&j, &a->result.settings);
    json_end_object(&j);
}
