/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate: one page about a result that is handed over, and may be signed. It is plain data,
 * which owns only the list of its files. src/cmd fills it, src/report prints it. The same files and
 * the same version of cupel give the same page, byte by byte.
 */
#ifndef CUPEL_FACTS_CERTIFICATE_H
#define CUPEL_FACTS_CERTIFICATE_H

#include <stddef.h>

#include "base/err.h"
#include "facts/qualification.h"
#include "facts/result.h"

/* A file that holds the result, or that the result was computed from. */
struct certificate_file {
    char name[160];  /* path relative to the folder of the certificate */
    char sha256[65]; /* hash of its contents, in hexadecimal */
};

struct certificate {
    /* the result of a measurement; NULL: `qualification` is certified */
    const struct result *result;
    /* the qualification of a machine; NULL: `result` is certified */
    const struct qualification *qualification;
    enum err_code status; /* exit status that the result leads to */
    /* why the status is not ERR_NONE, in words; "": it is ERR_NONE */
    const char *missing;
    const char *version; /* version of the cupel that made this page */
    /* [file_count], sorted by name; file_count 0: no files were kept */
    const struct certificate_file *files;
    size_t file_count;
    char list_sha256[65]; /* hash of the list of `files`, written as lines of sha256sum(1) */
};

#endif
