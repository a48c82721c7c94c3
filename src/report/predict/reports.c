/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reports of what cupel predict computes. */
#include "report/predict/internal.h"

void predict_title(struct document *out, const char *title)
{
    document_title(out, title);
    out->plain = true;
}

const struct report_kind prediction_report = {prediction_document, prediction_csv, prediction_json};
const struct report_kind validation_report = {validation_document, validation_csv, validation_json};
const struct report_kind variance_report = {variance_document, variance_csv, variance_json};
const struct report_kind heat_map_report = {heat_map_document, heat_map_csv, heat_map_json};
const struct report_kind scatter_report = {scatter_document, scatter_csv, scatter_json};
const struct report_kind ranking_report = {ranking_document, ranking_csv, ranking_json};
const struct report_kind drift_report = {drift_document, drift_csv, drift_json};
const struct report_kind run_plan_report = {run_plan_document, run_plan_csv, run_plan_json};
const struct report_kind convergence_report = {convergence_document, convergence_csv,
                                               convergence_json};
