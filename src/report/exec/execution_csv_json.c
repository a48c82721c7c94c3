/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a program's rounds as CSV and JSON. Has the tables of formats and of files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/exec/internal.h"
#include "report/layout/csv_key.h"
#include "report/layout/labels_shown.h"
#include "report/layout/option_values.h"
#include "report/run/formats.h"

/* ---- rows ---- */

struct row {
    char metric[48], op[8], unit[16];
    double value, low, high, confidence;
    uint64_t n;
    double effective_n;
    char note[120];
    double next_low, next_high;
};

static const struct field row_fields[] = {
    FIELDS_OF_METRIC(row, FIELD_BOTH(row, metric), FIELD_BOTH(row, unit))};

static struct row index_row(const struct execution_index *index)
{
    struct row row = {.value = index->value,
                      .low = index->low,
                      .high = index->high,
                      .confidence = index->confidence,
                      .n = index->used,
                      .effective_n = index->effective_n,
                      .next_low = index->next_low,
                      .next_high = index->next_high};
    snprintf(row.metric, sizeof row.metric, "%s", index->name);
    snprintf(row.op, sizeof row.op, "%s", index->op);
    snprintf(row.unit, sizeof row.unit, "%s", index->unit);
    char level[LEVEL_CLAIM_WORDS];
    level_claim_words(level, sizeof level, &index->claim);
    const char *cut = index->cut ? "lower end cut at 0" : "", *words = "";
    if (!*index->phase && isnan(row.low))
        words = "of rounds of different work amounts";
    else if (isfinite(row.low) && row.n > 2 && !isfinite(row.high))
        words = *index->phase ? "unbounded: the rounds differ too much for an upper end"
                              : "unbounded: more work does not take longer for certain";
    else if (!isfinite(row.low) || !isfinite(row.high))
        words = "too few rounds for an interval";
    else if (!strcmp(index->phase, "no_steady_state"))
        words = index->of_units ? "no steady state: all readings count"
                                : "no steady state: all rounds count";
    else if (*level && index->target_width > 0)
        words = level;
    else if (index->target_width > 0 && index->held_back)
        words = level_doubt_words(level, sizeof level, &index->claim);
    else if (index->target_width > 0 && !index->enough)
        words = index->width <= index->target_width ? "too few rounds to be called precise"
                                                    : "wider than --ci";
    snprintf(row.note, sizeof row.note, "%s%s%s", words, *words && *cut ? "; " : "", cut);
    return row;
}

static struct row plain_row(const char *metric, const char *unit, double value, size_t n)
{
    struct row row = {.op = "all",
                      .value = value,
                      .low = NAN,
                      .high = NAN,
                      .confidence = NAN,
                      .effective_n = NAN,
                      .next_low = NAN,
                      .next_high = NAN};
    snprintf(row.metric, sizeof row.metric, "%s", metric);
    snprintf(row.unit, sizeof row.unit, "%s", unit);
    row.n = n;
    return row;
}

enum { PLAIN_ROWS = 7 };

/* Fills in the rows that have no interval, and returns their number. */
static size_t plain_rows(const struct execution *x, struct row rows[PLAIN_ROWS])
{
    const struct execution_usage u = execution_usage_of(x);
    size_t count = 0;
    if (u.rounds) {
        rows[count++] = plain_row("user_time", "s", u.user_seconds, u.rounds);
        rows[count++] = plain_row("system_time", "s", u.system_seconds, u.rounds);
        rows[count++] = plain_row("max_rss", "B", u.max_rss, u.rounds);
    }
    if (x->own_cost.pairs) {
        rows[count] = plain_row("overhead", "1", x->own_cost.value, x->own_cost.pairs);
        rows[count].low = x->own_cost.low;
        rows[count].high = x->own_cost.high;
        rows[count++].confidence = x->index_count ? x->indices[0].confidence : NAN;
    }
    rows[count++] = plain_row("rounds", "1", (double)x->good_count, x->round_count);
    rows[count++] = plain_row("errors", "1", (double)x->failed_count, x->round_count);
    rows[count++] = plain_row("elapsed", "s", x->elapsed_seconds, x->round_count);
    return count;
}

static void execution_csv(const void *what, struct text *out)
{
    const struct execution *x = what;
    struct row rows[EXECUTION_INDICES_MAX + PLAIN_ROWS];
    size_t count = 0;
    for (; count < x->index_count; count++)
        rows[count] = index_row(&x->indices[count]);
    count += plain_rows(x, rows + count);
    struct result_key key = {.rw = ""};
    snprintf(key.date, sizeof key.date, "%s", x->date);
    csv_add_names(out, row_fields);
    for (size_t i = 0; i < x->parameter_count; i++) {
        text_add(out, ",");
        text_add_csv(out, x->parameters[i].name);
    }
    csv_end_header(out);
    for (size_t i = 0; i < count; i++) {
        csv_add_fields(out, row_fields, &rows[i]);
        for (size_t k = 0; k < x->parameter_count; k++) {
            text_add(out, ",");
            text_add_csv(out, x->parameters[k].value);
        }
        csv_end_row(out, x->command, &key, &x->labels);
    }
}

