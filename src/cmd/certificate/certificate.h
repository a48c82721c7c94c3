/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making certificates: a result, its exit status, and the files that it is computed from. */
#ifndef CUPEL_CMD_CERTIFICATE_CERTIFICATE_H
#define CUPEL_CMD_CERTIFICATE_CERTIFICATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "facts/certificate.h"
#include "report/certificate/certificate.h"

#define CERTIFICATE_NAME "certificate.txt"
#define CERTIFICATE_PAGE "certificate.html"

/*
 * The files that a kept result is computed from, by name, with their checksums: of a folder its
 * records, its subfolders', what qualify wrote, and the reports that no record makes again;
 * otherwise the one file.
 * ERR_USAGE: a file cannot be read, or has a name that no page can show. The caller frees *files.
 */
int certificate_files(struct certificate_file **files, size_t *count, const char *path,
                      struct err *e);

/* A folder that was received may hold a pipe, or a link to a device, which has no end. ERR_USAGE;
   0 also when nothing is there. */
int certificate_check_regular(const char *path, struct err *e);

/* Where the certificate of a folder or record is: FOLDER/certificate.txt; of a record with a name
   of its own, RECORD.certificate.txt. ERR_USAGE: the name is too long. */
int certificate_path(char to[PATH_MAX], const char *path, struct err *e);

/*
 * The folder or record beside a certificate, wherever links lead to it, that it has to be of: the
 * record that it is named after, or the folder, when that holds a result or a file that the
 * certificate's text names. False: neither is there.
 */
bool certificate_result_beside(char to[PATH_MAX], const char *certificate, const char *text);

/*
 * Are the reports and tables that are in `folder` ("" or with a / at its end) those of the result?
 * Adds to `count` how many there are. ERR_FAILED: one is not, and is named; ERR_USAGE: one cannot
 * be read; ERR_MACHINE.
 */
int certificate_check_reports(const char *folder, const struct result *r, size_t *count,
                              struct err *e);

/* Does the certificate name the reports in its folder, because no record makes them again: those of
   a qualification, of a sum, and of several targets? */
bool certificate_names_reports(const char *path);

/* Is it the folder of a qualification, whose judgement no record holds? */
bool certificate_is_of_machine(const char *path);

struct certificate_request {
    const struct result *result; /* one of these two */
    const struct qualification *qualification;
    const struct err *status; /* of the exit: code and words; ERR_NONE with "" */
    const char *path;         /* the folder or record that holds it; NULL: nothing was kept */
    const char *version;      /* that makes it; NULL: this one */
};

/* Append the certificate as text, or as a page where `html` is not NULL as well. ERR_USAGE: see
   certificate_files; ERR_MACHINE: no memory. */
int certificate_make(const struct certificate_request *request, struct text *out, struct text *html,
                     struct err *e);

#endif
