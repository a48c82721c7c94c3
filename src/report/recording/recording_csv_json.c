/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a recording as CSV and JSON. Has the table of formats. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/layout/csv_key.h"
#include "report/layout/labels_shown.h"
#include "report/layout/option_values.h"
#include "report/recording/recording.h"
#include "report/run/formats.h"

/* ---- CSV ---- */

/* Adds a row for a total of the recording, which has no interval and no confidence. */
static void csv_add_row(struct text *out, const struct result *to, const char *metric,
                        const char *op, const char *unit, double value, uint64_t n,
                        const char *note)
{
    text_addf(out, "%s,%s,%s,", metric, op, unit);
    csv_add_number(out, value);
    text_addf(out, ",,,,%llu,,", (unsigned long long)n);
    text_add_csv(out, note);
    text_add(out, ",,"); /* a recording has no prediction */
    csv_end_row(out, to->target, &to->key, &to->labels);
}

static void csv_add_device(struct text *out, const struct result *r,
                           const struct recording_level *d, double seconds)
{
    uint64_t n = d->op[RECORDING_ALL].count;
    for (int op = 0; op < RECORDING_OPS; op++) {
        const struct recording_numbers *x = &d->op[op];
        const char *name = recording_op_name((enum recording_op)op);
        if (x->count == 0)
            continue;
        csv_add_row(out, r, "device_requests", name, "1", (double)x->count, x->count, d->name);
        csv_add_row(out, r, "device_bytes", name, "B", (double)x->bytes, x->count, d->name);
        csv_add_row(out, r, "device_iops", name, "1/s", (double)x->count / seconds, x->count,
                    d->name);
        csv_add_row(out, r, "device_bandwidth", name, "B/s", (double)x->bytes / seconds, x->count,
                    d->name);
        csv_add_row(out, r, "device_response_time", name, "ns", x->mean_ns, x->count, d->name);
        csv_add_row(out, r, "device_lat_p99", name, "ns",
                    x->percentile_ns[RECORDING_METRIC_LATENCY_P99], x->count, d->name);
        csv_add_row(out, r, "device_errors", name, "1", (double)x->failed, x->count, d->name);
    }
    csv_add_row(out, r, "device_busy", "all", "s", d->busy_seconds, n, d->name);
    csv_add_row(out, r, "device_depth", "all", "1", d->depth_mean, n, d->name);
    csv_add_row(out, r, "device_depth_max", "all", "1", (double)d->depth_max, n, d->name);
    csv_add_row(out, r, "device_merges", "all", "1", (double)d->merged, n, d->name);
    csv_add_row(out, r, "device_own_requests", "all", "1", (double)d->own_count, n, d->name);
    csv_add_row(out, r, "device_own_bytes", "all", "B", (double)d->own_bytes, d->own_count,
                d->name);
}

static void recording_csv(const void *what, struct text *out)
{
    const struct recording *a = what;
    result_csv(&a->result, out);
    for (size_t i = 0; i < a->file_count; i++) {
        const struct recording_file *f = &a->files[i];
        for (int op = RECORDING_READ; op <= RECORDING_FLUSH; op++) {
            const char *name = recording_op_name((enum recording_op)op);
            if (f->count[op] == 0)
                continue;
            csv_add_row(out, &a->result, "calls", name, "1", (double)f->count[op], f->count[op],
                        f->name);
            csv_add_row(out, &a->result, "bytes", name, "B", (double)f->bytes[op], f->count[op],
                        f->name);
        }
    }
    for (size_t i = 0; i < a->device_count; i++)
        csv_add_device(out, &a->result, &a->devices[i], a->rate_seconds);
    if (recording_has_calls(a))
        csv_add_row(out, &a->result, "processes", "all", "1", (double)a->processes, a->processes,
                    "");
    csv_add_row(out, &a->result, "events", "all", "1", (double)a->events, a->events, "");
    csv_add_row(out, &a->result, "events_lost", "all", "1", (double)a->lost, a->events + a->lost,
                "");
}

