/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports turn a finished result into text. They compute no statistics: the result contains every
 * number. Each report is a report_kind (report/document/document.h), each file of `-o DIR` a row of
 * report_files.
 *
 * The printing functions append to a text that the caller owns (text_free). When memory runs out,
 * text.failed is set. They keep no state: any thread may use them with a text of its own.
 */
#ifndef CUPEL_REPORT_REPORT_H
#define CUPEL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/result.h"

/* How a text report looks; CSV and JSON ignore it. */
struct report_style {
    bool colour;  /* ANSI colours for the verdict and for warnings */
    bool unicode; /* block characters in plots; false: only ASCII */
    int width;    /* in columns, at most 200; 0: 80 */
    int lines;    /* height of the terminal, a higher one has more plots; 0: 24 */
    bool narrow;  /* the width may be below 80, from 19 on; only some first pages support that */
    bool page;    /* for a page that is scrolled: tables are long, and each has titles */
    bool full;    /* prints everything; false: only the screen with the answer */
    const char *folder; /* folder in which all files are stored, too; NULL: none */
};

/* The report of a result, and that of a column of numbers (report/document/document.h). */
struct report_kind;
extern const struct report_kind result_report, analysis_report;

/* Adds the first line of the report, of any length, without a line end. */
void report_line(const struct result *r, struct text *out);

/* A file of `-o DIR` that is made from a result. The caller writes it unless its text is empty,
   because the result has no such data. */
struct report_file {
    const char *name;
    void (*render)(const struct result *r, struct text *out);
    /* with several sessions, a file is made from each session, and none from their result */
    bool of_one_session;
};

extern const struct report_file report_files[]; /* ended by a row whose name is NULL */

#endif
