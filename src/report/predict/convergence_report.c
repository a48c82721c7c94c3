/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints how intervals narrow with the number of runs: text, CSV and JSON. */
#include <math.h>

#include "report/document/document.h"
#include "report/layout/fields.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

static const struct field convergence_fields[] = {
    FIELD_ALL(run_convergence, runs, "runs", 6, COUNT),
    FIELD_BOTH(run_convergence, value),
    FIELD_ALL(run_convergence, precision, "width", 9, SHARE),
    FIELD_SHOWN(run_convergence, needed, "runs_needed", "runs_needed", "needed", 9, COUNT),
    FIELD_SHOWN(run_convergence, needed_by_law, "runs_by_law", "runs_by_law", "sqrt(n)", 9, COUNT),
    FIELD_BOTH(run_convergence, beyond),
    FIELD_SHOWN(run_convergence, confirm, "confirm_median", "confirm_median", "CONFIRM", 8, COUNT),
    FIELD_ALL(run_convergence, runs_75, "75 %", 6, COUNT),
    FIELD_ALL(run_convergence, runs_90, "90 %", 6, COUNT),
    FIELD_BOTH(run_convergence, law_75),
    FIELD_BOTH(run_convergence, law_90),
    FIELD_LAST,
};

static struct place_table table_of(const struct map_convergence *m)
{
    return (const struct place_table){m->columns, m->cells, m->column_count, convergence_fields,
                                      m->runs,    m->count, sizeof *m->runs};
}

static void convergence_csv(const void *what, struct text *out)
{
    const struct place_table table = table_of(what);
    csv_add_places(out, &table);
}

static void convergence_json(const void *what, struct text *out)
{
    const struct map_convergence *m = what;
    struct json j = json_report(out, "predict_convergence");
    json_string(&j, "response", m->response);
    json_number(&j, "width", m->width);
    json_number(&j, "confidence", m->confidence);
    json_number(&j, "first", m->first);
    json_notes(&j, m->notes);
    const struct place_table table = table_of(m);
    json_places(&j, "configurations", &table);
    json_end_object(&j);
}

/* ---- text ---- */

enum { ROWS_SHOWN = 18, PLACE_WIDTH = 25 };

static void add_headline(struct document *out, const struct map_convergence *m)
{
    struct text words = {0};
    size_t enough = 0, unknown = 0;
    for (size_t i = 0; i < m->count; i++) {
        unknown += isnan(m->runs[i].needed) ? 1 : 0;
        enough += !isnan(m->runs[i].needed) && !m->runs[i].beyond;
    }
    text_addf(&words,
              "%zu of %zu configurations have runs enough for an interval of %s of "
              "+-%.3g %%",
              enough, m->count, m->response, 50 * m->width);
    if (unknown)
        text_addf(&words, "; of %zu it is not known, for their runs are too few, or %s is 0",
                  unknown, m->response);
    document_paragraph_from(out, "CONVERGENCE: ", TONE_GREEN, &words);
}

static void convergence_document(const void *what, struct document *out)
{
    const struct map_convergence *m = what;
    predict_title(out, m->response);
    size_t max = rows_shown(out, ROWS_SHOWN), shown = m->count < max ? m->count : max;
    add_headline(out, m);
    print_notes(m->notes, out);
    document_end_row(out);
    if (!out->style.page)
        document_line(out, "                                     half     runs       by");
    const struct place_table table = table_of(m);
    add_place_titles(out, &table, PLACE_WIDTH);
    for (size_t row = 0; row < shown; row++)
        add_place_row(out, &table, row, PLACE_WIDTH);
    if (shown < m->count)
        document_line(out, "... and %zu more: --format csv has all of them", m->count - shown);
    document_paragraph(
        out, "runs needed: ", TONE_PLAIN,
        "by resampling; above the runs there are, as if further ones were like them. "
        "CONFIRM is of the median, - where more runs are needed. 75 % and 90 %: the runs "
        "after which the interval has come so far of its way from 10 runs to all. These and "
        "CONFIRM are of 11 to 200 runs: otherwise they are not known.");
}

const struct report_kind convergence_report = {convergence_document, convergence_csv,
                                               convergence_json, NULL};
