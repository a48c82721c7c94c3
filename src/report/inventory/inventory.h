/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of an inventory: the parts of a machine, its faults, and the data paths of targets. Each
 * format is a row of inventory_sinks. As in report.h, text is appended to a text of the caller,
 * running out of memory shows in text.failed, and there is no state.
 */
#ifndef CUPEL_REPORT_INVENTORY_INVENTORY_H
#define CUPEL_REPORT_INVENTORY_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/text.h"
#include "facts/inventory.h"
#include "report/path/path.h"
#include "report/report.h"

struct inventory_view {
    const struct inventory *inventory;
    const struct path_view *paths;
    size_t path_count;
    bool all;           /* text: shows every node and every fact, nothing grouped */
    bool captured;      /* another machine's inventory: facts that were not permitted there cannot
                           be read here */
    const char *remedy; /* how to get permission for the rest; NULL: "try as root" */
};

struct inventory_sink {
    const char *name; /* as --format accepts it */
    void (*print)(const struct inventory_view *view, const struct report_style *style,
                  struct text *out);
};

extern const struct inventory_sink inventory_sinks[]; /* ends with a row whose name is NULL */
const struct inventory_sink *inventory_sink_find(const char *name);

/* The formats: inventory_text.c, inventory_records.c, inventory_page.c. */
void inventory_print_text(const struct inventory_view *view, const struct report_style *style,
                          struct text *out);
void inventory_print_csv(const struct inventory_view *view, const struct report_style *style,
                         struct text *out);
void inventory_print_json(const struct inventory_view *view, const struct report_style *style,
                          struct text *out);

/* Prints a page without scripts; the caller's style has no effect. */
void inventory_print_html(const struct inventory_view *view, const struct report_style *style,
                          struct text *out);

/* Adds an array of nodes, each with its facts, as a member of the open object. */
void inventory_add_json(const struct inventory *v, const char *key, struct json *j);

#endif
