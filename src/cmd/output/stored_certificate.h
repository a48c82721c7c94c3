/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate of a stored result. To check it, it is made again and compared with the signed
   one. */
#ifndef CUPEL_CMD_STORED_CERTIFICATE_H
#define CUPEL_CMD_STORED_CERTIFICATE_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Appends the certificate of a folder or record as text, and as a page if `html` is not NULL. `sla`
   are clauses that judge the result ("": its own). `version` is the version of cupel whose form the
   certificate has (NULL: this one). */
int stored_certificate_make(const char *path, const char *sla, const char *version,
                            struct text *out, struct text *html, struct err *e);

/* Check that the files are as this certificate says, and that the same certificate can be made from
   them. Fail with ERR_FAILED, which names the difference, or with ERR_UNDECIDED if another version
   made the certificate. */
int stored_certificate_check_files(const char *path, const char *certificate, size_t length,
                                   struct err *e);
int stored_certificate_check_text(const char *path, const char *certificate, size_t length,
                                  struct err *e);

/*
 * Verifies the certificate of `path` and prints the results for its signature, files, text and
 * signer. Fails with ERR_FAILED if something was changed, with ERR_UNDECIDED if the file of allowed
 * signers ("": none) does not have the key, with ERR_USAGE if there is no certificate or no
 * signature.
 */
int stored_certificate_verify(const char *path, const char *allowed_signers, struct err *e);

#endif
