/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints results as CSV, with columns that other programs rely on, and as JSON with everything that
   a result contains. */
#include "report/layout/csv_key.h"
#include "report/layout/labels_shown.h"
#include "report/run/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/inventory/inventory.h"
#include "report/layout/number.h"
#include "report/layout/option_values.h"
#include "report/run/sections.h"

/* ---- fields ---- */

static const char *row_metric(const void *row)
{
    return metric_of(((const struct result_row *)row)->metric)->name;
}

static const char *row_unit(const void *row)
{
    return metric_of(((const struct result_row *)row)->metric)->unit;
}

const struct field metric_row_fields[] = {
    FIELDS_OF_METRIC(result_row, FIELD_WORDS(row_metric, "metric", "metric"),
                     FIELD_WORDS(row_unit, "unit", "unit"))};

const struct field round_fields[] = {
    FIELD_BOTH(result_round, trial),
    FIELD(result_round, begin_seconds, "begin_s", "begin_seconds"),
    FIELD_BOTH(result_round, seconds),
    FIELD_BOTH(result_round, ios),
    FIELD_BOTH(result_round, bytes),
    FIELD_BOTH(result_round, errors),
    FIELD_BOTH(result_round, iops),
    FIELD_BOTH(result_round, bandwidth),
    FIELD_BOTH(result_round, response_time_ns),
    FIELD_LAST,
};

const struct field slow_fields[] = {FIELD_BOTH(result_slow, op),
                                    FIELD_BOTH(result_slow, offset),
                                    FIELD_BOTH(result_slow, length),
                                    FIELD_BOTH(result_slow, job),
                                    FIELD_BOTH(result_slow, begin_ns),
                                    FIELD_BOTH(result_slow, latency_ns),
                                    FIELD_BOTH(result_slow, failed),
                                    FIELD_BOTH(result_slow, stall),
                                    FIELD_LAST};
static const struct field stall_fields[] = {
    FIELD_JSON(result_stall, begin_seconds), FIELD_JSON(result_stall, seconds),
    FIELD_JSON(result_stall, requests),      FIELD_JSON(result_stall, one_wait),
    FIELD_JSON(result_stall, stands_out),    FIELD_JSON(result_stall, longest_ns),
    FIELD_JSON(result_stall, beside),        FIELD_LAST};
const struct field event_fields[] = {FIELD(result_event, seconds, "time_s", "seconds"),
                                     FIELD(result_event, text, "event", "text"), FIELD_LAST};

static const char *kernel_severity(const void *line)
{
    return kernel_severity_name(((const struct kernel_line *)line)->severity);
}

const struct field kernel_line_fields[] = {
    FIELD(kernel_line, seconds, "time_s", "seconds"),
    FIELD(kernel_line, within, "within_s", "within"),
    FIELD(kernel_line, last_seconds, "last_s", "last_seconds"),
    FIELD_BOTH(kernel_line, count),
    FIELD_BOTH(kernel_line, kind),
    FIELD_WORDS(kernel_severity, "severity", "severity"),
    FIELD_BOTH(kernel_line, of_target),
    FIELD_BOTH(kernel_line, by_program),
    FIELD_BOTH(kernel_line, text),
    FIELD_LAST};
static const struct field kernel_log_fields[] = {
    FIELD_JSON(kernel_log, state), FIELD_JSON(kernel_log, seen), FIELD_JSON(kernel_log, lost),
    FIELD_JSON(kernel_log, left_out), FIELD_LAST};

const struct field note_fields[] = {FIELD_JSON(result_note, warning), FIELD_JSON(result_note, text),
                                    FIELD_LAST};

static const char *session_verdict(const void *session)
{
    return verdict_name(((const struct result_session *)session)->verdict);
}

const struct field session_fields[] = {
    FIELD(result_session, number, "session", "session"),
    FIELD(result_session, begin_seconds, "begin_s", "begin_seconds"),
    FIELD_BOTH(result_session, date),
    FIELD_BOTH(result_session, seconds),
    FIELD_BOTH(result_session, seed),
    FIELD_WORDS(session_verdict, "verdict", "verdict"),
    FIELD_BOTH(result_session, counted),
    FIELD_JSON(result_session, failure),
    FIELD_JSON(result_session, phase),
    FIELD(result_session, others.processors, "others_processors", NULL),
    FIELD(result_session, others.stolen, "others_stolen", NULL),
    FIELD(result_session, others.device, "others_device", NULL),
    FIELD_LAST,
};

static const struct field repeat_fields[] = {
    FIELD_JSON(result_repeat, asked),
    FIELD_JSON(result_repeat, every_seconds),
    FIELD_JSON(result_repeat, counted),
    FIELD_JSON(result_repeat, decided),
    FIELD_JSON(result_repeat, busy),
    FIELD_JSON(result_repeat, spread_seconds),
    FIELD_JSON(result_repeat, sd),
    FIELD(result_repeat, within, NULL, "sd_within"),
    FIELD(result_repeat, between, NULL, "sd_between"),
    FIELD_JSON(result_repeat, intraclass),
    FIELD_JSON(result_repeat, holding),
    FIELD_JSON(result_repeat, required),
    FIELD_JSON(result_repeat, late),
    FIELD_JSON(result_repeat, late_seconds),
    FIELD_LAST,
};

