/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the figures of a certificate: the target's metrics with their intervals, the precision
   that was reached, and the warnings about them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certificate/page/internal.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

enum { VALUE_WIDTH = 12, PAGE_WARNINGS_MAX = 4 };

static bool has_interval(const struct result_row *row)
{
    return isfinite(row->low) && isfinite(row->high);
}

static void write_figure(const struct result_row *row, struct document *out)
{
    const struct metric *metric = metric_of(row->metric);
    struct number_scale scale = number_scale_of(metric->kind, row->value, row->low, row->high);
    char name[64], value[NUMBER_BUFFER] = "-";
    struct text words = {0};
    snprintf(name, sizeof name, "%s %s", strcmp(row->op, "all") ? row->op : "", metric->title);
    if (has_interval(row))
        certificate_add_interval(row, &words);
    else
        text_add(&words, row->note);
    if (has_interval(row))
        number_scaled(value, sizeof value, &scale, row->value);
    else if (!isnan(row->value))
        number_value(value, sizeof value, metric->kind, row->value);
    document_add(out, "  ");
    document_left(out, name + (*name == ' '), CERTIFICATE_NAME_WIDTH - 1);
    document_right(out, value, VALUE_WIDTH);
    document_add(out, "  ");
    document_end_row_in_words_from(out, TONE_PLAIN, &words);
}

/* Returns true for the metrics that a customer asks for. Other metrics are only in the report; the
   cost of measuring is none of them, because it says nothing about the target. */
static bool is_shown(const struct result *r, const struct result_row *row)
{
    static const enum metric_id shown[] = {
        METRIC_LATENCY_P50, METRIC_LATENCY_P99, METRIC_LATENCY_P999, METRIC_LATENCY_P9999,
        METRIC_LATENCY_MAX, METRIC_SERVICE_P99, METRIC_NEVER_ISSUED, METRIC_ERRORS};
    bool asked = row->metric < METRIC_LATENCY_P50 || row->metric == r->headline;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        asked |= row->metric == shown[i];
    return asked && !(row->metric == METRIC_NEVER_ISSUED && !(row->value > 0));
}

/* Writes the precision that was reached beside the requested one; and the value that a repetition
   should give. */
static void write_precision(const struct result *r, struct document *out)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    char arm[NUMBER_BUFFER], asked[NUMBER_BUFFER];
    struct text words = {0};
    if (!row || isnan(row->value))
        return;
    const char *op = result_op_word(r, row->op);
    if (has_interval(row))
        text_addf(&words, "%s reached",
                  number_plus_minus(arm, sizeof arm, row->value, row->low, row->high));
    else
        text_add(&words, "not known, because there are too few readings for an interval");
    text_addf(&words, ", for %s%s%s", op, *op ? " " : "", result_title(r, row->metric));
    if (r->target_width > 0)
        text_addf(&words, "; %s was asked for",
                  number_precision(asked, sizeof asked, r->target_width));
    certificate_add_row(out, "precision", layout_string(&words));
    out->failed |= words.failed;
    text_free(&words);
    if (!result_is_predicted(row))
        return;
    struct number_scale scale =
        number_scale_of(metric_of(row->metric)->kind, row->value, row->next_low, row->next_high);
    certificate_row(out, "a repetition", "should give %s to %s (%.4g %% prediction)",
                    number_scaled(arm, sizeof arm, &scale, row->next_low),
                    number_scaled(asked, sizeof asked, &scale, row->next_high),
                    100 * row->confidence);
}

static void write_rate(const struct result *r, struct document *out)
{
    const struct result_row *asked = result_find(r, METRIC_RATE_ASKED, "all"),
                            *completed = timing_completed(r);
    char of[NUMBER_BUFFER], done[NUMBER_BUFFER];
    if (asked && completed && !isnan(asked->value))
        certificate_row(out, "rate", "%s requests per second completed, of %s that fell due",
                        number_value(done, sizeof done, METRIC_KIND_COUNT_RATE, completed->value),
                        number_value(of, sizeof of, METRIC_KIND_COUNT_RATE, asked->value));
}

/* Writes the first warnings; a page for one sheet has the number of the others. */
static void write_warnings(const struct result *r, struct document *out)
{
    const size_t shown = out->style.page ? PAGE_WARNINGS_MAX : RESULT_NOTES_MAX;
    size_t count = 0;
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning && count++ < shown)
            certificate_add_row(out, "warning", r->notes[i].text);
    if (count > shown)
        certificate_row(out, "warnings", "%zu more, in the report", count - shown);
}

void certificate_write_figures(const struct result *r, struct document *out)
{
    document_heading(out, "Figures");
    write_precision(r, out);
    write_rate(r, out);
    for (size_t i = 0; i < r->row_count; i++)
        if (is_shown(r, &r->rows[i]))
            write_figure(&r->rows[i], out);
    write_warnings(r, out);
}
