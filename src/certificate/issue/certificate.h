/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes certificates from a result, its exit status, and the files that it is computed from. */
#ifndef CUPEL_CERTIFICATE_ISSUE_CERTIFICATE_H
#define CUPEL_CERTIFICATE_ISSUE_CERTIFICATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "certificate/page/certificate.h"
#include "facts/certificate.h"

#define CERTIFICATE_NAME "certificate.txt"
#define CERTIFICATE_PAGE "certificate.html"

/*
 * Lists the files that a kept result is computed from, by name, with their checksums. For a folder:
 * its records and those of its subfolders, the files of qualify, and the reports that cannot be
 * made again from a record; otherwise the one file. ERR_USAGE: a file cannot be read, or has a name
 * that no page can show. The caller frees *files.
 */
int certificate_files(struct certificate_file **files, size_t *count, const char *path,
                      struct err *e);

/* Returns where the list of its files begins in the text of a certificate, of which it is the end:
   "" when the certificate names no file. The file CERTIFICATE_LIST consists of this list. */
const char *certificate_list(const char *text);

/* Checks for pipes and links to devices in a folder that was received: reading them would not end.
   ERR_USAGE; returns 0 also when nothing is there. */
int certificate_check_regular(const char *path, struct err *e);

/* Writes the path of the certificate of a folder or record: FOLDER/certificate.txt; for a record
   with a name of its own, RECORD.certificate.txt. ERR_USAGE: the name is too long. */
int certificate_path(char to[PATH_MAX], const char *path, struct err *e);

/*
 * Finds the folder or record beside a certificate, after resolving links, that the certificate must
 * belong to: the record that it is named after, or the folder, if that holds a result or a file
 * that the certificate's text names. False: there is neither.
 */
bool certificate_result_beside(char to[PATH_MAX], const char *certificate, const char *text);

/*
 * Are the reports and tables that are in `folder` ("" or with a / at its end) those of the result?
 * Adds their number to `count`. ERR_FAILED: one is not, and the message names it; ERR_USAGE: one
 * cannot be read; ERR_MACHINE.
 */
int certificate_check_reports(const char *folder, const struct result *r, size_t *count,
                              struct err *e);

/* Does the certificate name the reports in its folder, because they cannot be made again from a
   record: those of a qualification, of a sum, and of several targets? */
bool certificate_names_reports(const char *path);

/* Is it the folder of a qualification? No record holds its judgement. */
bool certificate_is_of_machine(const char *path);

struct certificate_request {
    const struct result *result; /* exactly one of these two is set */
    const struct qualification *qualification;
    const struct err *status; /* exit code and message; ERR_NONE with "" */
    const char *path;         /* the folder or record that holds it; NULL: nothing was kept */
    const char *version;      /* version of cupel that makes the page; NULL: this one */
};

/* Appends the certificate as text, and as a page if `html` is not NULL. ERR_USAGE: as
   certificate_files; ERR_MACHINE: no memory. */
int certificate_make(const struct certificate_request *request, struct text *out, struct text *html,
                     struct err *e);

#endif
