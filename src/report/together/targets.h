/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of several targets that were measured at the same time. */
#ifndef CUPEL_REPORT_TOGETHER_TARGETS_H
#define CUPEL_REPORT_TOGETHER_TARGETS_H

#include "facts/targets.h"
#include "report/report.h"

/* One screen: a line for each target and one for all, and what they share; with style->full every
   target's own report after it. */
void targets_print_text(const struct result_targets *t, const struct report_style *style,
                        struct text *out);

/* The rows of cupel run with the targets after each other, then those of the sum, whose target is
   "all". */
void targets_print_csv(const struct result_targets *t, struct text *out);

/* {"schema": 1, "kind": "targets", "targets": [...], "all": {...}, "shared": [...]} */
void targets_print_json(const struct result_targets *t, struct text *out);

/* fio's JSON+, with a job for each target. */
void targets_print_fio_json(const struct result_targets *t, struct text *out);

/* All came to the end of their parts of a trace, and no request was issued on any. */
bool targets_did_nothing(const struct result_targets *t);

/* A page: the verdict and what each target did, what they share as a figure, everything over time,
   the sum. */
void targets_print_html(const struct result_targets *t, struct text *out);

#endif
