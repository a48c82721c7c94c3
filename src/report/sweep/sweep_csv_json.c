/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints sweeps as runs.csv, configurations.csv and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "report/layout/fields.h"
#include "report/layout/labels_shown.h"
#include "report/run/formats.h"
#include "report/sweep/sweep.h"

enum { TIME_BUFFER = 40 };

static const char *time_words(char to[TIME_BUFFER], int64_t ns)
{
    const int64_t second = 1000000000;
    time_t seconds = (time_t)(ns / second);
    struct tm utc;
    to[0] = '\0';
    if (!gmtime_r(&seconds, &utc))
        return to;
    size_t used = strftime(to, TIME_BUFFER, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(to + used, TIME_BUFFER - used, ".%03dZ", (int)(ns % second / 1000000));
    return to;
}

/* ---- CSV ---- */

static void csv_names(const struct sweep_result *r, bool responses, struct text *out)
{
    for (size_t i = 0; i < r->factor_count; i++) {
        text_add(out, i ? "," : "");
        text_add_csv(out, r->factors[i].name);
    }
    for (size_t i = 0; i < r->response_count && responses; i++) {
        text_add(out, ",");
        text_add_csv(out, r->responses[i].name);
    }
}

static void csv_levels(const struct sweep_result *r, uint32_t configuration, struct text *out)
{
    for (size_t i = 0; i < r->factor_count; i++) {
        size_t at = configuration * r->factor_count + i;
        text_add(out, i ? "," : "");
        if (r->factors[i].is_text)
            text_add_csv(out, r->level_text[at]);
        else
            csv_add_number(out, r->level_number[at]);
    }
}

static void sweep_csv(const void *what, struct text *out)
{
    const struct sweep_result *r = what;
    csv_names(r, true, out);
    text_add(out, ",run,configuration,control,time,seconds,host,block\n");
    for (size_t i = 0; i < r->run_count; i++) {
        const struct sweep_run *run = &r->runs[i];
        char time[TIME_BUFFER];
        csv_levels(r, run->configuration, out);
        for (size_t k = 0; k < r->response_count; k++)
            csv_add_field(out, run->values[k]);
        text_addf(out, ",%zu,%u,%d,%s,%.3f,", i + 1, run->configuration + 1, run->control,
                  time_words(time, run->time_ns), run->seconds);
        text_add_csv(out, run->host);
        text_addf(out, ",%u\n", run->block);
    }
}

static const struct field cell_fields[] = {
    FIELD_BOTH(sweep_cell, n),          FIELD_BOTH(sweep_cell, mean),
    FIELD_BOTH(sweep_cell, sd),         FIELD_BOTH(sweep_cell, sd_low),
    FIELD_BOTH(sweep_cell, sd_high),    FIELD_BOTH(sweep_cell, normality_p),
    FIELD_BOTH(sweep_cell, one_mode_p), FIELD_LAST,
};

void sweep_print_configurations(const struct sweep_result *r, struct text *out)
{
    csv_names(r, false, out);
    text_add(out, ",configuration,response");
    csv_add_names(out, cell_fields);
    text_add(out, "\n");
    for (uint32_t i = 0; i < r->number_count; i++)
        for (size_t k = 0; k < r->response_count; k++) {
            csv_levels(r, i, out);
            text_addf(out, ",%u,", i + 1);
            text_add_csv(out, r->responses[k].name);
            csv_add_fields(out, cell_fields, &r->cells[i * r->response_count + k]);
            text_add(out, "\n");
        }
}

/* ---- JSON ---- */

static void json_levels(struct json *j, const struct sweep_result *r, uint32_t configuration)
{
    json_begin_object(j, "levels");
    for (size_t i = 0; i < r->factor_count; i++) {
        size_t at = configuration * r->factor_count + i;
        if (r->factors[i].is_text)
            json_string(j, r->factors[i].name, r->level_text[at]);
        else
            json_number(j, r->factors[i].name, r->level_number[at]);
    }
    json_end_object(j);
}

static void json_configurations(struct json *j, const struct sweep_result *r)
{
    json_begin_array(j, "configurations");
    for (uint32_t i = 0; i < r->number_count; i++) {
        json_begin_object(j, NULL);
        json_unsigned(j, "configuration", i + 1);
        json_levels(j, r, i);
        json_begin_object(j, "responses");
        for (size_t k = 0; k < r->response_count; k++) {
            json_begin_object(j, r->responses[k].name);
            json_fields(j, cell_fields, &r->cells[i * r->response_count + k]);
            json_end_object(j);
        }
        json_end_object(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_runs(struct json *j, const struct sweep_result *r)
{
    json_begin_array(j, "runs");
    for (size_t i = 0; i < r->run_count; i++) {
        const struct sweep_run *run = &r->runs[i];
        char time[TIME_BUFFER];
        json_begin_object(j, NULL);
        json_unsigned(j, "configuration", run->configuration + 1);
        json_bool(j, "control", run->control);
        json_string(j, "time", time_words(time, run->time_ns));
        json_number(j, "seconds", run->seconds);
        json_string(j, "host", run->host);
        json_unsigned(j, "block", run->block);
        json_begin_object(j, "responses");
        for (size_t k = 0; k < r->response_count; k++)
            json_number(j, r->responses[k].name, run->values[k]);
        json_end_object(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static const struct field drift_fields[] = {
    FIELD_JSON(sweep_drift, host),
    FIELD_JSON(sweep_drift, n),
    FIELD_JSON(sweep_drift, hours),
    FIELD_JSON(sweep_drift, mean),
    FIELD_JSON(sweep_drift, change),
    FIELD(sweep_drift, low, NULL, "ci_low"),
    FIELD(sweep_drift, high, NULL, "ci_high"),
    FIELD_LAST,
};

static void sweep_json(const void *what, struct text *out)
{
    const struct sweep_result *r = what;
    struct json j = json_report(out, "sweep");
    json_labels(&j, &r->labels);
    json_string(&j, "plan", r->source);
    json_string(&j, "ending", sweep_ending_name(r->ending));
    json_string(&j, "failure", r->failure);
    json_unsigned(&j, "failed_runs", r->failed_runs);
    json_unsigned(&j, "left_out_runs", r->left_out_runs);
    json_string(&j, "left_out_by", r->left_out_by);
    json_unsigned(&j, "planned_runs", r->planned_runs);
    json_unsigned(&j, "shard", r->shard);
    json_unsigned(&j, "shards", r->shards);
    json_number(&j, "confidence", r->confidence);
    json_number(&j, "seconds", r->seconds);
    json_bool(&j, "busy_machine", r->busy[0] != '\0');
    json_others(&j, &r->others, r->busy);
    json_begin_array(&j, "drift");
    for (size_t i = 0; i < r->drift_count; i++) {
        json_begin_object(&j, NULL);
        json_unsigned(&j, "configuration", r->drifts[i].configuration + 1);
        json_string(&j, "response", r->responses[r->drifts[i].response].name);
        json_fields(&j, drift_fields, &r->drifts[i]);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_configurations(&j, r);
    json_runs(&j, r);
    json_end_object(&j);
}

const struct report_kind sweep_report = {sweep_document, sweep_csv, sweep_json, NULL};
