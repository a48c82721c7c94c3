/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate of a kept result: made again, and compared with the signed one. */
#ifndef CUPEL_CMD_STORED_CERTIFICATE_H
#define CUPEL_CMD_STORED_CERTIFICATE_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Appends the certificate of a folder or record as text, and as a page if `html` is not NULL;
   judged by the clauses `sla` ("": its own), in the form of that version of cupel (NULL: this
   one). */
int stored_certificate_make(const char *path, const char *sla, const char *version,
                            struct text *out, struct text *html, struct err *e);

/* Are the files as this certificate says, and can it be made from them again? ERR_FAILED names the
   difference; ERR_UNDECIDED: another version made it. */
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
