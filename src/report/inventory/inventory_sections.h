/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of an inventory as text. Reports of a probe and of a run use them. */
#ifndef CUPEL_REPORT_INVENTORY_INVENTORY_SECTIONS_H
#define CUPEL_REPORT_INVENTORY_INVENTORY_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/inventory.h"
#include "report/document/document.h"
#include "report/inventory/inventory.h"

/* Findings are faults of a machine, and states that need attention: links slower than they could
   be, bad health, heat, errors. */

/* Selects nodes: returns true for a node that is to be reported. NULL selects all. */
typedef bool findings_wanted(const void *context, const struct inventory *v, int node);

struct findings_view {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
    bool all;         /* prints all findings; false: further findings of a kind are only counted */
    const char *rest; /* where to see the findings that are only counted: " (see --all)", or "" */
};

/* Prints one paragraph for each finding, the most severe first. Returns their number. */
size_t findings_print(const struct findings_view *w, struct document *out);

/* Returns true if the node's link is slower than both of its ends, or than the card, could run. */
bool findings_of_link(const struct inventory *v, int node);

/* Adds the machine in one line without a line end: "Dell Inc. PowerEdge R7625, AMD EPYC 9354, 503
   GiB, Linux 6.1.0". In inventory_report.c. */
void inventory_add_summary(const struct inventory *v, struct text *out);

/* Prints which facts were missing, not permitted or not understood. `remedy`, which may be "",
   follows those that were not permitted. In inventory_report.c. */
void inventory_print_missing(const struct inventory *v, findings_wanted *wanted,
                             const void *context, const char *remedy, struct document *out);

/* Prints the devices as a tree: each below the one that it is attached to. In inventory_tree.c. */
void inventory_print_tree(const struct inventory *v, bool all, struct document *out);

#endif
