/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a program's rounds. As in report.h, text is appended to a text of the caller, running
 * out of memory shows in text.failed, and there is no state.
 *
 * CSV has the columns of `run`. Its metrics are the indices as the user named them, `duration`,
 * then user_time, system_time (s a round), max_rss (B), rounds, errors (rounds that failed) and
 * elapsed. Parameters are columns after those of `run`.
 */
#ifndef CUPEL_REPORT_EXEC_EXECUTION_H
#define CUPEL_REPORT_EXEC_EXECUTION_H

#include "facts/execution.h"
#include "report/document/document.h"

extern const struct report_kind execution_report;

/* A file of `-o DIR` that is made from a result. */
struct execution_file {
    const char *name;
    void (*render)(const struct execution *x, struct text *out);
};

extern const struct execution_file execution_files[]; /* ends with a name of NULL */

/* Adds one line of a list of results: the parameters, the first index and whether it is precise. */
void execution_add_line(const struct execution *x, struct document *out);

#endif
