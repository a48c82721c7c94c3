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
#include "report/report.h"

/* A format of --format, and a file of the report folder. */
struct acceptance_sink {
    const char *name, *file;
    void (*print)(const struct acceptance *a, const struct report_style *style, struct text *out);
};

extern const struct acceptance_sink acceptance_sinks[]; /* ends with a name of NULL */

const struct acceptance_sink *acceptance_sink_find(const char *name); /* or NULL */

#endif
