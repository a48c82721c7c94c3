/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate in pieces: certificate_page.c decides the contents and their order, and
 * certificate_pieces.c what each piece is in the document.
 */
#ifndef CUPEL_CERTIFICATE_PAGE_INTERNAL_H
#define CUPEL_CERTIFICATE_PAGE_INTERNAL_H

#include "certificate/page/certificate.h"
#include "facts/certificate.h"
#include "report/document/document.h"

/* certificate_pieces.c: the pieces. */
enum { CERTIFICATE_NAME_WIDTH = 20 };
void certificate_add_verdict(struct document *out, const char *word, enum tone tone,
                             const char *words);
void certificate_add_row(struct document *out, const char *name, const char *words);
void certificate_add_command(struct document *out, const char *words);
void certificate_add_sentence(struct document *out, const char *words);
void certificate_add_file(struct document *out, const struct certificate_file *file);

void certificate_write(const struct certificate *c, struct document *out);

/* certificate_machine.c: writes the disks under test, with model, serial number, firmware and link,
   and the machine. */
void certificate_write_disks(const struct result *r, struct document *out);
void certificate_write_machine(const struct inventory *v, struct document *out);

/* certificate_qualification.c: writes its expectations, disks, deviations and origin. */
void certificate_write_qualification(const struct qualification *q, struct document *out);

/* certificate_figures.c: writes the metrics that were measured; and adds an interval in words:
   "95 % interval 17.868k to 18.017k (+-0.41 %)". */
void certificate_write_figures(const struct result *r, struct document *out);
void certificate_add_interval(const struct result_row *row, struct text *to);

/* certificate_rows.c: writes an instant of UTC, in the form of records, as in ISO 8601; and the
   labels, or that nobody gave any. */
void certificate_write_date(const char *date, struct document *out);
void certificate_write_labels(const struct labels *labels, struct document *out);

/* Writes a row with words in printf's format; no row where the words are "". */
void certificate_row(struct document *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
