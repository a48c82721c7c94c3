/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSHSIG: a detached signature of a text by an Ed25519 key, in the form that ssh-keygen -Y sign
 * makes and ssh-keygen -Y verify accepts (OpenSSH's PROTOCOL.sshsig).
 */
#ifndef CUPEL_CERTIFICATE_SIGNATURE_SSH_SIGNATURE_H
#define CUPEL_CERTIFICATE_SIGNATURE_SSH_SIGNATURE_H

#include "base/text.h"
#include "certificate/signature/ssh_key.h"

/* The purpose of these signatures; a signature for this namespace is valid for no other use of the
   key. */
#define SSH_SIGNATURE_NAMESPACE "cupel-certificate"

struct ssh_signature {
    unsigned char public[ED25519_BYTES]; /* the key that made it, as the signature states */
    unsigned char signature[ED25519_SIGNATURE_BYTES];
    bool of_sha256; /* it signs the text's SHA-256; otherwise its SHA-512 */
};

/* Appends the signature of `text` in its armour, with SHA-512. */
void ssh_signature_make(struct text *to, const struct ssh_key *key, struct span text);

/*
 * Reads a signature. ERR_USAGE: it is not a signature, has another namespace or another type of
 * key, or differs in any byte from the form that ssh-keygen writes.
 */
int ssh_signature_read(struct ssh_signature *s, struct span armoured, struct err *e);

/* Did the key that the signature names sign this text? */
bool ssh_signature_is_of(const struct ssh_signature *s, struct span text);

#endif
