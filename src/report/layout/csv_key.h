/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The columns that distinguish rows of different results in one file: target, rw, bs, iodepth,
 * numjobs, label and date. They are the last columns of each row. A field is empty if the result
 * has no such value, or several.
 */
#ifndef CUPEL_REPORT_LAYOUT_CSV_KEY_H
#define CUPEL_REPORT_LAYOUT_CSV_KEY_H

#include "base/text.h"
#include "facts/result.h"

/* End the header or a row: they add these columns and the line end. */
void csv_end_header(struct text *out);
void csv_end_row(struct text *out, const char *target, const struct result_key *key,
                 const struct labels *labels);

#endif