static const char *probe_verdict(const void *probe)
{
    return rate_verdict_name(((const struct result_probe *)probe)->verdict);
}

static const char *probe_ended(const void *probe)
{
    return verdict_name(((const struct result_probe *)probe)->ended);
}

static const char *probe_unit(const void *probe)
{
    return clause_unit(&((const struct result_probe *)probe)->clause);
}

const struct field probe_fields[] = {
    FIELD(result_probe, number, "probe", "probe"),
    FIELD_BOTH(result_probe, rate),
    FIELD_WORDS(probe_verdict, "verdict", "verdict"),
    FIELD(result_probe, clause.text, "clause", "clause"),
    FIELD_WORDS(probe_unit, "unit", "unit"),
    FIELD(result_probe, clause.value, "value", "value"),
    FIELD(result_probe, low, "ci_low", "ci_low"),
    FIELD(result_probe, high, "ci_high", "ci_high"),
    FIELD(result_probe, clause.limit, "limit", "limit"),
    FIELD_BOTH(result_probe, confidence),
    FIELD_BOTH(result_probe, iops),
    FIELD_BOTH(result_probe, response_ns),
    FIELD_BOTH(result_probe, backlog),
    FIELD_BOTH(result_probe, backlog_growth),
    FIELD(result_probe, seconds, "seconds", "seconds"),
    FIELD_WORDS(probe_ended, "ended", "ended"),
    FIELD_LAST,
};

static const struct field rates_fields[] = {
    FIELD_JSON(result_rates, clauses),
    FIELD_JSON(result_rates, holds),
    FIELD_JSON(result_rates, fails),
    FIELD_JSON(result_rates, ceiling),
    FIELD_JSON(result_rates, estimate),
    FIELD_JSON(result_rates, width),
    FIELD_JSON(result_rates, asked),
    FIELD_JSON(result_rates, confidence),
    FIELD_JSON(result_rates, saturation),
    FIELD_JSON(result_rates, narrow),
    FIELD_JSON(result_rates, none),
    FIELD_JSON(result_rates, machine),
    FIELD_LAST,
};

/* ---- CSV ---- */

/* Prints the rows of a result; with several sessions, a row for the headline of each session
   follows. */
void result_csv(const void *what, struct text *out)
{
    const struct result *r = what;
    if (r->merged) {
        merged_add_csv(r, metric_row_fields, out);
        return;
    }
    csv_add_names(out, metric_row_fields);
    csv_end_header(out);
    for (size_t i = 0; i < r->row_count; i++) {
        csv_add_fields(out, metric_row_fields, &r->rows[i]);
        csv_end_row(out, r->target, &r->key, &r->labels);
    }
    for (size_t i = 0; r->repeat && i < r->repeat->session_count; i++) {
        const struct result_session *s = &r->repeat->sessions[i];
        const struct result_row *row = result_session_find(s, r->headline, r->headline_op);
        if (!row)
            continue;
        struct result_row shown = *row;
        struct result_key key = r->key;
        memcpy(key.date, s->date, sizeof key.date);
        snprintf(shown.note, sizeof shown.note, "%s of the session begun %.30s; %s%s",
                 row_metric(row), s->date, verdict_name(s->verdict),
                 s->counted ? "" : ", not counted");
        text_addf(out, "session_%zu", s->number);
        csv_add_fields(out, metric_row_fields + 1, &shown);
        csv_end_row(out, r->target, &key, &r->labels);
    }
}

/* ---- JSON ---- */

void json_others(struct json *j, const struct result_others *others, const char *words)
{
    json_begin_object(j, "others");
    json_number(j, "processors", others->processors);
    json_number(j, "stolen", others->stolen);
    json_number(j, "device", others->device);
    json_string(j, "words", words);
    json_end_object(j);
}

void json_rows(struct json *j, const struct result_row rows[], size_t count)
{
    json_records(j, "metrics", metric_row_fields, rows, count, sizeof *rows);
}

/* Adds whether predictions held. Adds nothing if the result has no history. */
static void json_prediction_check(struct json *j, const struct result_history *h)
{
    if (h->check == PREDICTION_NONE && !h->count.checked && !h->differing)
        return;
    json_begin_object(j, "prediction_check");
    json_string(j, "check", prediction_check_name(h->check));
    json_string(j, "predicted_by", h->date);
    json_number(j, "low", h->low);
    json_number(j, "high", h->high);
    json_unsigned(j, "checked", h->count.checked);
    json_unsigned(j, "held", h->count.held);
    json_unsigned(j, "widened_by", h->differing);
    json_end_object(j);
}

