/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of predictions from variability maps, and of the maps' errors: text, CSV, JSON and a
   page. */
#ifndef CUPEL_REPORT_PREDICT_PREDICTION_REPORT_H
#define CUPEL_REPORT_PREDICT_PREDICTION_REPORT_H

#include "facts/map_analysis.h"
#include "facts/prediction.h"
#include "report/report.h"

struct prediction_sink {
    const char *name; /* as --format accepts it: text, csv, json, html */
    void (*prediction)(const struct prediction *p, const struct report_style *style,
                       struct text *out);
    void (*validation)(const struct map_validation *v, const struct report_style *style,
                       struct text *out);
    void (*variance)(const struct variance_analysis *v, const struct report_style *style,
                     struct text *out);
    void (*heat_map)(const struct heat_map *h, const struct report_style *style, struct text *out);
    void (*scatter)(const struct map_scatter *s, const struct report_style *style,
                    struct text *out);
    void (*ranking)(const struct map_ranking *r, const struct report_style *style,
                    struct text *out);
    void (*drift)(const struct map_drift *d, const struct report_style *style, struct text *out);
    void (*run_plan)(const struct run_plan *p, const struct report_style *style, struct text *out);
    void (*convergence)(const struct map_convergence *m, const struct report_style *style,
                        struct text *out);
};

extern const struct prediction_sink prediction_sinks[]; /* ends with a name of NULL */
const struct prediction_sink *prediction_sink_find(const char *name);

/* Prints a heat map as a picture (SVG). */
void heat_map_print_svg(const struct heat_map *h, struct text *out);
void scatter_print_svg(const struct map_scatter *s, struct text *out);

#endif
