/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSHSIG: a detached signature of a text by an Ed25519 key, in the format of ssh-keygen -Y sign and
 * -Y verify (OpenSSH's PROTOCOL.sshsig).
 */
#ifndef CUPEL_CERTIFICATE_SIGNATURE_SSH_SIGNATURE_H
#define CUPEL_CERTIFICATE_SIGNATURE_SSH_SIGNATURE_H

#include "base/text.h"
#include "certificate/signature/ssh_key.h"

/* The namespace of these signatures. A signature for it is valid for no other use of the key. */
#define SSH_SIGNATURE_NAMESPACE "cupel-certificate"

struct ssh_signature {
    /* the public key that made the signature, as the signature states */
    unsigned char public[ED25519_BYTES];
    unsigned char signature[ED25519_SIGNATURE_BYTES];
    bool of_sha256; /* true: the text's SHA-256 is signed; false: its SHA-512 */
};

/* Appends the signature of `text`, made with SHA-512, in its armour. */
void ssh_signature_make(struct text *to, const struct ssh_key *key, struct span text);

/*
 * Reads a signature. ERR_USAGE: it is not a signature, has another namespace or another type of
 * key, or differs in any byte from the form that ssh-keygen writes.
 */
int ssh_signature_read(struct ssh_signature *s, struct span armoured, struct err *e);

/* Returns true if the key in the signature has signed this text. */
bool ssh_signature_is_of(const struct ssh_signature *s, struct span text);

#endif
