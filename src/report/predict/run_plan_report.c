/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the numbers of runs that configurations need: text, CSV and JSON. */
#include <math.h>

#include "report/document/document.h"
#include "report/layout/fields.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

static void need_spread(const void *record, struct text *words)
{
    const struct run_need *need = record;
    char share[NUMBER_BUFFER];
    text_add(words, number_percent(share, sizeof share, need->sd / fabs(need->mean)));
}

static const struct field need_fields[] = {
    FIELD_CELL(need_spread, "sd/mean", 9),
    FIELD_BOTH(run_need, mean),
    FIELD_BOTH(run_need, sd),
    FIELD_SHOWN(run_need, done, "runs_done", "runs_done", "done", 7, COUNT),
    FIELD_SHOWN(run_need, needed, "runs_needed", "runs_needed", "needed", 9, COUNT),
    FIELD_ALL(run_need, seconds, "time", 16, SECONDS),
    FIELD(run_need, uncertainty, "sd_uncertainty", "sd_uncertainty"),
    FIELD_BOTH(run_need, next),
    FIELD_LAST,
};

static struct place_table table_of(const struct run_plan *p)
{
    return (const struct place_table){p->columns, p->cells, p->column_count, need_fields,
                                      p->needs,   p->count, sizeof *p->needs};
}

static void run_plan_csv(const void *what, struct text *out)
{
    const struct place_table table = table_of(what);
    csv_add_places(out, &table);
}

static void run_plan_json(const void *what, struct text *out)
{
    const struct run_plan *p = what;
    struct json j = json_report(out, "predict_run_plan");
    json_number(&j, "width", p->width);
    json_number(&j, "confidence", p->confidence);
    json_number(&j, "runs", p->runs);
    json_number(&j, "seconds", p->seconds);
    json_notes(&j, p->notes);
    const struct place_table table = table_of(p);
    json_places(&j, "configurations", &table);
    json_end_object(&j);
}

enum { ROWS_SHOWN = 18, PLACE_WIDTH = PLACE_WIDTH_MAX };

static void run_plan_document(const void *what, struct document *out)
{
    const struct run_plan *p = what;
    predict_title(out, p->value ? p->value : "The runs still needed");
    char number[NUMBER_BUFFER];
    struct text words = {0};
    size_t shown = 0, max = rows_shown(out, ROWS_SHOWN);
    if (!p->count) {
        document_paragraph(out, "NOTHING TO PLAN: ", TONE_YELLOW,
                           "every combination of the levels was measured; --query names those that "
                           "take more runs");
        document_end_row(out);
        return;
    }
    text_addf(&words, "%zu configurations, to +-%.3g %% of the mean: ", p->count, 50 * p->width);
    text_addf(&words, "%s more runs",
              isnan(p->runs) ? "an unknown number of"
                             : number_count(number, sizeof number, p->runs));
    if (!isnan(p->seconds))
        text_addf(&words, ", %s", number_seconds(number, sizeof number, p->seconds));
    document_paragraph_from(out, "RUNS NEEDED: ", TONE_GREEN, &words);
    print_notes(p->notes, out);
    document_end_row(out);
    const struct place_table table = table_of(p);
    add_place_titles(out, &table, PLACE_WIDTH);
    for (int next = 1; next >= 0; next--)
        for (size_t row = 0; row < p->count && shown < max; row++)
            if (p->needs[row].next == next) {
                document_add(out, next ? "> " : "");
                add_place_row(out, &table, row, PLACE_WIDTH);
                shown++;
            }
    if (shown < p->count)
        document_line(out, "... and %zu more: --format csv has all of them", p->count - shown);
    if (p->budget_seconds > 0)
        document_paragraph(
            out, "> ", TONE_PLAIN,
            "to be measured next within the budget: those whose standard deviation is "
            "least certain");
}

const struct report_kind run_plan_report = {run_plan_document, run_plan_csv, run_plan_json, NULL};
