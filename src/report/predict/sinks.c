/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats. */
#include <string.h>

#include "report/predict/internal.h"

const struct prediction_sink prediction_sinks[] = {
    {"text", prediction_print_text, validation_print_text, variance_print_text, heat_map_print_text,
     scatter_print_text, ranking_print_text, drift_print_text, run_plan_print_text,
     convergence_print_text},
    {"csv", prediction_print_csv, validation_print_csv, variance_print_csv, heat_map_print_csv,
     scatter_print_csv, ranking_print_csv, drift_print_csv, run_plan_print_csv,
     convergence_print_csv},
    {"json", prediction_print_json, validation_print_json, variance_print_json, heat_map_print_json,
     scatter_print_json, ranking_print_json, drift_print_json, run_plan_print_json,
     convergence_print_json},
    {.name = NULL},
};

const struct prediction_sink *prediction_sink_find(const char *name)
{
    for (const struct prediction_sink *sink = prediction_sinks; sink->name; sink++)
        if (!strcmp(sink->name, name))
            return sink;
    return NULL;
}
