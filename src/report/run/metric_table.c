/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the two tables of numbers: the main metrics, and latency percentiles. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

enum {
    TITLE_WIDTH = 14,
    OP_WIDTH = 6,
    VALUE_WIDTH = 13,
    END_WIDTH = 10,
    ARM_WIDTH = 9,
    COUNT_WIDTH = 8,
    NUMBERS_WIDTH = VALUE_WIDTH + 2 * END_WIDTH + ARM_WIDTH
};

static const enum metric_id latency_metrics[] = {
#define PERCENTILE_METRIC(metric, share) metric,
    METRIC_LATENCY_MIN, PERCENTILE_ROWS(PERCENTILE_METRIC) METRIC_LATENCY_MAX
#undef PERCENTILE_METRIC
};
#define LATENCY_METRICS (sizeof latency_metrics / sizeof *latency_metrics)

static bool is_latency(enum metric_id id)
{
    for (size_t i = 0; i < LATENCY_METRICS; i++)
        if (latency_metrics[i] == id)
            return true;
    return false;
}

/* Returns true for metrics of the main table. Others have no interval and are printed elsewhere: in
   sentences, or with the response times. */
static bool is_in_main_table(enum metric_id id)
{
    return !is_latency(id) && id != METRIC_OVERHEAD &&
           !(id >= METRIC_SERVICE_TIME && id <= METRIC_ISSUED_1MS) &&
           !(id >= METRIC_SESSIONS && id <= METRIC_PREDICTIONS_HELD);
}

void metric_titles(struct document *out)
{
    static const struct layout_column titles[] = {
        {"", -(2 + TITLE_WIDTH)}, {"op", -OP_WIDTH},      {"value", VALUE_WIDTH},
        {"low", END_WIDTH},       {"high", END_WIDTH},    {"+-", ARM_WIDTH},
        {"n", COUNT_WIDTH},       {"eff. n", COUNT_WIDTH}};
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

static bool has_interval(const struct result_row *row)
{
    return !isnan(row->low) || !isnan(row->high);
}

static void print_metric_numbers(const struct result_row *row, enum metric_kind kind,
                                 struct document *out)
{
    char cell[NUMBER_BUFFER], with_unit[NUMBER_BUFFER + 2];
    if (!has_interval(row)) {
        bool is_rate = row->metric == METRIC_RATE_ASKED || row->metric == METRIC_BACKLOG_GROWTH ||
                       row->metric == METRIC_SATURATION;
        snprintf(with_unit, sizeof with_unit, "%s%s",
                 number_value(cell, sizeof cell, kind, row->value), is_rate ? "/s" : "");
        document_right(out, with_unit, VALUE_WIDTH);
        document_right(out, "", END_WIDTH);
        document_right(out, "", END_WIDTH);
        document_right(out, "", ARM_WIDTH);
        return;
    }
    document_interval(out, kind, (const double[]){row->value, row->low, row->high}, VALUE_WIDTH,
                      END_WIDTH);
    document_right(out, number_arm(cell, sizeof cell, row->value, row->low, row->high), ARM_WIDTH);
}

void metric_print(const struct result *r, const struct result_row *row, struct document *out)
{
    const struct metric *metric = metric_of(row->metric);
    const char *missing = row->note[0] ? row->note : "not known";
    bool fits = layout_length(missing) <= NUMBERS_WIDTH - 3;
    document_add(out, "  ");
    /* the title already names the operation, so it also fills that column */
    if (r->rate_title[0]) {
        document_left(out, result_title(r, row->metric), TITLE_WIDTH + OP_WIDTH);
    } else {
        document_left(out, metric->title, TITLE_WIDTH);
        document_left(out, row->op, OP_WIDTH);
    }
    if (!isnan(row->value)) {
        print_metric_numbers(row, metric->kind, out);
    } else {
        document_add(out, "   ");
        document_left(out, fits ? missing : "-", NUMBERS_WIDTH - 3);
        for (int i = 0; i < 3; i++)
            document_left(out, "", 0); /* the words fill the columns of all numbers */
    }
    char cell[NUMBER_BUFFER];
    document_right(out, row->n > 0 ? number_count(cell, sizeof cell, (double)row->n) : "",
                   COUNT_WIDTH);
    document_right(
        out,
        isnan(row->effective_n) ? "" : number_count(cell, sizeof cell, floor(row->effective_n)),
        COUNT_WIDTH);
    document_end_row(out);
    if (row->note[0] && (!isnan(row->value) || !fits))
        document_paragraph(out, "                         ", TONE_PLAIN, row->note);
}

/* Returns the explanation of the columns n and eff. n. It mentions intervals if any row has one, in
   this table or in that of latencies. */
static const char *legend(const struct result *r)
{
    bool interval = false, effective = false;
    for (size_t i = 0; i < r->row_count; i++) {
        interval = interval || has_interval(&r->rows[i]);
        effective = effective || !isnan(r->rows[i].effective_n);
    }
    if (r->repeat)
        return "n: sessions, each of which is one reading; percentiles are means of the sessions' "
               "percentiles.";
    return !effective  ? "n: readings or samples."
           : !interval ? "n: readings or samples; eff. n: independent ones worth as much."
                       : "n: readings or samples; eff. n: independent ones worth as much, on which "
                         "the intervals rest.";
}

void section_metrics(const struct result *r, struct document *out)
{
    if (r->row_count == 0)
        return;
    char heading[80];
    /* common confidence of the table's intervals; NaN: none, or they differ */
    double confidence = NAN;
    bool shared = true;
    for (size_t i = 0; i < r->row_count; i++) {
        double own = r->rows[i].confidence;
        if (isnan(own) || !has_interval(&r->rows[i]) || !is_in_main_table(r->rows[i].metric))
            continue;
        shared = shared && (isnan(confidence) || own == confidence);
        confidence = own;
    }
    if (isnan(confidence) || !shared)
        snprintf(heading, sizeof heading, "%s",
                 r->verdict == VERDICT_COMPLETE ? "Metrics of the pass" : "Metrics");
    else
        snprintf(heading, sizeof heading, "Metrics, with %g %% intervals", 100 * confidence);
    document_heading(out, heading);
    metric_titles(out);
    for (size_t i = 0; i < r->row_count; i++)
        if (is_in_main_table(r->rows[i].metric))
            metric_print(r, &r->rows[i], out);
    document_paragraph(out, "  ", TONE_PLAIN, legend(r));
}

void latency_print(const struct result *r, const char *op, struct document *out)
{
    for (size_t m = 0; m < LATENCY_METRICS; m++) {
        const struct result_row *row = result_find(r, latency_metrics[m], op);
        if (!row)
            continue;
        struct result_row shown = *row;
        /* the legend of the table already says this for several sessions */
        if (r->repeat && !isnan(row->value))
            shown.note[0] = '\0';
        metric_print(r, &shown, out);
    }
}

void section_latency(const struct result *r, struct document *out)
{
    bool begun = false;
    for (size_t i = 0; i < r->row_count; i++) {
        bool first = is_latency(r->rows[i].metric); /* the first row of its operation */
        for (size_t k = 0; k < i && first; k++)
            first = !is_latency(r->rows[k].metric) || strcmp(r->rows[k].op, r->rows[i].op) != 0;
        if (!first)
            continue;
        if (!begun) {
            document_heading(out, r->timed ? "Response time, from the due instant to completion"
                                           : "Latency, from submission to completion");
            metric_titles(out);
            begun = true;
        }
        latency_print(r, r->rows[i].op, out);
    }
}
