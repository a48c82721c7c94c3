/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of an acceptance: the verdict first, a line for each stage, the findings, and the
 * throughput against the bytes written. As in report.h, text is appended to a text of the caller,
 * running out of memory shows in text.failed, and there is no state.
 *
 * CSV has one header line and these columns; `row` says what a line is: disk (value: bytes),
 * stage (value: seconds), finding, and throughput (value: bytes/s, at: bytes written before its
 * end, celsius).
 */
#ifndef CUPEL_REPORT_ACCEPT_ACCEPTANCE_REPORT_H
#define CUPEL_REPORT_ACCEPT_ACCEPTANCE_REPORT_H

#include "facts/accept/acceptance.h"
#include "report/document/document.h"

extern const struct report_kind acceptance_report;

/* Prints pts.csv: a line for every sample of the PTS. */
void acceptance_pts_csv(const struct acceptance *a, struct text *out);

#endif
