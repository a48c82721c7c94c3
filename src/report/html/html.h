/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTML reports: one file without scripts that it needs and without references to anything outside.
 *
 * Every word that comes from a machine, a file or a user goes through html_add: no value can become
 * markup. Sections come from the functions that print text reports, with marked text
 * (report/layout/layout.h), so that a page says what the text says, with the same digits. Figures
 * are those of report/html/chart.h. Out of memory shows in text.failed.
 */
#ifndef CUPEL_REPORT_HTML_HTML_H
#define CUPEL_REPORT_HTML_HTML_H

#include "base/text.h"
#include "report/report.h"

/* Words of an element or of an attribute in double quotes. Characters that steer (span_steers) and
   what is no UTF-8 become '?'. */
void html_add(struct text *out, const char *words);

/* The page up to its heading; `words`, which may be "", stand below the heading. */
void html_begin(struct text *out, const char *title, const char *words);
/* The same for a page without figures, which has no script and lets a browser run none. */
void html_begin_plain(struct text *out, const char *title, const char *words);
void html_end(struct text *out);

/* Marked text as sections, tables and paragraphs; frees it. `figure` (or NULL) adds what belongs
   into the places of figures, which are numbered from 0. */
typedef void html_figure(const void *context, size_t number, struct text *out);
void html_add_marked(struct text *out, struct text *marked, html_figure *figure,
                     const void *context);

/* The same of a whole report, which begins with its verdict. */
void html_add_report(struct text *out, struct text *marked, html_figure *figure,
                     const void *context);

/* How marked text is printed. */
extern const struct report_style html_style;

/* Empty text that is marked. */
struct text html_marked(void);

#endif
