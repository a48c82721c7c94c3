/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTML reports: one file that works without scripts and loads nothing from outside.
 *
 * Every text that comes from a machine, a file or a user goes through html_add, so no value can
 * become markup. report/document prints the sections of a report; report/html/chart.h draws the
 * figures. When memory runs out, text.failed is set.
 */
#ifndef CUPEL_REPORT_HTML_HTML_H
#define CUPEL_REPORT_HTML_HTML_H

#include "base/text.h"

/* Adds text to an element, or to an attribute in double quotes. Control characters (span_steers)
   and bytes that are not UTF-8 become '?'. */
void html_add(struct text *out, const char *words);

/* The markup before a page's heading and after its last section, for code that joins several
   pages. */
#define HTML_MAIN       "<main>\n"
#define HTML_AFTER_MAIN "<footer>\n"

enum html_form {
    HTML_FIGURES,    /* a page with figures that can be zoomed, by the only script of the page */
    HTML_PLAIN,      /* a page without a script, which forbids the browser to run any */
    HTML_SHEET,      /* as HTML_PLAIN, printed on one sheet of paper */
    HTML_DENSE_SHEET /* as HTML_SHEET, in small letters */
};

/* Begins a page, up to its heading. `words`, which may be "", are a paragraph below the heading. */
void html_begin(struct text *out, const char *title, const char *words, enum html_form form);
void html_end(struct text *out);

#endif
