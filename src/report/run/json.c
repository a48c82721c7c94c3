/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as JSON: everything a result holds. */
#include <stdlib.h>

#include "base/json.h"

#include "report/inventory/inventory.h"
#include "report/layout/number.h"
#include "report/run/formats.h"

void json_rows(struct json *j, const struct result_row rows[], size_t count)
{
    json_begin_array(j, "metrics");
    for (size_t i = 0; i < count; i++) {
        const struct result_row *row = &rows[i];
        const struct metric *metric = metric_of(row->metric);
        json_begin_object(j, NULL);
        json_string(j, "metric", metric->name);
        json_string(j, "op", row->op);
        json_string(j, "unit", metric->unit);
        json_number(j, "value", row->value);
        json_number(j, "ci_low", row->low);
        json_number(j, "ci_high", row->high);
        json_number(j, "confidence", row->confidence);
        json_unsigned(j, "n", row->n);
        json_number(j, "effective_n", row->effective_n);
        json_string(j, "note", row->note);
        json_end_object(j);
    }
    json_end_array(j);
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

void json_others(struct json *j, const struct result_others *others, const char *words)
{
    json_begin_object(j, "others");
    json_number(j, "processors", others->processors);
    json_number(j, "stolen", others->stolen);
    json_number(j, "device", others->device);
    json_string(j, "words", words);
    json_end_object(j);
}

static void add_rounds(struct json *j, const struct result *r)
{
    json_begin_array(j, "rounds");
    for (size_t i = 0; i < r->round_count; i++) {
        const struct result_round *round = &r->rounds[i];
        json_begin_object(j, NULL);
        json_bool(j, "trial", round->trial);
        json_number(j, "begin_seconds", round->begin_seconds);
        json_number(j, "seconds", round->seconds);
        json_unsigned(j, "ios", round->ios);
        json_unsigned(j, "bytes", round->bytes);
        json_unsigned(j, "errors", round->errors);
        json_number(j, "iops", round->iops);
        json_number(j, "bandwidth", round->bandwidth);
        json_number(j, "response_time_ns", round->response_time_ns);
        json_end_object(j);
    }
    json_end_array(j);
}

static void add_series(struct json *j, const char *key, const struct result_series series[],
                       size_t count)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < count; i++) {
        const struct result_series *s = &series[i];
        json_begin_object(j, NULL);
        json_string(j, "name", s->name);
        json_string(j, "unit", s->unit);
        json_number(j, "slice_seconds", s->slice_seconds);
        json_unsigned(j, "stable_begin", s->stable_begin);
        json_unsigned(j, "stable_end", s->stable_end);
        json_sizes(j, "changepoints", s->changepoints, s->changepoint_count);
        json_numbers(j, "values", s->values, s->count);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Empty buckets are left out. */
static void add_histograms(struct json *j, const char *key,
                           const struct result_histogram histograms[], size_t count)
{
    json_begin_array(j, key);
    for (size_t h = 0; h < count; h++) {
        const struct result_histogram *histogram = &histograms[h];
        json_begin_object(j, NULL);
        json_string(j, "op", histogram->op);
        json_begin_array(j, "buckets");
        for (size_t i = 0; i < histogram->count; i++) {
            if (histogram->counts[i] == 0)
                continue;
            const double bucket[] = {histogram->edges[i], histogram->edges[i + 1],
                                     (double)histogram->counts[i]};
            json_numbers(j, NULL, bucket, sizeof bucket / sizeof *bucket);
        }
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void add_phases(struct json *j, const struct result *r)
{
    json_begin_array(j, "phases");
    for (size_t i = 0; i < r->phase_count; i++) {
        const struct result_phase *phase = &r->phases[i];
        json_begin_object(j, NULL);
        json_number(j, "begin_seconds", phase->begin_seconds);
        json_number(j, "seconds", phase->seconds);
        json_number(j, "rate_begin", phase->rate_begin);
        json_number(j, "rate_end", phase->rate_end);
        json_number(j, "iops", phase->iops);
        json_number(j, "response_time_ns", phase->response_time_ns);
        json_number(j, "service_time_ns", phase->service_time_ns);
        json_number(j, "backlog", phase->backlog);
        json_bool(j, "kept_up", phase->kept_up);
        json_end_object(j);
    }
    json_end_array(j);
}

/* Of requests with due times, and of a replay. */
static void add_timing(struct json *j, const struct result *r)
{
    json_bool(j, "saturated", r->saturated);
    add_histograms(j, "issue_error", &r->issue_error, r->has_issue_error);
    add_phases(j, r);
}

static void add_fidelity(struct json *j, const struct result *r)
{
    json_begin_array(j, "fidelity");
    for (size_t i = 0; i < r->fidelity_count; i++) {
        const struct result_fidelity *row = &r->fidelity[i];
        json_begin_object(j, NULL);
        json_string(j, "quantity", row->name);
        json_string(j, "unit", fidelity_unit(row));
        json_number(j, "original", row->original);
        json_number(j, "replay", row->replay);
        json_string(j, "measure", fidelity_measure_name(row->measure));
        json_number(j, "distance", row->distance);
        json_string(j, "note", row->note);
        json_end_object(j);
    }
    json_end_array(j);
    add_series(j, "original_series", r->original, r->original_count);
    add_histograms(j, "original_histograms", r->original_histograms, r->original_histogram_count);
}

static void add_settings(struct json *j, const struct facts *facts)
{
    json_begin_array(j, "settings");
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->rows[i];
        json_begin_object(j, NULL);
        json_string(j, "node", fact->node);
        json_string(j, "key", fact->key);
        json_string(j, "value", fact->value);
        json_string(j, "unit", fact->unit);
        json_string(j, "source", fact->source);
        json_string(j, "status", fact_status_name(fact->status));
        json_end_object(j);
    }
    json_end_array(j);
}

/* On one line, as an array of doubles is. */
static void add_floats(struct json *j, const char *key, const float values[], size_t count)
{
    double *wide = malloc((count + 1) * sizeof *wide);
    if (!wide) {
        j->out->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        wide[i] = number_of_float(values[i]);
    json_numbers(j, key, wide, count);
    free(wide);
}

static void add_timeline(struct json *j, const struct result_timeline *t)
{
    json_begin_object(j, "timeline");
    json_numbers(j, "begin_seconds", t->begin, t->count);
    json_numbers(j, "end_seconds", t->end, t->count);
    json_begin_array(j, "gauges");
    for (size_t i = 0; i < t->gauge_count; i++) {
        const struct result_gauge *g = &t->gauges[i];
        json_begin_object(j, NULL);
        json_string(j, "node", g->node);
        json_string(j, "key", g->key);
        json_string(j, "unit", g->unit);
        json_number(j, "limit", g->limit);
        add_floats(j, "low", g->low, t->count);
        add_floats(j, "mean", g->mean, t->count);
        add_floats(j, "high", g->high, t->count);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void add_events(struct json *j, const struct result *r)
{
    json_begin_array(j, "events");
    for (size_t i = 0; i < r->event_count; i++) {
        json_begin_object(j, NULL);
        json_number(j, "seconds", r->events[i].seconds);
        json_string(j, "text", r->events[i].text);
        json_end_object(j);
    }
    json_end_array(j);
}

void json_print(const struct result *r, const struct report_style *style, struct text *out)
{
    (void)style;
    struct json j = json_on(out);
    json_begin_object(&j, NULL);
    json_string(&j, "verdict", verdict_name(r->verdict));
    json_string(&j, "failure", r->failure);
    json_string(&j, "target", r->target);
    json_string(&j, "workload", r->workload);
    json_string(&j, "headline", metric_of(r->headline)->name);
    json_string(&j, "headline_op", r->headline_op);
    json_number(&j, "target_width", r->target_width);
    json_string(&j, "phase", r->phase);
    json_bool(&j, "busy_machine", r->busy[0] != '\0');
    json_others(&j, &r->others, r->busy);
    json_rows(&j, r->rows, r->row_count);
    repeat_add_json(r, &j);
    add_notes(&j, r);
    add_rounds(&j, r);
    add_series(&j, "series", r->series, r->series_count);
    add_histograms(&j, "histograms", r->histograms, r->histogram_count);
    if (r->timed)
        add_timing(&j, r);
    if (r->fidelity_count > 0)
        add_fidelity(&j, r);
    struct path_view path = path_of_result(r);
    path_add_json(&path, &j);
    add_timeline(&j, &r->timeline);
    add_events(&j, r);
    add_settings(&j, &r->settings);
    inventory_add_json(r->hardware, "hardware", &j);
    json_end_object(&j);
}

void json_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out)
{
    (void)style;
    struct json j = json_on(out);
    json_begin_object(&j, NULL);
    json_string(&j, "source", a->source);
    json_string(&j, "column", a->column);
    json_unsigned(&j, "n", a->n);
    json_number(&j, "mean", a->mean);
    json_number(&j, "ci_low", a->low);
    json_number(&j, "ci_high", a->high);
    json_number(&j, "confidence", a->confidence);
    json_unsigned(&j, "stable_begin", a->stable_begin);
    json_unsigned(&j, "stable_end", a->stable_end);
    json_sizes(&j, "changepoints", a->changepoints, a->changepoint_count);
    json_string(&j, "phase", a->phase);
    json_number(&j, "autocorrelation", a->autocorrelation);
    json_unsigned(&j, "subsession_size", a->subsession_size);
    json_number(&j, "effective_n", a->effective_n);
    json_number(&j, "sd", a->sd);
    json_number(&j, "min", a->min);
    json_number(&j, "median", a->median);
    json_number(&j, "max", a->max);
    json_number(&j, "harmonic_mean", a->harmonic_mean);
    json_number(&j, "required_n", a->required_n);
    json_number(&j, "target_width", a->target_width);
    json_bool(&j, "enough", a->enough);
    json_string(&j, "mean_method", a->mean_method);
    json_string(&j, "method", a->interval_method);
    json_string(&j, "changepoint_method", a->changepoint_method);
    json_end_object(&j);
}
