/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of an inventory: the parts of a machine, its faults, and the data paths of targets. Each
 * format is a row of inventory_report. As in report.h, functions append to the caller's text, set
 * text.failed when memory runs out, and keep no state.
 */
#ifndef CUPEL_REPORT_INVENTORY_INVENTORY_H
#define CUPEL_REPORT_INVENTORY_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/text.h"
#include "facts/inventory.h"
#include "report/document/document.h"
#include "report/path/path_view.h"

struct inventory_view {
    const struct inventory *inventory;
    const struct path_view *paths;
    size_t path_count;
    bool all; /* text output shows every node and every fact, without grouping */
    /* the inventory is of another machine, so facts that were not permitted there cannot be read
       now */
    bool captured;
    /* name of the file from lspci if it is the only source of the inventory; otherwise NULL */
    const char *dump;
    /* advice on how to get the permissions that were missing; NULL: "try as root" */
    const char *remedy;
};

extern const struct report_kind inventory_report;

/* Print an inventory in one format each. */
void inventory_csv(const void *what, struct text *out);
void inventory_json(const void *what, struct text *out);

/* Adds an array of nodes with their facts, as a member of the open object. */
void inventory_add_json(const struct inventory *v, const char *key, struct json *j);

#endif
