/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of a report: one row each. */
#include <string.h>

#include "report/run/formats.h"

const struct sink report_sinks[] = {
    {"text", "for people: the verdict first, tables and plots", text_print, text_print_analysis},
    {"csv", "one header line, then one row for each metric", csv_print, csv_print_analysis},
    {"json", "everything, the series as well", json_print, json_print_analysis},
    {NULL, NULL, NULL, NULL},
};

const struct sink *report_sink_find(const char *name)
{
    for (const struct sink *sink = report_sinks; sink->name; sink++)
        if (!strcmp(sink->name, name))
            return sink;
    return NULL;
}
