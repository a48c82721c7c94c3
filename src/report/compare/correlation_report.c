/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints correlations with execution time: text with a figure, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/compare/comparison.h"
#include "report/html/chart.h"
#include "report/layout/fields.h"
#include "report/run/formats.h"

static const char *expected_sign(const void *row)
{
    return ((const struct comparison_correlation *)row)->expected < 0 ? "-" : "+";
}

static const char *verdict_of(const void *row)
{
    return comparison_correlation_verdict(row);
}

static const struct field correlation_fields[] = {
    FIELD_BOTH(comparison_correlation, metric),
    FIELD(comparison_correlation, value, "correlation", "correlation"),
    FIELD(comparison_correlation, low, "ci_low", "ci_low"),
    FIELD(comparison_correlation, high, "ci_high", "ci_high"),
    FIELD_BOTH(comparison_correlation, n),
    FIELD_WORDS(expected_sign, "expected_sign", "expected_sign"),
    FIELD_WORDS(verdict_of, "verdict", "verdict"),
    FIELD_LAST,
};

static void correlations_csv(const void *what, struct text *out)
{
    const struct comparison_correlations *c = what;
    csv_add_lines(out, NULL, correlation_fields, c->rows, c->count, sizeof *c->rows);
}

static void correlations_json(const void *what, struct text *out)
{
    const struct comparison_correlations *c = what;
    struct json j = json_report(out, "correlations");
    json_number(&j, "confidence", c->confidence);
    json_bool(&j, "open_ended", c->open_ended);
    json_records(&j, "correlations", correlation_fields, c->rows, c->count, sizeof *c->rows);
    json_records(&j, "notes", note_fields, c->notes, c->note_count, sizeof *c->notes);
    json_end_object(&j);
}

static void draw_chart(const void *what, size_t number, struct text *out)
{
    const struct comparison_correlations *c = what;
    (void)number;
    struct chart_row rows[COMPARISON_CORRELATIONS];
    for (size_t i = 0; i < c->count; i++)
        rows[i] = (struct chart_row){.name = c->rows[i].metric,
                                     .words = comparison_correlation_verdict(&c->rows[i]),
                                     .low = c->rows[i].low,
                                     .value = c->rows[i].value,
                                     .high = c->rows[i].high};
    chart_rows_add(out, &(struct chart_rows){.title = "Coefficients",
                                             .words = "with their intervals",
                                             .kind = METRIC_KIND_NUMBER,
                                             .rows = rows,
                                             .count = c->count});
}

static void correlations_document(const void *what, struct document *out)
{
    const struct comparison_correlations *c = what;
    document_title(out, "Correlation with execution time");
    document_heading(out, "correlation with execution time");
    static const struct layout_column columns[] = {
        {"", -22}, {"CC", 9}, {"", 2}, {"interval", -18}, {"runs", 6}, {"", 2}, {"expected", -8}};
    document_titles(out, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_correlation *row = &c->rows[i];
        char interval[48] = "-", value[16] = "-";
        if (!isnan(row->value)) {
            snprintf(value, sizeof value, "%+.3f", row->value);
            snprintf(interval, sizeof interval, "%+.3f to %+.3f", row->low, row->high);
        }
        document_add(out, "  ");
        document_left(out, row->metric, 20);
        document_right(out, value, 9);
        document_add(out, "  ");
        document_left(out, interval, 18);
        snprintf(value, sizeof value, "%zu", row->n);
        document_right(out, value, 6);
        document_add(out, "  ");
        snprintf(interval, sizeof interval, "%s: %s", expected_sign(row),
                 comparison_correlation_verdict(row));
        document_left(out, interval, 1);
        document_end_row(out);
    }
    for (size_t i = 0; i < c->note_count; i++)
        document_paragraph(out, "Warning: ", TONE_YELLOW, c->notes[i].text);
    if (c->open_ended)
        document_paragraph(
            out, "Warning: ", TONE_YELLOW,
            "sessions that end when they are precise, or after a time that was asked "
            "for, have no execution time of their own: compare runs of the same work "
            "(replay, phases, exec)");
    document_end_row(out);
    document_paragraph(
        out, "", TONE_PLAIN,
        "A metric that says how fast a system is for its users falls (-) or rises (+) "
        "with execution time; opposite: it misleads here. He, Sun, Yin, BPS (2013).");
    document_part(out);
    document_figure(out, (struct figure){.page = draw_chart, .context = c});
}

const struct report_kind correlations_report = {correlations_document, correlations_csv,
                                                correlations_json, NULL};
