/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate: one page about a result that is handed over, and may be signed. It is plain data,
 * which owns only the list of its files; src/cmd fills it, src/report prints it. The same files and
 * the same version of cupel give the same page byte by byte.
 */
#ifndef CUPEL_FACTS_CERTIFICATE_H
#define CUPEL_FACTS_CERTIFICATE_H

#include <stddef.h>

#include "base/err.h"
#include "facts/qualification.h"
#include "facts/result.h"

/* A file that holds the result, or that it was computed from. */
struct certificate_file {
    char name[160];  /* path below the folder of the certificate */
    char sha256[65]; /* hash of its contents, in hexadecimal */
};

struct certificate {
    const struct result *result;               /* the result of a measurement; or NULL */
    const struct qualification *qualification; /* the qualification of a machine, or NULL */
    enum err_code status;                      /* the exit status of the result */
    const char *missing;                       /* why the status is not ERR_NONE, in words; "" when
                                                  it is */
    const char *version;                       /* version of the cupel that makes this page */
    const struct certificate_file *files;      /* sorted by name; empty: no files were kept */
    size_t file_count;
    char list_sha256[65]; /* hash of the list of these files: their lines of sha256sum(1) */
};

#endif
