/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate: one page of a result that is handed over, and may be signed. Plain data, which
 * owns nothing but the list of its files; src/cmd fills it, src/report prints it. The same files
 * and the same version of cupel make the same page byte by byte.
 */
#ifndef CUPEL_FACTS_CERTIFICATE_H
#define CUPEL_FACTS_CERTIFICATE_H

#include <stddef.h>

#include "base/err.h"
#include "facts/qualification.h"
#include "facts/result.h"

/* A file that the result is computed from, or that holds it. */
struct certificate_file {
    char name[160];  /* below the folder of the certificate */
    char sha256[65]; /* of its contents, in hexadecimal */
};

struct certificate {
    const struct result *result;               /* of a measurement; or ... */
    const struct qualification *qualification; /* ... of a machine */
    enum err_code status;                      /* the exit status that goes with it */
    const char *missing;                       /* why it is not ERR_NONE, in words; "" when it is */
    const char *version;                       /* of the cupel that makes this page */
    const struct certificate_file *files;      /* by name; none: nothing was kept */
    size_t file_count;
};

#endif
