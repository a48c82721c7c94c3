/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ed25519 (RFC 8032) as SSH uses it, with tinyssh's arithmetic; SHA-256 and SHA-512; and the wiping
 * of secrets. Slow (milliseconds) and small. Any thread.
 */
#ifndef CUPEL_CERTIFICATE_SIGNATURE_ED25519_H
#define CUPEL_CERTIFICATE_SIGNATURE_ED25519_H

#include <stdbool.h>
#include <stddef.h>

/* bytes of a seed, which is the private key, and of a public key */
#define ED25519_BYTES           32
#define ED25519_SIGNATURE_BYTES 64
/* bytes of the longest message, which here is a hash with some fields before it */
#define ED25519_MESSAGE_MAX 512

#define SHA256_BYTES 32
#define SHA512_BYTES 64

void sha256(unsigned char to[SHA256_BYTES], const void *data, size_t length);
void sha512(unsigned char to[SHA512_BYTES], const void *data, size_t length);

/* Overwrites a secret; the compiler cannot omit this. */
void wipe(void *secret, size_t length);

void ed25519_public(unsigned char to[ED25519_BYTES], const unsigned char seed[ED25519_BYTES]);

/* Makes the signature of the message; RFC 8032 defines exactly one for each key. `public` must
   belong to the seed: with any other key the signature would reveal the private key. */
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
