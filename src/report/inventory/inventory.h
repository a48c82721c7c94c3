/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of an inventory: the parts of a machine, its faults, and the data paths of targets. Each
 * format is a row of inventory_report. As in report.h, text is appended to a text of the caller,
 * running out of memory shows in text.failed, and there is no state.
 */
#ifndef CUPEL_REPORT_INVENTORY_INVENTORY_H
#define CUPEL_REPORT_INVENTORY_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/text.h"
#include "facts/inventory.h"
#include "report/document/document.h"
#include "report/path/path.h"

struct inventory_view {
    const struct inventory *inventory;
    const struct path_view *paths;
    size_t path_count;
    bool all;           /* text: shows every node and every fact, nothing grouped */
    bool captured;      /* another machine's inventory: facts that were not permitted there cannot
                           be read here */
    const char *dump;   /* the file with the PCI devices, where nothing else is known; or NULL */
    const char *remedy; /* how to get permission for the rest; NULL: "try as root" */
};

extern const struct report_kind inventory_report;

/* The formats. */
void inventory_csv(const void *what, struct text *out);
void inventory_json(const void *what, struct text *out);

/* Adds an array of nodes, each with its facts, as a member of the open object. */
void inventory_add_json(const struct inventory *v, const char *key, struct json *j);

#endif
