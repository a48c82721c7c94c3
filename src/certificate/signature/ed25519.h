/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ed25519 (RFC 8032) as SSH uses it, on tinyssh's arithmetic; two hashes; and the wiping of
 * secrets. Slow (milliseconds) and small. Any thread.
 */
#ifndef CUPEL_CERTIFICATE_SIGNATURE_ED25519_H
#define CUPEL_CERTIFICATE_SIGNATURE_ED25519_H

#include <stdbool.h>
#include <stddef.h>

/* length of a seed, which is the private key, and of a public key */
#define ED25519_BYTES           32
#define ED25519_SIGNATURE_BYTES 64
/* maximum length of a message, which here is a hash with a head */
#define ED25519_MESSAGE_MAX 512

#define SHA256_BYTES 32
#define SHA512_BYTES 64

void sha256(unsigned char to[SHA256_BYTES], const void *data, size_t length);
void sha512(unsigned char to[SHA512_BYTES], const void *data, size_t length);

/* Overwrites a secret in a way that no compiler omits. */
void wipe(void *secret, size_t length);

void ed25519_public(unsigned char to[ED25519_BYTES], const unsigned char seed[ED25519_BYTES]);

/* Makes the one signature that RFC 8032 defines for that key and message. `public` must belong to
   the seed: with any other key the signature would reveal the private key. */
void ed25519_sign(unsigned char to[ED25519_SIGNATURE_BYTES], const void *message, size_t length,
                  const unsigned char seed[ED25519_BYTES],
                  const unsigned char public[ED25519_BYTES]);

/*
 * Verifies strictly: S must be below the order of the group, the points must have their canonical
 * encoding, and the key must not be a point of small order, which would sign anything. So only the
 * owner of the key can make a second valid signature of the same message.
 */
bool ed25519_verify(const unsigned char signature[ED25519_SIGNATURE_BYTES], const void *message,
                    size_t length, const unsigned char public[ED25519_BYTES]);

#endif
