/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as CSV; and the list of formats. */
#include <math.h>
#include <string.h>

#include "report/application/application.h"
#include "report/run/formats.h"

const struct application_sink application_sinks[] = {
    {"text", application_print_text},
    {"csv", application_print_csv},
    {"json", application_print_json},
    {NULL, NULL},
};

const struct application_sink *application_sink_find(const char *name)
{
    for (const struct application_sink *sink = application_sinks; sink->name; sink++)
        if (!strcmp(sink->name, name))
            return sink;
    return NULL;
}

/* No interval, no confidence: one pass has none. */
static void add_row(struct text *out, const char *metric, const char *op, const char *unit,
                    double value, uint64_t n, const char *note)
{
    text_addf(out, "%s,%s,%s,", metric, op, unit);
    csv_add_number(out, value);
    text_addf(out, ",,,,%llu,,", (unsigned long long)n);
    text_add_csv(out, note);
    text_add(out, "\n");
}

static void add_file(struct text *out, const struct application_file *f)
{
    for (int op = APPLICATION_READ; op <= APPLICATION_FLUSH; op++) {
        const char *name = application_op_name((enum application_op)op);
        if (f->count[op] == 0)
            continue;
        add_row(out, "calls", name, "1", (double)f->count[op], f->count[op], f->name);
        add_row(out, "bytes", name, "B", (double)f->bytes[op], f->count[op], f->name);
    }
}

static void add_device_op(struct text *out, const struct application_level *d, int op,
                          double seconds)
{
    const struct application_numbers *x = &d->op[op];
    const char *name = application_op_name((enum application_op)op);
    if (x->count == 0)
        return;
    add_row(out, "device_requests", name, "1", (double)x->count, x->count, d->name);
    add_row(out, "device_bytes", name, "B", (double)x->bytes, x->count, d->name);
    add_row(out, "device_iops", name, "1/s", (double)x->count / seconds, x->count, d->name);
    add_row(out, "device_bandwidth", name, "B/s", (double)x->bytes / seconds, x->count, d->name);
    add_row(out, "device_response_time", name, "ns", x->mean_ns, x->count, d->name);
    add_row(out, "device_lat_p99", name, "ns", x->percentile_ns[APPLICATION_METRIC_LATENCY_P99],
            x->count, d->name);
    add_row(out, "device_errors", name, "1", (double)x->failed, x->count, d->name);
}

static void add_device(struct text *out, const struct application_level *d, double seconds)
{
    uint64_t n = d->op[APPLICATION_ALL].count;
    for (int op = 0; op < APPLICATION_OPS; op++)
        add_device_op(out, d, op, seconds);
    add_row(out, "device_busy", "all", "s", d->busy_seconds, n, d->name);
    add_row(out, "device_depth", "all", "1", d->depth_mean, n, d->name);
    add_row(out, "device_depth_max", "all", "1", (double)d->depth_max, n, d->name);
    add_row(out, "device_merges", "all", "1", (double)d->merged, n, d->name);
    add_row(out, "device_own_requests", "all", "1", (double)d->own_count, n, d->name);
    add_row(out, "device_own_bytes", "all", "B", (double)d->own_bytes, d->own_count, d->name);
}

void application_print_csv(const struct application *a, const struct report_style *style,
                           struct text *out)
{
    csv_print(&a->result, style, out);
    for (size_t i = 0; i < a->file_count; i++)
        add_file(out, &a->files[i]);
    for (size_t i = 0; i < a->device_count; i++)
        add_device(out, &a->devices[i], a->rate_seconds);
    if (a->of_program)
        add_row(out, "processes", "all", "1", (double)a->processes, a->processes, "");
    add_row(out, "events", "all", "1", (double)a->events, a->events, "");
    add_row(out, "events_lost", "all", "1", (double)a->lost, a->events + a->lost, "");
}