/* ---- JSON ---- */

static const struct field device_fields[] = {
    FIELD_JSON(recording_level, name),      FIELD_JSON(recording_level, size),
    FIELD_JSON(recording_level, merged),    FIELD(recording_level, own_count, NULL, "own_requests"),
    FIELD_JSON(recording_level, own_bytes), FIELD_LAST,
};

static const struct field level_fields[] = {
    FIELD_JSON(recording_level, blocks), FIELD_JSON(recording_level, busy_seconds),
    FIELD_JSON(recording_level, depth_mean), FIELD_JSON(recording_level, depth_max), FIELD_LAST};

static const struct field file_fields[] = {
    FIELD_JSON(recording_file, name),
    FIELD_JSON(recording_file, size),
    FIELD(recording_file, count[RECORDING_READ], NULL, "reads"),
    FIELD(recording_file, bytes[RECORDING_READ], NULL, "read_bytes"),
    FIELD(recording_file, count[RECORDING_WRITE], NULL, "writes"),
    FIELD(recording_file, bytes[RECORDING_WRITE], NULL, "written_bytes"),
    FIELD(recording_file, count[RECORDING_FLUSH], NULL, "flushes"),
    FIELD_LAST,
};

static const struct field series_fields[] = {FIELD_JSON(result_series, name),
                                             FIELD_JSON(result_series, unit),
                                             FIELD_JSON(result_series, slice_seconds), FIELD_LAST};

static void json_numbers_of(struct json *j, const struct recording_numbers *x, const char *op,
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
    for (int i = 0; i < RECORDING_PERCENTILES; i++)
        json_number(j, metric_of(metrics[i])->name, x->percentile_ns[i]);
    json_end_object(j);
}

static void json_level(struct json *j, const char *key, const struct recording_level *l,
                       double seconds)
{
    json_begin_object(j, key);
    if (l->name[0])
        json_fields(j, device_fields, l);
    json_fields(j, level_fields, l);
    for (int op = 0; op < RECORDING_OPS; op++)
        if (l->op[op].count > 0)
            json_numbers_of(j, &l->op[op], recording_op_name((enum recording_op)op), seconds);
    json_end_object(j);
}

static void recording_json(const void *what, struct text *out)
{
    const struct recording *a = what;
    const struct result *r = &a->result;
    struct json j = json_report(out, "record");
    json_string(&j, recording_subject_name(a->subject), r->target);
    json_string(&j, "date", r->key.date);
    json_labels(&j, &r->labels);
    json_bool(&j, "interrupted", a->interrupted);
    json_number(&j, "elapsed_seconds", a->seconds);
    json_unsigned(&j, "processes", a->processes);
    json_unsigned(&j, "events", a->events);
    json_unsigned(&j, "events_lost", a->lost);
    json_bool(&j, "rates_known", recording_rates_known(a));
    if (recording_has_calls(a))
        json_level(&j, "calls", &a->calls, a->rate_seconds);
    json_begin_array(&j, "devices");
    for (size_t i = 0; i < a->device_count; i++)
        json_level(&j, NULL, &a->devices[i], a->rate_seconds);
    json_end_array(&j);
    json_records(&j, "files", file_fields, a->files, a->file_count, sizeof *a->files);
    json_unsigned(&j, "files_more", a->files_more);
    const struct result_row *bps = result_find(r, METRIC_BPS, "all");
    json_number(&j, "bps", bps ? bps->value : NAN);
    json_rows(&j, r->rows, r->row_count);
    json_records(&j, "notes", note_fields, r->notes, r->note_count, sizeof *r->notes);
    json_begin_array(&j, "series");
    for (size_t i = 0; i < r->series_count; i++) {
        json_begin_object(&j, NULL);
        json_fields(&j, series_fields, &r->series[i]);
        json_numbers(&j, "values", r->series[i].values, r->series[i].count);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_settings(&j, &r->settings);
    json_end_object(&j);
}

const struct report_kind recording_report = {recording_document, recording_csv, recording_json,
                                             NULL};
