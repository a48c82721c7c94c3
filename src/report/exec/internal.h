/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/exec share. */
#ifndef CUPEL_REPORT_EXEC_INTERNAL_H
#define CUPEL_REPORT_EXEC_INTERNAL_H

#include "base/json.h"
#include "report/exec/execution.h"
#include "report/plot/plot.h"

/* execution_text.c: returns the readings of an index in their order. */
struct plot execution_plot(const struct execution_index *index);

/* ---- execution_machine.c: the parts of the machine that were watched during the rounds ---- */

/* Prints the part that limited the program, as a paragraph after the verdict. */
void execution_limits_text(const struct execution *x, const struct report_style *style,
                           struct text *out);
/* Prints the use of each part, as a section. */
void execution_parts_text(const struct execution *x, const struct report_style *style,
                          struct text *out);
void execution_parts_csv(const struct execution *x, struct text *out);
void execution_parts_json(const struct execution *x, struct json *j);

#endif
