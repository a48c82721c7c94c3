/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Certificates: one page for people, as text or as HTML. An undecided limit is never shown as
 * passed. As in report.h, text is appended to a text of the caller, running out of memory sets
 * text.failed, and there is no state.
 */
#ifndef CUPEL_CERTIFICATE_PAGE_CERTIFICATE_H
#define CUPEL_CERTIFICATE_PAGE_CERTIFICATE_H

#include "base/text.h"
#include "facts/certificate.h"

/* The first line of every certificate as text. */
#define CERTIFICATE_TITLE "CUPEL CERTIFICATE"

/* The file that contains only a certificate's lines about its files. */
#define CERTIFICATE_LIST "certificate.sha256"

/* Prints lines of at most 80 columns without colours. The text is the same on every terminal, in
   the file and in the signature. It ends with a line for each file, in the form that sha256sum(1)
   writes and checks. */
void certificate_print_text(const struct certificate *c, struct text *out);

/* Prints the same words as a page (report/html/html.h) for one sheet of paper. Of the warnings and
   files that do not fit on the sheet, only the number is printed. */
void certificate_print_html(const struct certificate *c, struct text *out);

/* Names of the rows that are needed to make the page again: the version of cupel, and the clauses
   by which a result was judged after the measurement. */
#define CERTIFICATE_MADE_BY   "this page by"
#define CERTIFICATE_JUDGED_BY "judged afterwards"

/* Copies the text of the row `name` from a certificate; "" when there is no such row, or its text
   does not fit. Returns `to`. */
#define CERTIFICATE_VERSION_TEXT 64
char *certificate_field(char *to, size_t size, const char *text, const char *name);

#endif
