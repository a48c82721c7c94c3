/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a program's rounds. As in report.h, functions append to the caller's text, set
 * text.failed when memory runs out, and keep no state.
 *
 * CSV has the columns of `run`. Its metrics are the indices, named by the user, `duration`, then
 * user_time, system_time (s per round), max_rss (B), rounds, errors (rounds that failed) and
 * elapsed. Columns for parameters follow those of `run`.
 */
#ifndef CUPEL_REPORT_EXEC_EXECUTION_H
#define CUPEL_REPORT_EXEC_EXECUTION_H

#include "facts/execution.h"
#include "report/document/document.h"

extern const struct report_kind execution_report;

/* A file that `-o DIR` writes from a result. */
struct execution_file {
    const char *name;
    void (*render)(const struct execution *x, struct text *out);
};

extern const struct execution_file execution_files[]; /* ended by a row whose name is NULL */

/* Adds the verdict, the first index and its interval, without a line end. */
void execution_line(const struct execution *x, struct text *out);

/* Adds one line of a list of results: the parameters, the first index, and the verdict. */
void execution_add_line(const struct execution *x, struct document *out);

#endif
