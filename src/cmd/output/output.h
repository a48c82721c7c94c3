/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains what all commands with a result share: printing it, writing its folder, and the exit
   status. */
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

/* The option --format of a struct `type` that has a member char format[OUTPUT_FORMAT_MAX]. The
   other arguments are choices that not all commands have. */
#define OUTPUT_FORMATS_OPTION(type, ...)                                                           \
    {                                                                                              \
        .section = "Output", .name = "format", .argument = "NAME", .kind = OPTION_TEXT,            \
        OPTION_FIELD(type, format), .value = "text",                                               \
        .choices = OPTION_CHOICES({"text", 0}, {"csv", 0}, {"json", 0}, ##__VA_ARGS__),            \
        .help = "Form of the result on standard output."                                           \
    }
#define OUTPUT_FORMAT_OPTION(type) OUTPUT_FORMATS_OPTION(type)
/* --format of a result that can be printed as a page. */
#define OUTPUT_PAGE_OPTION(type) OUTPUT_FORMATS_OPTION(type, {"html", 0})
/* --format of a result with latencies, which programs that read fio's results can read, too. */
#define RESULT_FORMAT_OPTION(type) OUTPUT_FORMATS_OPTION(type, {"html", 0}, {"fio-json", 0})

/* The option --full, for a command whose report otherwise fits on a screen. */
#define OUTPUT_FULL_OPTION(type)                                                                   \
    {                                                                                              \
        .name = "full", .kind = OPTION_FLAG, OPTION_FIELD(type, full),                             \
        .help = "Print the whole report, all tables and plots, and not one screen of it."          \
    }

/* How and where a result is printed. */
struct output_form {
    const char *format; /* a choice of --format */
    bool full;          /* the whole text; false: one screen */
    const char *folder; /* folder that the whole report is written to, or "" */
};

/* Returns the colours, characters and width for reports on standard output. */
struct report_style output_style(void);

/* Prints `out` and frees it. Fails with ERR_MACHINE if memory ran out while it was built. */
int output_text(struct text *out, struct err *e);

/*
 * Joins everything that output_text prints until output_join_end into one document: rows below one
 * header (csv), one object with the results as its `steps` (json), fio's object with the jobs of
 * all results (fio-json), or one page (html). Each result is printed at once, the end of the
 * document by output_join_end, which may always be called. With the format "text" nothing is
 * joined.
 */
void output_join_begin(const char *format);
void output_join_end(void);

/* Joins the reports in the folders of `count` steps into summary.csv and report.html of the
   existing `folder`. `steps` are the folders' paths, each ended by '\0'. Fails as output_file
   does. */
int output_join_folders(const char *folder, const char *steps, size_t count, struct err *e);

/* Prints a screen over the previous one on a terminal, and clears the rest of the terminal. */
int output_screen(struct text *out, struct err *e);

/* Prints a result to standard output. Fails with ERR_MACHINE when memory runs out. main checks that
   the output was written. */
int output_result(const struct result *result, const struct output_form *form, struct err *e);
int output_analysis(const struct analysis *analysis, const char *format, struct err *e);

/* Writes `out` to the new file `name` in the existing `folder`, and frees it. Fails with
   ERR_MACHINE if memory ran out while it was built, with ERR_TARGET if it cannot be written, with
   ERR_USAGE if the file exists. */
int output_file(const char *folder, const char *name, struct text *out, struct err *e);

/* As output_file, but replaces a file of an earlier call, in a folder that belongs to cupel. */
int output_file_anew(const char *folder, const char *name, struct text *out, struct err *e);

/* Writes a report to files of the folder with one of the two functions above. The endings of the
   files' names decide the format: text, CSV, JSON or a page. `names` ends with NULL. */
typedef int output_put(const char *folder, const char *name, struct text *out, struct err *e);
int output_report(const struct report_kind *kind, const void *what,
                  const struct report_style *style, const char *const names[], const char *folder,
                  output_put *put, struct err *e);

/* Writes each file of report_files to the existing `folder`. */
int output_folder(const struct result *result, const char *folder, struct err *e);

/* The option --certificate. `place` is the bool that it sets. */
#define CERTIFICATE_OPTION(place)                                                                  \
    {                                                                                              \
        .name = "certificate", .kind = OPTION_FLAG, place,                                         \
        .help = "Print one page to be handed over in place of the report: the limits with their "  \
                "verdicts and confidence, who, what, when, which hardware, and the checksum of "   \
                "the record; with -o also as DIR/certificate.txt. cupel sign signs it."            \
    }

/* Fails with ERR_USAGE if a certificate is requested that could neither be printed in this format
   nor be written to a folder. To be called before anything is measured. */
int output_certificate_check(bool asked, const char *format, const char *folder, struct err *e);

/*
 * Prints the certificate (nothing if the format has none) and writes it to the form's existing
 * folder ("": nowhere). The result is loaded again from `path`, so that the page is the same as
 * everybody can compute from it; without a path the page is made from `result` itself.
 */
struct output_certificate {
    const struct result *result; /* certified result of a measurement; or NULL */
    /* certified qualification of a machine, with its files at `path`; or NULL */
    const struct qualification *qualification;
    const char *path; /* a folder or a record; NULL: nothing is stored */
    const char *sla;  /* clauses that the stored record does not contain, or NULL */
};
int output_certificate(const struct output_certificate *of, const struct output_form *form,
                       struct err *e);

/* Returns the exit status: 0 for a precise result, otherwise -1 with the reason in *e. */
int output_status(const struct result *result, struct err *e);

/* Fails with ERR_FAILED if one of the clauses failed, otherwise with ERR_UNDECIDED if one is
   undecided. With `is_measured`, the message suggests --limit. */
int output_clauses_status(const struct result_clause clauses[], size_t count, bool is_measured,
                          struct err *e);

#endif
