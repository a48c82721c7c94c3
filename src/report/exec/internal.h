/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/exec share. */
#ifndef CUPEL_REPORT_EXEC_INTERNAL_H
#define CUPEL_REPORT_EXEC_INTERNAL_H

#include "base/json.h"
#include "report/exec/execution.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

/* execution_document.c: the text and the page. */
void execution_document(const void *what, struct document *out);

/* ---- execution_machine.c: the parts of the machine that were watched during the rounds ---- */

/* Prints the part that limited the program, as a paragraph after the verdict. */
void execution_limits_text(const struct execution *x, struct document *out);
/* Prints the use of each part, as a section. */
void execution_parts_text(const struct execution *x, struct document *out);

/* ---- execution_value.c: values as they are written, and what rounds used ---- */

/* How a value is written: seconds with a prefix for their size, anything else with its own unit. */
struct execution_shown {
    struct number_scale scale;
    double factor; /* from the value to the scale's unit */
    const char *unit;
};
struct execution_shown execution_shown_of(const struct execution_index *index);
char *execution_show(char *to, size_t size, const struct execution_shown *shown, double value);
/* Adds "12.3 MB/s". */
void execution_add_value(struct text *out, const struct execution_shown *shown, double value);

/* What the rounds that count used of the processors, in the mean of a round, and of memory. */
struct execution_usage {
    double user_seconds, system_seconds;
    double max_rss; /* bytes, the most of any round */
    size_t rounds;  /* 0: no round counts */
};
struct execution_usage execution_usage_of(const struct execution *x);

/* ---- execution_failures.c ---- */

/* Prints the rounds that failed, with the end of their output, as a section. */
void execution_failures_text(const struct execution *x, struct document *out);

#endif
