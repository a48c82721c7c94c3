/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of an inventory: what a machine is made of, what is wrong with it, and the data paths of
 * targets. A format is one row of inventory_sinks. As in report.h: text is appended to what the
 * caller owns, memory that runs out shows in text.failed, there is no state.
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
    bool all;           /* text: every node and every fact, nothing put together */
    bool captured;      /* another machine's: what was not permitted there is not to be had here */
    const char *remedy; /* what permits the rest; NULL: "try as root" */
};

struct inventory_sink {
    const char *name; /* as --format takes it */
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

/* A page without scripts; what it looks like is not the caller's. */
void inventory_print_html(const struct inventory_view *view, const struct report_style *style,
                          struct text *out);

/* An array of nodes, each with its facts, as a member of the object that is open. */
void inventory_add_json(const struct inventory *v, const char *key, struct json *j);

#endif
