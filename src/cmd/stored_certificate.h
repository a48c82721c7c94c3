/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate of what was kept: made again, and held against what was signed. */
#ifndef CUPEL_CMD_STORED_CERTIFICATE_H
#define CUPEL_CMD_STORED_CERTIFICATE_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Append the certificate as text, and where `html` is not NULL as a page, that a folder or record
   makes, judged by other clauses ("": its own), as that version of cupel made it (NULL: this one).
 */
int stored_certificate_make(const char *path, const char *sla, const char *version,
                            struct text *out, struct text *html, struct err *e);

/* Are the files as this certificate says, and does it come out of them again? ERR_FAILED names what
   differs; ERR_UNDECIDED: another version made it. */
int stored_certificate_check_files(const char *path, const char *certificate, size_t length,
                                   struct err *e);
int stored_certificate_check_text(const char *path, const char *certificate, size_t length,
                                  struct err *e);

/*
 * Print what holds of the certificate of `path`: its signature, its files, its text, its signer.
 * ERR_FAILED: something was changed; ERR_UNDECIDED: the key is in no file of allowed signers ("":
 * there is none); ERR_USAGE: there is no certificate or no signature.
 */
int stored_certificate_verify(const char *path, const char *allowed_signers, struct err *e);

#endif
