/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rows of a result are told apart by once files of many results are one: target, rw, bs,
 * iodepth, numjobs, label and date, as the last columns of each row. A field is empty where there
 * is nothing of the kind, or several.
 */
#ifndef CUPEL_REPORT_LAYOUT_CSV_KEY_H
#define CUPEL_REPORT_LAYOUT_CSV_KEY_H

#include "base/text.h"
#include "facts/result.h"

/* The end of the header, or of a row, with the end of the line. */
void csv_end_header(struct text *out);
void csv_end_row(struct text *out, const char *target, const struct result_key *key,
                 const struct labels *labels);

#endif
