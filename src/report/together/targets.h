/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of several targets that were measured at the same time. */
#ifndef CUPEL_REPORT_TOGETHER_TARGETS_H
#define CUPEL_REPORT_TOGETHER_TARGETS_H

#include "facts/several_targets.h"
#include "report/document/document.h"

/*
 * The report in all formats. The text is one screen with a line for each target, a line for all,
 * and what they share; with style->full each target's own report follows. The page has the verdict,
 * a line for each target, figures of what they share and of all targets over time, and the sum. CSV
 * has the rows of cupel run for one target after the other, then those of the sum, whose target is
 * "all". JSON is {"schema": 1, "kind": "targets", "targets": [...], "all": {...}, "shared": [...]}.
 * fio's JSON+ has a job for each target.
 */
extern const struct report_kind targets_report;

/* Returns true if all targets reached the end of their parts of a trace without issuing any
   request. */
bool targets_did_nothing(const struct result_targets *t);

#endif