/* ---- rounds and readings ---- */

static const char *round_failure(const void *round)
{
    const char *why = ((const struct execution_round *)round)->why;
    return why ? why : "";
}

static const struct field execution_round_fields[] = {
    FIELD(execution_round, number, "round", "round"),
    FIELD(execution_round, begin_seconds, "begin_s", "begin_seconds"),
    FIELD_BOTH(execution_round, seconds),
    FIELD(execution_round, user_seconds, "user_s", "user_seconds"),
    FIELD(execution_round, system_seconds, "system_s", "system_seconds"),
    FIELD_BOTH(execution_round, max_rss),
    FIELD_BOTH(execution_round, work),
    FIELD_BOTH(execution_round, warmup),
    FIELD_WORDS(round_failure, "failure", "failure"),
    FIELD_LAST,
};

/* Returns true if the index has exactly one reading for each round. Indices of --unit-readings have
   several, and a predicted duration has none. */
static bool is_of_rounds(const struct execution_index *index)
{
    return index->values && !index->of_units;
}

/* Adds the name of an index as a column, with "." and its operation unless it covers all
   operations. */
static void add_column(struct text *out, const struct execution_index *index)
{
    char name[sizeof index->name + sizeof index->op];
    const bool all = !strcmp(index->op, "all");
    snprintf(name, sizeof name, "%s%s%s", index->name, all ? "" : ".", all ? "" : index->op);
    text_add(out, ",");
    text_add_csv(out, name);
}

static void render_rounds(const struct execution *x, struct text *out)
{
    csv_add_names(out, execution_round_fields);
    for (size_t i = 0; i < x->index_count; i++)
        if (is_of_rounds(&x->indices[i]))
            add_column(out, &x->indices[i]);
    text_add(out, "\n");
    for (size_t i = 0, good = 0; i < x->round_count; i++) {
        const struct execution_round *round = &x->rounds[i];
        bool counts = !round->why && !round->warmup;
        csv_add_fields(out, execution_round_fields, round);
        for (size_t k = 0; k < x->index_count; k++)
            if (is_of_rounds(&x->indices[k]))
                csv_add_field(out, counts ? x->indices[k].values[good] : NAN);
        text_add(out, "\n");
        good += counts;
    }
}

static void render_readings(const struct execution *x, struct text *out)
{
    text_add(out, "metric,op,unit,round,value,stable\n");
    for (size_t k = 0; k < x->index_count; k++) {
        const struct execution_index *index = &x->indices[k];
        for (size_t i = 0, good = 0; i < x->round_count && is_of_rounds(index); i++) {
            if (x->rounds[i].why || x->rounds[i].warmup)
                continue;
            text_add_csv(out, index->name);
            text_addf(out, ",%s,", index->op);
            text_add_csv(out, index->unit);
            text_addf(out, ",%llu", (unsigned long long)x->rounds[i].number);
            csv_add_field(out, index->values[good]);
            text_addf(out, ",%d\n", good >= index->stable_begin && good < index->stable_end);
            good++;
        }
    }
}

/* Writes the file of unit readings, which is empty if there are none. */
static void render_units(const struct execution *x, struct text *out)
{
    if (x->unit_count)
        text_add(out, "metric,op,unit,round,reading,merged,value,stable\n");
    for (size_t i = 0; i < x->unit_count; i++) {
        const struct execution_units *units = &x->units[i];
        const struct execution_index *index = &x->indices[units->index];
        for (size_t k = 0; k < units->n; k++) {
            text_add_csv(out, index->name);
            text_addf(out, ",%s,", index->op);
            text_add_csv(out, index->unit);
            text_addf(out, ",%llu,%zu,%zu", (unsigned long long)units->round, k * units->merged,
                      units->merged);
            csv_add_field(out, units->values[k]);
            text_addf(out, ",%d\n", k >= units->stable_begin && k < units->stable_end);
        }
    }
}

static const char *part_kind(const void *part)
{
    return node_kind_name(((const struct result_part *)part)->kind);
}

static const struct field part_fields[] = {
    FIELD(result_part, name, "part", "name"),
    FIELD_WORDS(part_kind, "kind", "kind"),
    FIELD_BOTH(result_part, on_path),
    FIELD_BOTH(result_part, bottleneck),
    FIELD_BOTH(result_part, utilisation),
    FIELD_BOTH(result_part, peak),
    FIELD_BOTH(result_part, saturated),
    FIELD_BOTH(result_part, measure),
    FIELD_LAST,
};

