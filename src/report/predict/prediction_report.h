/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions of variability maps and how good the maps are: text, CSV and JSON. */
#ifndef CUPEL_REPORT_PREDICT_PREDICTION_REPORT_H
#define CUPEL_REPORT_PREDICT_PREDICTION_REPORT_H

#include "facts/prediction.h"
#include "report/report.h"

struct prediction_sink {
    const char *name; /* as --format takes it: text, csv, json */
    void (*prediction)(const struct prediction *p, const struct report_style *style,
                       struct text *out);
    void (*validation)(const struct map_validation *v, const struct report_style *style,
                       struct text *out);
};

extern const struct prediction_sink prediction_sinks[]; /* ends with a name of NULL */
const struct prediction_sink *prediction_sink_find(const char *name);

#endif
