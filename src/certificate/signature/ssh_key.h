/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ed25519 keys in the form of ssh-keygen(1): private keys without a passphrase (OpenSSH's
 * PROTOCOL.key), and the fingerprints by which people recognise public keys.
 */
#ifndef CUPEL_CERTIFICATE_SIGNATURE_SSH_KEY_H
#define CUPEL_CERTIFICATE_SIGNATURE_SSH_KEY_H

#include <stdbool.h>
#include <time.h>

#include "base/err.h"
#include "base/span.h"
#include "certificate/signature/ed25519.h"

struct ssh_key {
    unsigned char seed[ED25519_BYTES]; /* secret */
    unsigned char public[ED25519_BYTES];
};

/*
 * Reads a private key. ERR_UNSAFE: others may read the file, which ssh refuses, too. ERR_USAGE: the
 * file cannot be read, is encrypted, or is no Ed25519 private key; the message names the file and
 * what to do. The only secret left in memory is in `key`, which ssh_key_wipe clears.
 */
int ssh_key_read(struct ssh_key *key, const char *path, struct err *e);
void ssh_key_wipe(struct ssh_key *key);

/* Reads the contents of a key file, for ssh_key_read. */
int ssh_key_parse(struct ssh_key *key, struct span text, struct err *e);

/* Writes "SHA256:" and 43 characters, as ssh-keygen -l prints it. Returns `to`. */
#define SSH_FINGERPRINT_TEXT 64
char *ssh_fingerprint(char to[SSH_FINGERPRINT_TEXT], const unsigned char public[ED25519_BYTES]);

/*
 * Searches a file of allowed signers (ssh-keygen(1), "ALLOWED SIGNERS") for the key, and checks
 * whether the key may sign for this namespace at the time `now`. signer->who becomes the principals
 * of the key's line, signer->refused the reason why that line does not apply; "" when no line has
 * the key. Returns -1 with ERR_USAGE when the file cannot be read.
 */
#define SSH_SIGNER_TEXT 160
struct ssh_signer {
    bool allowed;
    char who[SSH_SIGNER_TEXT];
    char refused[SSH_SIGNER_TEXT];
};
int ssh_signer_find(struct ssh_signer *signer, const char *path,
                    const unsigned char public[ED25519_BYTES], const char *name_space, time_t now,
                    struct err *e);
/* Like ssh_signer_find, for the contents of the file. */
void ssh_signer_search(struct ssh_signer *signer, struct span text,
                       const unsigned char public[ED25519_BYTES], const char *name_space,
                       time_t now);

#endif
