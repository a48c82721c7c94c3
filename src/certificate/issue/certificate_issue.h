/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes certificates from a result, its exit status, and the files that the result was computed
   from. */
#ifndef CUPEL_CERTIFICATE_ISSUE_CERTIFICATE_ISSUE_H
#define CUPEL_CERTIFICATE_ISSUE_CERTIFICATE_ISSUE_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "certificate/page/certificate.h"
#include "facts/certificate.h"

#define CERTIFICATE_NAME "certificate.txt"
#define CERTIFICATE_PAGE "certificate.html"

/*
 * Lists the files that a kept result is computed from, sorted by name, with their checksums. For a
 * folder: its records and those of its subfolders, the files of qualify, and the reports that
 * cannot be made again from a record. For a file: that file. ERR_USAGE: a file cannot be read, or
 * has a name that no page can show. The caller frees *files.
 */
int certificate_files(struct certificate_file **files, size_t *count, const char *path,
                      struct err *e);

/* Returns the list of files at the end of a certificate's text; "" when the certificate names no
   file. The file CERTIFICATE_LIST contains exactly this list. */
const char *certificate_list(const char *text);

/* Refuses a path that exists but is no regular file, such as a pipe or a link to a device in a
   folder that was received: reading it might never end. Returns 0, also when nothing is there, or
   -1 with ERR_USAGE. */
int certificate_check_regular(const char *path, struct err *e);

/* Writes the path of the certificate of a folder or record: FOLDER/certificate.txt; for a record
   with another name than the usual one, RECORD.certificate.txt. ERR_USAGE: the name is too long. */
int certificate_path(char to[PATH_MAX], const char *path, struct err *e);

/*
 * Finds the result to which a certificate must belong: the record that it is named after, or the
 * folder that it is in (after resolving links), if that contains a result or a file that the
 * certificate's text names. Returns false if there is neither.
 */
bool certificate_result_beside(char to[PATH_MAX], const char *certificate, const char *text);

/*
 * Checks that the reports and tables in `folder` ("" or with a / at its end) are equal to those
 * that are made from the result now, and adds their number to `count`. ERR_FAILED: one differs, and
 * the message names it; ERR_USAGE: one cannot be read; ERR_MACHINE.
 */
int certificate_check_reports(const char *folder, const struct result *r, size_t *count,
                              struct err *e);

/* Returns true if the certificate lists the reports in its folder, because they cannot be made
   again from a record: those of a qualification, of a merged result, and of several targets. */
bool certificate_names_reports(const char *path);

/* Returns true for the folder of a qualification, whose judgement is in no record. */
bool certificate_is_of_machine(const char *path);

struct certificate_request {
    /* the certified result; exactly one of `result` and `qualification` is set */
    const struct result *result;
    const struct qualification *qualification;
    /* exit code and message of the measurement; ERR_NONE and "" if it succeeded */
    const struct err *status;
    const char *path; /* folder or record of the result; NULL: no file was kept */
    /* version of cupel that the page names as its maker; NULL: this one */
    const char *version;
};

/* Appends the certificate as text to `out`, and as a page to `html` unless that is NULL. ERR_USAGE:
   as certificate_files; ERR_MACHINE: no memory. */
int certificate_make(const struct certificate_request *request, struct text *out, struct text *html,
                     struct err *e);

#endif
