/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of an inventory as text; the reports of a probe and of a run consist of them. */
#ifndef CUPEL_REPORT_INVENTORY_INVENTORY_SECTIONS_H
#define CUPEL_REPORT_INVENTORY_INVENTORY_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/inventory.h"
#include "report/document/document.h"
#include "report/inventory/inventory.h"

/* Findings are faults of a machine, and states worth a look: links slower than they could be,
   health, heat, errors. */

/* Selects the nodes to look at; NULL: all. */
typedef bool findings_wanted(const void *context, const struct inventory *v, int node);

struct findings_view {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
    bool all;         /* print all: no finding is only counted */
    const char *rest; /* where to find the findings that are only counted: " (see --all)", or "" */
};

/* Prints one paragraph for each finding, the gravest first; returns their number. */
size_t findings_print(const struct findings_view *w, struct document *out);

/* Is the node's link slower than both ends, or than the card, could be? */
bool findings_of_link(const struct inventory *v, int node);

/* inventory_report.c: adds "Dell Inc. PowerEdge R7625, AMD EPYC 9354, 503 GiB, Linux 6.1.0": one
   line without its end. */
void inventory_add_summary(const struct inventory *v, struct text *out);

/* inventory_report.c: prints the facts that were missing, not permitted or not understood;
   `remedy` follows those that were not permitted, and may be "". */
void inventory_print_missing(const struct inventory *v, findings_wanted *wanted,
                             const void *context, const char *remedy, struct document *out);

/* inventory_tree.c: prints the devices as a tree of how they are attached. */
void inventory_print_tree(const struct inventory *v, bool all, struct document *out);

#endif
