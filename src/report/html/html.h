/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTML reports: one file that works without scripts and refers to nothing outside.
 *
 * Every word that comes from a machine, a file or a user goes through html_add: no value can become
 * markup. The sections of a report are printed by report/document; report/html/chart.h makes the
 * figures. Running out of memory shows in text.failed.
 */
#ifndef CUPEL_REPORT_HTML_HTML_H
#define CUPEL_REPORT_HTML_HTML_H

#include "base/text.h"

/* Adds text of an element, or of an attribute in double quotes. Control characters (span_steers)
   and bytes that are not UTF-8 become '?'. */
void html_add(struct text *out, const char *words);

/* The text of a page before its heading and after its last section, for those who join several. */
#define HTML_MAIN       "<main>\n"
#define HTML_AFTER_MAIN "<footer>\n"

enum html_form {
    HTML_FIGURES, /* figures that can be zoomed, by the one script of the page */
    HTML_PLAIN,   /* a page without such figures has no script, and forbids the browser to run any
                   */
    HTML_SHEET,   /* a plain page that is printed on one sheet of paper */
    HTML_DENSE_SHEET /* the same in small letters */
};

/* Begins a page, up to its heading; `words`, which may be "", follow below the heading. */
void html_begin(struct text *out, const char *title, const char *words, enum html_form form);
void html_end(struct text *out);

#endif
