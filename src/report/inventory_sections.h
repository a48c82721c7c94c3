/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of an inventory as text, which the reports of a probe and of a run are made of. */
#ifndef CUPEL_REPORT_INVENTORY_SECTIONS_H
#define CUPEL_REPORT_INVENTORY_SECTIONS_H

#include "report/findings.h"
#include "report/inventory.h"

/* inventory_machine.c: "Dell Inc. PowerEdge R7625, AMD EPYC 9354, 503 GiB, Linux 6.1.0": one line
   without its end. */
void inventory_add_summary(const struct inventory *v, struct text *out);

/* A line for the machine, board, kernel, processors, sockets and memory each. */
void inventory_print_machine(const struct inventory *v, const struct report_style *style,
                             struct text *out);

/* A line for each sensor chip: its temperatures, fans and power, with their limits. */
void inventory_print_sensors(const struct inventory *v, const struct report_style *style,
                             struct text *out);

/* inventory_missing.c: what was not there, not permitted, not understood; `remedy` stands behind
   what was not permitted, "" for none. */
void inventory_print_missing(const struct inventory *v, findings_wanted *wanted,
                             const void *context, const char *remedy,
                             const struct report_style *style, struct text *out);

/* inventory_tree.c: the devices as they hang on each other. */
void inventory_print_tree(const struct inventory *v, bool all, const struct report_style *style,
                          struct text *out);

#endif
