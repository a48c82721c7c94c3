/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of several targets that were measured at the same time. */
#ifndef CUPEL_REPORT_TOGETHER_TARGETS_H
#define CUPEL_REPORT_TOGETHER_TARGETS_H

#include "facts/targets.h"
#include "report/report.h"

/* Prints one screen: a line for each target, one for all, and what they share; with style->full
   every target's own report follows. */
void targets_print_text(const struct result_targets *t, const struct report_style *style,
                        struct text *out);

/* Prints the rows of cupel run for one target after the other, then those of the sum, whose target
   is "all". */
void targets_print_csv(const struct result_targets *t, struct text *out);

/* Prints {"schema": 1, "kind": "targets", "targets": [...], "all": {...}, "shared": [...]}. */
void targets_print_json(const struct result_targets *t, struct text *out);

/* Prints fio's JSON+, with a job for each target. */
void targets_print_fio_json(const struct result_targets *t, struct text *out);

/* Did all reach the end of their parts of a trace without any request being issued? */
bool targets_did_nothing(const struct result_targets *t);

/* Prints a page: the verdict and a line for each target, a figure of what they share, everything
   over time, the sum. */
void targets_print_html(const struct result_targets *t, struct text *out);

#endif
