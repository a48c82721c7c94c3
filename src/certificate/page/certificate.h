/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Certificates: one page for people, as text or as HTML. Undecided limits are never shown as
 * passed. As in report.h, text is appended to a text of the caller, running out of memory shows in
 * text.failed, and there is no state.
 */
#ifndef CUPEL_CERTIFICATE_PAGE_CERTIFICATE_H
#define CUPEL_CERTIFICATE_PAGE_CERTIFICATE_H

#include "base/text.h"
#include "facts/certificate.h"

/* Every certificate as text begins with this line. */
#define CERTIFICATE_TITLE "CUPEL CERTIFICATE"

/* The file with the lines of a certificate about its files, and nothing else. */
#define CERTIFICATE_LIST "certificate.sha256"

/* Prints lines of at most 80 columns without colours, on any terminal: the printed, kept and signed
   text is the same. It ends with a line for each file, as sha256sum(1) writes and checks them. */
void certificate_print_text(const struct certificate *c, struct text *out);

/* Prints the same words as a page (report/html/html.h) that is printed on one sheet of paper: it
   counts warnings and files that have no room on it. */
void certificate_print_html(const struct certificate *c, struct text *out);

/* Rows that state how the page can be made again: the version of cupel, and the clauses by which a
   result was judged after the measurement. */
#define CERTIFICATE_MADE_BY   "this page by"
#define CERTIFICATE_JUDGED_BY "judged afterwards"

/* Copies the words of a row from a certificate's text; "" when there is no such row, or its words
   do not fit. Returns `to`. */
#define CERTIFICATE_VERSION_TEXT 64
char *certificate_field(char *to, size_t size, const char *text, const char *name);

#endif
