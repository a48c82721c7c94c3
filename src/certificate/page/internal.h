/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Declarations for writing a certificate: certificate_page.c decides the contents and their order,
 * certificate_rows.c writes the rows.
 */
#ifndef CUPEL_CERTIFICATE_PAGE_INTERNAL_H
#define CUPEL_CERTIFICATE_PAGE_INTERNAL_H

#include "certificate/page/certificate.h"
#include "facts/certificate.h"
#include "report/document/document.h"

void certificate_write(const struct certificate *c, struct document *out);

/* certificate_qualification.c: writes the expectations, disks, deviations and origin of a
   qualification. */
void certificate_write_qualification(const struct qualification *q, struct document *out);

/* certificate_figures.c: writes the metrics that were measured. */
void certificate_write_figures(const struct result *r, struct document *out);

/* ---- certificate_rows.c ---- */

enum { CERTIFICATE_NAME_WIDTH = 20 };

/* Write a row. certificate_row takes words in printf's format, and writes no row if they are "". */
void certificate_add_row(struct document *out, const char *name, const char *words);
void certificate_row(struct document *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* certificate_write_date writes the date of a record in UTC, in the form of ISO 8601.
   certificate_write_labels writes the labels, or that there are none. */
void certificate_write_date(const char *date, struct document *out);
void certificate_write_labels(const struct labels *labels, struct document *out);

/* Adds an interval in words: "95 % interval 17.868k to 18.017k (+-0.41 %)". */
void certificate_add_interval(const struct result_row *row, struct text *to);

#endif