static void render_machine(const struct execution *x, struct text *out)
{
    csv_add_lines(out, NULL, part_fields, x->parts, x->part_count, sizeof *x->parts);
}

static const struct report_style plain = {0};

static void render_page(const struct execution *x, struct text *out)
{
    report_print(&execution_report, x, "html", &plain, out);
}

static void render_summary(const struct execution *x, struct text *out)
{
    execution_csv(x, out);
}

static void render_text(const struct execution *x, struct text *out)
{
    report_print(&execution_report, x, "text", &plain, out);
}

const struct execution_file execution_files[] = {
    {"report.txt", render_text},       {"report.html", render_page},
    {"summary.csv", render_summary},   {"rounds.csv", render_rounds},
    {"readings.csv", render_readings}, {"unit_readings.csv", render_units},
    {"machine.csv", render_machine},   {NULL, NULL},
};

/* ---- JSON ---- */

static const char *index_type(const void *index)
{
    return index_type_name(((const struct execution_index *)index)->type);
}

static const struct field unit_fields[] = {
    FIELD_JSON(execution_units, round),
    FIELD_JSON(execution_units, n),
    FIELD_JSON(execution_units, merged),
    FIELD_JSON(execution_units, stable_begin),
    FIELD_JSON(execution_units, stable_end),
    FIELD_JSON(execution_units, steady),
    FIELD_LAST,
};

static const struct field index_fields[] = {
    FIELD_JSON(execution_index, name),
    FIELD_JSON(execution_index, op),
    FIELD_JSON(execution_index, unit),
    FIELD_WORDS(index_type, NULL, "type"),
    FIELD_JSON(execution_index, target_width),
    FIELD_JSON(execution_index, width),
    FIELD(execution_index, cut, NULL, "cut_at_0"),
    FIELD_JSON(execution_index, of_units),
    FIELD_JSON(execution_index, enough),
    FIELD_JSON(execution_index, required_n),
    FIELD_JSON(execution_index, phase),
    FIELD_JSON(execution_index, stable_begin),
    FIELD_JSON(execution_index, stable_end),
    FIELD_JSON(execution_index, autocorrelation),
    FIELD_JSON(execution_index, sd),
    FIELD_JSON(execution_index, min),
    FIELD_JSON(execution_index, median),
    FIELD_JSON(execution_index, max),
    FIELD_LAST,
};

/* Adds which part of each round's unit readings is steady. Their values are in
   unit_readings.csv. */
static void json_units(const struct execution *x, struct json *j)
{
    json_begin_array(j, "unit_readings");
    for (size_t i = 0; i < x->unit_count; i++) {
        json_begin_object(j, NULL);
        json_string(j, "index", x->indices[x->units[i].index].name);
        json_fields(j, unit_fields, &x->units[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void execution_json(const void *what, struct text *out)
{
    const struct execution *x = what;
    struct row rows[EXECUTION_INDICES_MAX + PLAIN_ROWS];
    struct json j = json_report(out, "exec");
    json_string(&j, "verdict", verdict_name(x->verdict));
    json_string(&j, "failure", x->failure);
    json_string(&j, "command", x->command);
    json_string(&j, "date", x->date);
    json_labels(&j, &x->labels);
    json_begin_object(&j, "parameters");
    for (size_t i = 0; i < x->parameter_count; i++)
        json_string(&j, x->parameters[i].name, x->parameters[i].value);
    json_end_object(&j);
    json_bool(&j, "busy_machine", x->busy[0] != '\0');
    json_others(&j, &x->others, x->busy);
    size_t count = 0;
    for (; count < x->index_count; count++)
        rows[count] = index_row(&x->indices[count]);
    count += plain_rows(x, rows + count);
    json_records(&j, "metrics", row_fields, rows, count, sizeof *rows);
    json_begin_array(&j, "indices");
    for (size_t i = 0; i < x->index_count; i++) {
        const struct execution_index *index = &x->indices[i];
        json_begin_object(&j, NULL);
        json_fields(&j, index_fields, index);
        json_level_claim(&j, &index->claim);
        json_sizes(&j, "changepoints", index->changepoints, index->changepoint_count);
        json_numbers(&j, "values", index->values, index->of_units ? 0 : index->n);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_units(x, &j);
    json_records(&j, "rounds", execution_round_fields, x->rounds, x->round_count,
                 sizeof *x->rounds);
    json_records(&j, "parts", part_fields, x->parts, x->part_count, sizeof *x->parts);
    json_records(&j, "notes", note_fields, x->notes, x->note_count, sizeof *x->notes);
    json_settings(&j, &x->settings);
    json_end_object(&j);
}

const struct report_kind execution_report = {execution_document, execution_csv, execution_json,
                                             NULL};
