/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ed25519: the vectors of RFC 8032, 7.1, and of its hashes (FIPS 180-4), and signatures that a
   strict verifier rejects. */
#include "certificate/signature/ed25519.h"

#include <stdint.h>

#include "tests/unit/check.h"

static size_t unhex(unsigned char *to, const char *hex)
{
    size_t n = 0;
    for (; hex[2 * n]; n++) {
        unsigned byte = 0;
        sscanf(hex + 2 * n, "%2x", &byte);
        to[n] = (unsigned char)byte;
    }
    return n;
}

static const struct {
    const char *seed, *public, *message, *signature;
} vectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "4"
     "6bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "6"
     "594a7c15e9716ed28dc027beceea1ec40a"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fee"
     "b"
     "bd454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e"
     "0"
     "303dca179c138ac17ad9bef1177331a704"},
};

static void check_vectors(void)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        unsigned char seed[32], public[32], message[64], signature[64], made[64], derived[32];
        unhex(seed, vectors[i].seed);
        unhex(public, vectors[i].public);
        unhex(signature, vectors[i].signature);
        size_t length = unhex(message, vectors[i].message);
        ed25519_public(derived, seed);
        CHECK(!memcmp(derived, public, sizeof public));
        ed25519_sign(made, message, length, seed, public);
        CHECK(!memcmp(made, signature, sizeof made));
        CHECK(ed25519_verify(signature, message, length, public));
    }
}

/* No bit of signature, message or key can be changed. */
static void check_every_bit(void)
{
    unsigned char all[64 + 2 + 32], changed[sizeof all];
    size_t accepted = 0;
    unhex(all, vectors[2].signature);
    unhex(all + 64, vectors[2].message);
    unhex(all + 66, vectors[2].public);
    for (size_t bit = 0; bit < 8 * sizeof all; bit++) {
        memcpy(changed, all, sizeof all);
        changed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        accepted += ed25519_verify(changed, changed + 64, 2, changed + 66);
    }
    CHECK_INT(accepted, 0);
}

/* S and S + L are the same number modulo the order L; only the first is a signature. */
static void check_malleability(void)
{
    static const char order[] = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    unsigned char signature[64], public[32], added[32];
    unsigned carry = 0;
    unhex(signature, vectors[0].signature);
    unhex(public, vectors[0].public);
    unhex(added, order);
    for (size_t i = 0; i < sizeof added; i++) {
        carry += (unsigned)signature[32 + i] + added[i];
        signature[32 + i] = (unsigned char)carry;
        carry >>= 8;
    }
    CHECK_INT(carry, 0);
    CHECK(!ed25519_verify(signature, "", 0, public));
}

/* Points of small order, in every encoding: with S = 0 and R the neutral point (or the key itself)
   such a key would sign some or all messages. */
static void check_small_order(void)
{
    static const char *const points[] = {
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        size_t accepted = 0;
        for (size_t j = 0; j < sizeof points / sizeof *points; j++) {
            unsigned char public[32], signature[64] = {0};
            unhex(public, points[i]);
            unhex(signature, points[j]);
            for (char message = 'a'; message < 'e'; message++)
                accepted += ed25519_verify(signature, &message, 1, public);
        }
        CHECK_INT(accepted, 0);
    }
}

/* Signatures made here are accepted, for every message length. */
static void check_lengths(void)
{
    unsigned char seed[32] = {7}, public[32], message[ED25519_MESSAGE_MAX + 1], signature[64];
    size_t wrong = 0;
    ed25519_public(public, seed);
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)(i * 31);
    for (size_t length = 0; length <= ED25519_MESSAGE_MAX; length += 61) {
        ed25519_sign(signature, message, length, seed, public);
        wrong += !ed25519_verify(signature, message, length, public);
        wrong += ed25519_verify(signature, message, length + 1, public);
    }
    CHECK_INT(wrong, 0);
    CHECK(!ed25519_verify(signature, message, ED25519_MESSAGE_MAX + 1, public));
}

static void check_hashes(void)
{
    unsigned char expected[64], hash[64];
    unhex(expected, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256(hash, "abc", 3);
    CHECK(!memcmp(hash, expected, SHA256_BYTES));
    unhex(expected, vectors[3].message);
    sha512(hash, "abc", 3);
    CHECK(!memcmp(hash, expected, SHA512_BYTES));
}

int main(void)
{
    check_hashes();
    check_vectors();
    check_every_bit();
    check_malleability();
    check_small_order();
    check_lengths();
    return check_result();
}
