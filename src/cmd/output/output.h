/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For all commands with a result: printing it, writing its folder, the exit status. */
#ifndef CUPEL_CMD_OUTPUT_H
#define CUPEL_CMD_OUTPUT_H

#include "base/err.h"
#include "base/text.h"
#include "cmd/options/options.h"
#include "facts/analysis.h"
#include "facts/qualification.h"
#include "facts/result.h"
#include "report/report.h"

#define OUTPUT_FORMAT_MAX 12

/* --format of `type`, whose member `format` is a char[OUTPUT_FORMAT_MAX]; with more choices than
   all commands have. */
#define OUTPUT_FORMATS_OPTION(type, ...)                                                           \
    {                                                                                              \
        .section = "Output", .name = "format", .argument = "NAME", .kind = OPTION_TEXT,            \
        OPTION_FIELD(type, format), .value = "text",                                               \
        .choices = OPTION_CHOICES({"text", 0}, {"csv", 0}, {"json", 0}, ##__VA_ARGS__),            \
        .help = "Form of the result on standard output."                                           \
    }
#define OUTPUT_FORMAT_OPTION(type) OUTPUT_FORMATS_OPTION(type)
/* The option of a result that has a page. */
#define OUTPUT_PAGE_OPTION(type) OUTPUT_FORMATS_OPTION(type, {"html", 0})
/* The option of a result with latencies, which programs that read fio's results can read too. */
#define RESULT_FORMAT_OPTION(type) OUTPUT_FORMATS_OPTION(type, {"html", 0}, {"fio-json", 0})

/* The option --full of a command whose report fits on a screen without it. */
#define OUTPUT_FULL_OPTION(type)                                                                   \
    {                                                                                              \
        .name = "full", .kind = OPTION_FLAG, OPTION_FIELD(type, full),                             \
        .help = "Print the whole report, all tables and plots, and not one screen of it."          \
    }

/* How a result is printed. */
struct output_form {
    const char *format; /* as --format accepts it */
    bool full;          /* the full text instead of one screen */
    const char *folder; /* where the whole report is kept; or "" */
};

/* Colours, characters and width of standard output. */
struct report_style output_style(void);

/* Prints `out` and frees it. ERR_MACHINE: there was no memory to build it. */
int output_text(struct text *out, struct err *e);

/*
 * Joins all that output_text prints until output_join_end into one document: rows below one header
 * (csv), one object whose `steps` they are (json), fio's object with the jobs of all (fio-json),
 * one page (html). Each is printed at once, and the end of the document by output_join_end, which
 * may always be called. `format` text: nothing is changed.
 */
void output_join_begin(const char *format);
void output_join_end(void);

/* Joins the reports that are in the folders of `count` steps (their paths, each ended by '\0') into
   summary.csv and report.html of the existing `folder`. Errors as output_file. */
int output_join_folders(const char *folder, const char *steps, size_t count, struct err *e);

/* Prints a screen on a terminal, over the previous one; the rest of the terminal is cleared. */
int output_screen(struct text *out, struct err *e);

/* Prints a result to standard output. ERR_MACHINE: no memory. (main checks that the output was
   written.) */
int output_result(const struct result *result, const struct output_form *form, struct err *e);
int output_analysis(const struct analysis *analysis, const char *format, struct err *e);

/* Write `out` to the new file `name` in the existing `folder`, and free it. ERR_MACHINE: it could
   not be built for lack of memory; ERR_TARGET: it could not be written; ERR_USAGE: it is there. */
int output_file(const char *folder, const char *name, struct text *out, struct err *e);

/* Replaces a file that was written before, in a folder that belongs to us. */
int output_file_anew(const char *folder, const char *name, struct text *out, struct err *e);

/* Write a report into files of the folder by one of the two functions above: in text, CSV, JSON or
   as a page, as the endings of their names say. `names` ends with NULL. */
typedef int output_put(const char *folder, const char *name, struct text *out, struct err *e);
int output_report(const struct report_kind *kind, const void *what,
                  const struct report_style *style, const char *const names[], const char *folder,
                  output_put *put, struct err *e);

/* Writes every file of report_files into the existing `folder`. */
int output_folder(const struct result *result, const char *folder, struct err *e);

/* --certificate, which is the bool at `place`. */
#define CERTIFICATE_OPTION(place)                                                                  \
    {                                                                                              \
        .name = "certificate", .kind = OPTION_FLAG, place,                                         \
        .help = "Print one page to be handed over in place of the report: the limits with their "  \
                "verdicts and confidence, who, what, when, which hardware, and the checksum of "   \
                "the record; with -o also as DIR/certificate.txt. cupel sign signs it."            \
    }

/* Checks before anything is measured. ERR_USAGE: a certificate has no such format and would not be
   kept. */
int output_certificate_check(bool asked, const char *format, const char *folder, struct err *e);

/*
 * Prints the certificate (nothing if the format has none of its own) and writes it into the form's
 * existing folder ("": nowhere). What is stored at `path` is loaded again, so that the page is the
 * one that everybody can compute from it; without a path it is made from `result` alone.
 */
struct output_certificate {
    const struct result *result;               /* one of these two */
    const struct qualification *qualification; /* with the files that are at `path` */
    const char *path;                          /* a folder or a record; NULL: nothing was kept */
    const char *sla; /* clauses that the kept record does not contain, or NULL */
};
int output_certificate(const struct output_certificate *of, const struct output_form *form,
                       struct err *e);

/* Returns exit status 0 for a precise result, or -1 with the reason why it is not precise. */
int output_status(const struct result *result, struct err *e);

/* ERR_FAILED: one of the clauses fails; otherwise ERR_UNDECIDED: one is open, which --limit may
   help where it is being measured. */
int output_clauses_status(const struct result_clause clauses[], size_t count, bool is_measured,
                          struct err *e);

#endif
