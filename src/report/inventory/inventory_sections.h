/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of an inventory as text, which the reports of a probe and of a run are made of. */
#ifndef CUPEL_REPORT_INVENTORY_INVENTORY_SECTIONS_H
#define CUPEL_REPORT_INVENTORY_INVENTORY_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/inventory.h"
#include "report/inventory/inventory.h"
#include "report/report.h"

/* Faults of a machine, and states worth a look: links slower than they can be, health, heat,
   errors. */

/* Which nodes to look at; NULL: all. */
typedef bool findings_wanted(const void *context, const struct inventory *v, int node);

enum { FINDINGS_OF_A_KIND = 12 }; /* the others of its kind are counted */

struct findings_view {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
    bool all;         /* none is only counted */
    const char *rest; /* where to find those that are only counted: " (see --all)", or "" */
};

/* One paragraph each, the gravest first; returns how many there are. */
size_t findings_print(const struct findings_view *w, const struct report_style *style,
                      struct text *out);

/* Does the node's link do less than it could: than both ends can, or than the card can? */
bool findings_of_link(const struct inventory *v, int node);

/* Is there any link of which both ends are known, so that "nothing degraded" says something? */
bool findings_judge_links(const struct inventory *v);

/* inventory_machine.c: "Dell Inc. PowerEdge R7625, AMD EPYC 9354, 503 GiB, Linux 6.1.0": one line
   without its end. */
void inventory_add_summary(const struct inventory *v, struct text *out);

/* A line for the machine, board, kernel, processors, sockets and memory each. */
void inventory_print_machine(const struct inventory *v, const struct report_style *style,
                             struct text *out);

/* A line for each sensor chip: its temperatures, fans and power, with their limits. */
void inventory_print_sensors(const struct inventory *v, const struct report_style *style,
                             struct text *out);

/* inventory_text.c: what was not there, not permitted, not understood; `remedy` follows what
   was not permitted, "" for none. */
void inventory_print_missing(const struct inventory *v, findings_wanted *wanted,
                             const void *context, const char *remedy,
                             const struct report_style *style, struct text *out);

/* inventory_tree.c: the devices as they hang on each other. */
void inventory_print_tree(const struct inventory *v, bool all, const struct report_style *style,
                          struct text *out);

#endif
