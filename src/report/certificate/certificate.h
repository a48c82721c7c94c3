/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Certificates: one page for people, as text or as HTML. What is undecided is never shown as
 * passed. As in report.h: text is appended to what the caller owns, memory that runs out shows in
 * text.failed, there is no state.
 */
#ifndef CUPEL_REPORT_CERTIFICATE_CERTIFICATE_H
#define CUPEL_REPORT_CERTIFICATE_CERTIFICATE_H

#include "base/text.h"
#include "facts/certificate.h"

/* Every certificate as text begins with this line. */
#define CERTIFICATE_TITLE "CUPEL CERTIFICATE"

/* Lines of at most 80 columns without colours, whatever the terminal: what is printed, kept and
   signed is the same. The lines of its files are as sha256sum(1) writes and checks them. */
void certificate_print_text(const struct certificate *c, struct text *out);

/* The same words as a page (report/html/html.h). */
void certificate_print_html(const struct certificate *c, struct text *out);

/* Rows that say how the page can be made again: the version of cupel, and the clauses of a result
   that was judged after it had been measured. */
#define CERTIFICATE_MADE_BY   "this page by"
#define CERTIFICATE_JUDGED_BY "judged afterwards"

/* The words of a row, out of a certificate's text; "" when it has none, or they do not fit. Returns
   `to`. */
#define CERTIFICATE_VERSION_TEXT 64
char *certificate_field(char *to, size_t size, const char *text, const char *name);

#endif
