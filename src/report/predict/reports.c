/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reports of what cupel predict computes; those that are a figure. */
#include "report/layout/number.h"
#include "report/predict/internal.h"

static void heat_map_page(const void *what, size_t number, struct text *out)
{
    (void)number;
    heat_map_print_svg(what, out);
}

void heat_map_document(const void *what, struct document *out)
{
    const struct heat_map *h = what;
    predict_title(out, h->response);
    struct text words = {0};
    text_addf(&words, "%s%s by %s and %s", h->is_change ? "change of " : "", h->response, h->x,
              h->y);
    if (h->where[0])
        text_addf(&words, ", %s", h->where);
    document_paragraph_from(out, "HEAT MAP: ", TONE_GREEN, &words);
    print_notes(h->notes, out);
    document_figure(out,
                    (struct figure){.text = heat_map_draw, .page = heat_map_page, .context = h});
}

static void scatter_page(const void *what, size_t number, struct text *out)
{
    (void)number;
    scatter_print_svg(what, out);
}

void scatter_document(const void *what, struct document *out)
{
    const struct map_scatter *s = what;
    predict_title(out, s->response);
    char error[NUMBER_BUFFER];
    struct text words = {0};
    text_addf(&words,
              "%s of %zu configurations, each by %s on the %s scale from others; mean error ",
              s->response, s->count, s->method, s->scale);
    text_add(&words, number_percent(error, sizeof error, s->are_percent / 100));
    document_paragraph_from(out, "PREDICTED AGAINST MEASURED: ", TONE_GREEN, &words);
    print_notes(s->notes, out);
    document_figure(out, (struct figure){.text = scatter_draw, .page = scatter_page, .context = s});
}

const struct report_kind prediction_report = {prediction_document, prediction_csv, prediction_json,
                                              NULL};
const struct report_kind validation_report = {validation_document, validation_csv, validation_json,
                                              NULL};
const struct report_kind variance_report = {variance_document, variance_csv, variance_json, NULL};
const struct report_kind heat_map_report = {heat_map_document, heat_map_csv, heat_map_json, NULL};
const struct report_kind scatter_report = {scatter_document, scatter_csv, scatter_json, NULL};
const struct report_kind ranking_report = {ranking_document, ranking_csv, ranking_json, NULL};
const struct report_kind drift_report = {drift_document, drift_csv, drift_json, NULL};
const struct report_kind run_plan_report = {run_plan_document, run_plan_csv, run_plan_json, NULL};
const struct report_kind convergence_report = {convergence_document, convergence_csv,
                                               convergence_json, NULL};
