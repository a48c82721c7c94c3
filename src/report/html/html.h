/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTML reports: one file that works without scripts and refers to nothing outside.
 *
 * Every word that comes from a machine, a file or a user goes through html_add: no value can become
 * markup. Sections come from the functions that print text reports, with marked text
 * (report/layout/layout.h), so that a page has the same words and digits as the text.
 * report/html/chart.h makes the figures. Running out of memory shows in text.failed.
 */
#ifndef CUPEL_REPORT_HTML_HTML_H
#define CUPEL_REPORT_HTML_HTML_H

#include "base/text.h"
#include "report/report.h"

/* Adds text of an element, or of an attribute in double quotes. Control characters (span_steers)
   and bytes that are not UTF-8 become '?'. */
void html_add(struct text *out, const char *words);

/* Begins a page, up to its heading; `words`, which may be "", follow below the heading. */
void html_begin(struct text *out, const char *title, const char *words);
/* Begins a page without figures; it has no script, and forbids the browser to run any. */
void html_begin_plain(struct text *out, const char *title, const char *words);
void html_end(struct text *out);

/* Adds marked text as sections, tables and paragraphs, and frees it. `figure` (or NULL) adds the
   figures at their places, which are numbered from 0. */
typedef void html_figure(const void *context, size_t number, struct text *out);
void html_add_marked(struct text *out, struct text *marked, html_figure *figure,
                     const void *context);

/* Adds a whole report of marked text, which begins with its verdict. */
void html_add_report(struct text *out, struct text *marked, html_figure *figure,
                     const void *context);

/* The style for printing marked text. */
extern const struct report_style html_style;

/* Returns an empty marked text. */
struct text html_marked(void);

#endif
