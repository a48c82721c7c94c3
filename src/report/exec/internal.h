/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/report/exec share. */
#ifndef CUPEL_REPORT_EXEC_INTERNAL_H
#define CUPEL_REPORT_EXEC_INTERNAL_H

#include "base/json.h"
#include "report/exec/execution.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

/* Builds the document of a result, for text and page. In execution_document.c. */
void execution_document(const void *what, struct document *out);

/* ---- execution_machine.c: the parts of the machine that were watched during the rounds ---- */

/* Adds a paragraph on the part that limited the program. */
void execution_limits_text(const struct execution *x, struct document *out);
/* Adds a section with the utilisation of each part. */
void execution_parts_text(const struct execution *x, struct document *out);

/* ---- execution_value.c: formats values, and computes the resources that rounds used ---- */

/* Writes an index's name, and its operation if the index is of one operation. */
char *execution_title(const struct execution_index *index, char *to, size_t size);

/* How a value is written: seconds with a prefix that fits their size, other values in their own
   unit. */
struct execution_shown {
    struct number_scale scale;
    double factor; /* converts the value to the scale's unit */
    const char *unit;
};
struct execution_shown execution_shown_of(const struct execution_index *index);
char *execution_show(char *to, size_t size, const struct execution_shown *shown, double value);
/* Adds a value with its unit: "12.3 MB/s". */
void execution_add_value(struct text *out, const struct execution_shown *shown, double value);

/* Resources used by the rounds that count: processor time as the mean over rounds, and memory. */
struct execution_usage {
    double user_seconds, system_seconds;
    double max_rss; /* bytes, the maximum over all rounds */
    size_t rounds;  /* 0: no round counts */
};
struct execution_usage execution_usage_of(const struct execution *x);

/* ---- execution_answer.c ---- */

/* Adds the first paragraph. */
void execution_answer(const struct execution *x, struct document *out);

/* Returns the first words of the verdict and their tone, which is yellow on a busy machine. */
const char *execution_lead(const struct execution *x, enum tone *tone);

/* ---- execution_failures.c ---- */

/* Adds a section on the failed rounds, with the end of their output. */
void execution_failures_text(const struct execution *x, struct document *out);

#endif
