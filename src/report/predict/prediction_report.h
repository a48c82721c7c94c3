/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of predictions from variability maps, and of the maps' errors: text, CSV, JSON and a
   page. */
#ifndef CUPEL_REPORT_PREDICT_PREDICTION_REPORT_H
#define CUPEL_REPORT_PREDICT_PREDICTION_REPORT_H

#include "facts/map_analysis.h"
#include "facts/prediction.h"
#include "report/document/document.h"

extern const struct report_kind prediction_report;
extern const struct report_kind validation_report;
extern const struct report_kind variance_report;
extern const struct report_kind heat_map_report;
extern const struct report_kind lines_report;
extern const struct report_kind scatter_report;
extern const struct report_kind ranking_report;
extern const struct report_kind drift_report;
extern const struct report_kind run_plan_report;
extern const struct report_kind convergence_report;

/* Print a heat map, or a scatter plot, as a picture (SVG). */
void heat_map_print_svg(const struct heat_map *h, struct text *out);
void lines_print_svg(const struct heat_map *h, struct text *out);
void scatter_print_svg(const struct map_scatter *s, struct text *out);

#endif
