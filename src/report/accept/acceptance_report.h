/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of an acceptance: the verdict first, a line for each stage, the findings, and the
 * throughput over the written bytes. As in report.h, functions append to the caller's text, set
 * text.failed when memory runs out, and keep no state.
 *
 * CSV has one header line and these columns; `row` is the kind of the line: disk (value: bytes),
 * stage (value: seconds), finding, and throughput (value: bytes/s, at: bytes written up to its
 * end, celsius).
 */
#ifndef CUPEL_REPORT_ACCEPT_ACCEPTANCE_REPORT_H
#define CUPEL_REPORT_ACCEPT_ACCEPTANCE_REPORT_H

#include "facts/accept/acceptance.h"
#include "report/document/document.h"

extern const struct report_kind acceptance_report;

/* Prints pts.csv: one line for each sample of the PTS tests. */
void acceptance_pts_csv(const struct acceptance *a, struct text *out);

#endif
