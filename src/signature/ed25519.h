/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ed25519 (RFC 8032) as SSH uses it, on tinyssh's arithmetic, and what goes with it: the two hashes
 * and the wiping of secrets. Slow (milliseconds) and small. Any thread.
 */
#ifndef CUPEL_SIGNATURE_ED25519_H
#define CUPEL_SIGNATURE_ED25519_H

#include <stdbool.h>
#include <stddef.h>

#define ED25519_BYTES           32 /* of a seed, which is the private key, and of a public key */
#define ED25519_SIGNATURE_BYTES 64
#define ED25519_MESSAGE_MAX     512 /* of a message: what is signed here is a hash with a head */

#define SHA256_BYTES 32
#define SHA512_BYTES 64

void sha256(unsigned char to[SHA256_BYTES], const void *data, size_t length);
void sha512(unsigned char to[SHA512_BYTES], const void *data, size_t length);

/* Overwritten, which no compiler leaves out. */
void wipe(void *secret, size_t length);

void ed25519_public(unsigned char to[ED25519_BYTES], const unsigned char seed[ED25519_BYTES]);

/* The one signature that RFC 8032 defines for that key and message. `public` is that of the seed:
   with another one the signature would give the private key away. */
void ed25519_sign(unsigned char to[ED25519_SIGNATURE_BYTES], const void *message, size_t length,
                  const unsigned char seed[ED25519_BYTES],
                  const unsigned char public[ED25519_BYTES]);

/*
 * Strict: S is below the order of the group, the points are written in the one way there is for
 * each, and the key is no point of small order, with which anything would be signed. So no other 64
 * bytes are a signature of the same message with the same key unless its owner makes them.
 */
bool ed25519_verify(const unsigned char signature[ED25519_SIGNATURE_BYTES], const void *message,
                    size_t length, const unsigned char public[ED25519_BYTES]);

#endif
