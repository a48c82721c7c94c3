/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports make text from a finished result. They compute no statistics: every number is already
 * there. Each report is a report_kind (report/document/document.h), each file of `-o DIR` a row of
 * report_files.
 *
 * The printing functions append to a text that the caller owns (text_free). Running out of memory
 * shows in text.failed. They keep no state: any thread, each with a text of its own.
 */
#ifndef CUPEL_REPORT_REPORT_H
#define CUPEL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"

/* How text is drawn; CSV and JSON ignore it. */
struct report_style {
    bool colour;  /* ANSI colours, on the verdict and on warnings */
    bool unicode; /* block characters in plots; plain ASCII otherwise */
    int width;    /* columns, up to 200; 0: 80 */
    int lines;    /* of the terminal: a higher one has more plots; 0: 24 */
    bool narrow;  /* widths from 19 columns are kept: only for pages that are made for it */
    bool page;    /* for a page that is scrolled: tables are long, and have titles of their own */
    bool full;    /* print everything, instead of the one screen that answers the question */
    const char *folder; /* where everything is also stored; NULL: nowhere */
};

/* The reports of a result, and of a column of numbers (report/document/document.h). */
struct report_kind;
extern const struct report_kind result_report, analysis_report;

/* Adds the first line of the report, of any length, without a line end. */
void report_line(const struct result *r, struct text *out);

/* A file of `-o DIR` that is made from a result; the caller writes it, unless it stays empty
   because the result has no such data. */
struct report_file {
    const char *name;
    void (*render)(const struct result *r, struct text *out);
    bool of_one_session; /* a result over several sessions has no such data, but each of its
                            sessions has */
};

extern const struct report_file report_files[]; /* ends with a row whose name is NULL */

#endif
