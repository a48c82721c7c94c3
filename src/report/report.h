/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports: a finished result goes in, text comes out. Nothing here computes statistics: every
 * number arrives ready. A format is one row of report_sinks, a file of `-o DIR` one row of
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
#include "facts/analysis.h"
#include "facts/result.h"

/* How text is drawn; CSV and JSON take no notice of it. */
struct report_style {
    bool colour;        /* ANSI colours, on the verdict and on warnings */
    bool unicode;       /* block characters in plots; plain ASCII otherwise */
    int width;          /* columns, up to 200; 0: 80 */
    bool narrow;        /* a width from 19 on is kept: only of pages that are made for it */
    bool full;          /* everything, and not the one screen that answers the question */
    const char *folder; /* where everything is kept as well; NULL: nowhere */
};

struct sink {
    const char *name; /* as --format takes it */
    const char *help;
    void (*print)(const struct result *r, const struct report_style *style, struct text *out);
    /* NULL: a column of numbers cannot be put that way */
    void (*print_analysis)(const struct analysis *a, const struct report_style *style,
                           struct text *out);
};

extern const struct sink report_sinks[]; /* ends with a row whose name is NULL */

/* The row with that name, or NULL. */
const struct sink *report_sink_find(const char *name);

/* The report's first line alone, however long, without a line's end. */
void report_line(const struct result *r, struct text *out);

/* The files of `-o DIR` that are made from a result; the caller writes them, those that stay empty
   apart: the result has nothing of the kind. */
struct report_file {
    const char *name;
    void (*render)(const struct result *r, struct text *out);
    bool of_one_session; /* nothing in a result over several, each of which has its own */
};

extern const struct report_file report_files[]; /* ends with a row whose name is NULL */

#endif