static void json_repeat(struct json *j, const struct result_repeat *repeat)
{
    json_begin_object(j, "repeat");
    json_fields(j, repeat_fields, repeat);
    json_end_object(j);
    json_begin_array(j, "sessions");
    for (size_t i = 0; i < repeat->session_count; i++) {
        const struct result_session *s = &repeat->sessions[i];
        json_begin_object(j, NULL);
        json_fields(j, session_fields, s);
        json_bool(j, "busy_machine", s->busy[0] != '\0');
        json_others(j, &s->others, s->busy);
        json_rows(j, s->rows, s->row_count);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_rates(struct json *j, const struct result_rates *rates)
{
    json_begin_object(j, "highest_rate");
    json_fields(j, rates_fields, rates);
    json_records(j, "probes", probe_fields, rates->probes, rates->count, sizeof *rates->probes);
    json_end_object(j);
}

static void json_series(struct json *j, const char *key, const struct result_series series[],
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

/* Adds the histograms, without empty buckets. */
static void json_histograms(struct json *j, const char *key,
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

/* Adds floats as an array on one line, like an array of doubles. */
static void json_floats(struct json *j, const char *key, const float values[], size_t count)
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

static void json_timeline(struct json *j, const struct result_timeline *t)
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
        json_floats(j, "low", g->low, t->count);
        json_floats(j, "mean", g->mean, t->count);
        json_floats(j, "high", g->high, t->count);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

void result_json(const void *what, struct text *out)
{
    const struct result *r = what;
    struct json j = json_report(out, r->merged ? "merge" : "run");
    json_string(&j, "verdict", verdict_name(r->verdict));
    json_string(&j, "failure", r->failure);
    json_string(&j, "target", r->target);
    json_string(&j, "workload", r->workload);
    json_string(&j, "date", r->key.date);
    json_labels(&j, &r->labels);
    json_options(&j, &r->options);
    json_string(&j, "headline", metric_of(r->headline)->name);
    json_string(&j, "headline_op", r->headline_op);
    json_number(&j, "target_width", r->target_width);
    json_string(&j, "phase", r->phase);
    json_bool(&j, "width_given", r->width_given);
    json_level_claim(&j, &r->claim);
    json_bool(&j, "busy_machine", r->busy[0] != '\0');
    json_others(&j, &r->others, r->busy);
    json_rows(&j, r->rows, r->row_count);
    json_prediction_check(&j, &r->history);
    if (r->repeat)
        json_repeat(&j, r->repeat);
    if (r->rates)
        json_rates(&j, r->rates);
    if (r->merged)
        merged_add_json(r, &j);
    json_records(&j, "notes", note_fields, r->notes, r->note_count, sizeof *r->notes);
    json_records(&j, "rounds", round_fields, r->rounds, r->round_count, sizeof *r->rounds);
    json_series(&j, "series", r->series, r->series_count);
    json_histograms(&j, "histograms", r->histograms, r->histogram_count);
    if (r->period_count > 0)
        json_records(&j, "percentiles", period_fields, r->periods, r->period_count,
                     sizeof *r->periods);
    if (r->priority_count > 0)
        json_records(&j, "priorities", priority_fields, r->priorities, r->priority_count,
                     sizeof *r->priorities);
    if (r->timed) {
        json_bool(&j, "saturated", r->saturated);
        json_histograms(&j, "issue_error", &r->issue_error, r->has_issue_error);
        json_records(&j, "phases", phase_fields, r->phases, r->phase_count, sizeof *r->phases);
    }
    if (r->clause_count > 0)
        json_records(&j, "clauses", clause_fields, r->clauses, r->clause_count, sizeof *r->clauses);
    if (r->fidelity_count > 0) {
        json_records(&j, "fidelity", fidelity_fields, r->fidelity, r->fidelity_count,
                     sizeof *r->fidelity);
        json_series(&j, "original_series", r->original, r->original_count);
        json_histograms(&j, "original_histograms", r->original_histograms,
                        r->original_histogram_count);
    }
    struct path_view path = path_of_result(r);
    path_add_json(&path, &j);
    json_timeline(&j, &r->timeline);
    json_records(&j, "events", event_fields, r->events, r->event_count, sizeof *r->events);
    if (r->kernel_log.state[0]) {
        json_begin_object(&j, "kernel_log");
        json_fields(&j, kernel_log_fields, &r->kernel_log);
        json_records(&j, "lines", kernel_line_fields, r->kernel_log.lines, r->kernel_log.count,
                     sizeof *r->kernel_log.lines);
        json_end_object(&j);
    }
    if (r->slow_count > 0) {
        json_records(&j, "slowest", slow_fields, r->slow, r->slow_count, sizeof *r->slow);
        json_records(&j, "stalls", stall_fields, r->stalls, r->stall_count, sizeof *r->stalls);
    }
    json_settings(&j, &r->settings);
    inventory_add_json(r->hardware, "hardware", &j);
    json_end_object(&j);
}
