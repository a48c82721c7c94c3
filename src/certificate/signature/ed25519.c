/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and checks Ed25519 signatures by the steps of RFC 8032, 5.1.5 to 5.1.7. The arithmetic of
   points, and of numbers modulo the group's order, is tinyssh's. */
#include "certificate/signature/ed25519.h"

#include <stdint.h>
#include <string.h>

#include <tinyssh/crypto_hash_sha256.h>
#include <tinyssh/crypto_hash_sha512.h>
#include <tinyssh/ge25519.h>
#include <tinyssh/sc25519.h>

#define HALF ED25519_BYTES

void sha256(unsigned char to[SHA256_BYTES], const void *data, size_t length)
{
    crypto_hash_sha256(to, data, length);
}

void sha512(unsigned char to[SHA512_BYTES], const void *data, size_t length)
{
    crypto_hash_sha512(to, data, length);
}

void wipe(void *secret, size_t length)
{
    explicit_bzero(secret, length);
}

/* Computes SHA-512 of two pieces of 32 bytes, either of which may be NULL, and a message, and
   reduces it modulo the group's order. */
static void hash_to_number(unsigned char to[SHA512_BYTES], const unsigned char *first,
                           const unsigned char *second, const void *message, size_t length)
{
    unsigned char all[2 * HALF + ED25519_MESSAGE_MAX];
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        const unsigned char *piece = i ? second : first;
        if (piece) {
            memcpy(all + n, piece, HALF);
            n += HALF;
        }
    }
    memcpy(all + n, message, length);
    sha512(to, all, n + length);
    sc25519_reduce(to);
    wipe(all, n);
}

/* Derives two values from a seed: the secret number (32 bytes), then the key for nonces (32
   bytes). */
static void expand(unsigned char to[SHA512_BYTES], const unsigned char seed[ED25519_BYTES])
{
    sha512(to, seed, ED25519_BYTES);
    to[0] &= 248;
    to[31] &= 127;
    to[31] |= 64;
}

static void encode_multiple_of_base(unsigned char to[HALF], const unsigned char number[HALF])
{
    ge25519 point;
    ge25519_scalarmult_base(point, number);
    ge25519_tobytes(to, point);
    wipe(point, sizeof point);
}

void ed25519_public(unsigned char to[ED25519_BYTES], const unsigned char seed[ED25519_BYTES])
{
    unsigned char secret[SHA512_BYTES];
    expand(secret, seed);
    encode_multiple_of_base(to, secret);
    wipe(secret, sizeof secret);
}

void ed25519_sign(unsigned char to[ED25519_SIGNATURE_BYTES], const void *message, size_t length,
                  const unsigned char seed[ED25519_BYTES],
                  const unsigned char public[ED25519_BYTES])
{
    unsigned char secret[SHA512_BYTES], nonce[SHA512_BYTES], challenge[SHA512_BYTES];
    expand(secret, seed);
    hash_to_number(nonce, secret + HALF, NULL, message, length);
    encode_multiple_of_base(to, nonce);
    hash_to_number(challenge, to, public, message, length);
    sc25519_muladd(to + HALF, challenge, secret, nonce);
    wipe(secret, sizeof secret);
    wipe(nonce, sizeof nonce);
}

/* Returns true if a number of 32 bytes, lowest byte first, is below the limit. */
static bool is_below(const unsigned char number[HALF], const unsigned char limit[HALF])
{
    for (size_t i = HALF; i-- > 0;)
        if (number[i] != limit[i])
            return number[i] < limit[i];
    return false;
}

static const unsigned char order[HALF] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a,       0x63,
                                          0x12, 0x58, 0xd6, 0x9c, 0xf7,       0xa2,
                                          0xde, 0xf9, 0xde, 0x14, [31] = 0x10};

/* Returns true if the encoding of a point is canonical: y, without the sign bit of x, is below
   2^255 - 19. */
static bool is_canonical(const unsigned char encoded[HALF])
{
    unsigned char y[HALF], prime[HALF];
    memcpy(y, encoded, HALF);
    y[31] &= 127;
    memset(prime, 0xff, HALF);
    prime[0] = 0xed;
    prime[31] = 127;
    return is_below(y, prime);
}

/* Returns true if the order of the point divides 8: eight times the point is then the neutral
   point. */
static bool is_of_small_order(ge25519 point)
{
    static const unsigned char neutral[HALF] = {1}, eight[HALF] = {8};
    unsigned char encoded[HALF];
    ge25519 multiple;
    ge25519_scalarmult(multiple, point, eight);
    ge25519_tobytes(encoded, multiple);
    return !memcmp(encoded, neutral, HALF);
}

bool ed25519_verify(const unsigned char signature[ED25519_SIGNATURE_BYTES], const void *message,
                    size_t length, const unsigned char public[ED25519_BYTES])
{
    ge25519 negated_key, of_key, of_base, sum;
    unsigned char challenge[SHA512_BYTES], encoded[HALF];
    if (length > ED25519_MESSAGE_MAX || !is_below(signature + HALF, order) ||
        !is_canonical(public) || ge25519_frombytes_negate_vartime(negated_key, public) ||
        is_of_small_order(negated_key))
        return false;
    hash_to_number(challenge, signature, public, message, length);
    ge25519_scalarmult(of_key, negated_key, challenge);
    ge25519_scalarmult_base(of_base, signature + HALF);
    ge25519_add(sum, of_base, of_key);
    ge25519_tobytes(encoded, sum);
    return !memcmp(encoded, signature, HALF);
}
