/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSHSIG: a signature of a text beside it, as ssh-keygen -Y sign makes and ssh-keygen -Y verify
 * takes it (OpenSSH's PROTOCOL.sshsig), by an Ed25519 key.
 */
#ifndef CUPEL_SIGNATURE_SSH_SIGNATURE_H
#define CUPEL_SIGNATURE_SSH_SIGNATURE_H

#include "base/text.h"
#include "signature/ssh_key.h"

/* What is signed is signed as this, and as nothing else that a key may be used for. */
#define SSH_SIGNATURE_NAMESPACE "cupel-certificate"

struct ssh_signature {
    unsigned char public[ED25519_BYTES]; /* of the key that made it, as it says itself */
    unsigned char signature[ED25519_SIGNATURE_BYTES];
    bool of_sha256; /* of the text's SHA-256, otherwise its SHA-512 */
};

/* Append the signature of `text` in its armour, with SHA-512. */
void ssh_signature_make(struct text *to, const struct ssh_key *key, struct span text);

/*
 * Read one. ERR_USAGE: it is none, of another namespace or another type of key, or written in
 * another way than ssh-keygen writes it: every byte counts.
 */
int ssh_signature_read(struct ssh_signature *s, struct span armoured, struct err *e);

/* Did the key that it names sign this text? */
bool ssh_signature_is_of(const struct ssh_signature *s, struct span text);

#endif
