/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a private key from a seed, in ssh-keygen's format, so that the repository contains no key.
 */
#ifndef TESTS_UNIT_SSH_FIXTURE_H
#define TESTS_UNIT_SSH_FIXTURE_H

#include <string.h>

#include "certificate/signature/internal.h"
#include "certificate/signature/ssh_key.h"

struct ssh_fixture {
    const char *cipher; /* "none" */
    const char *type;   /* SSH_KEY_TYPE */
    uint32_t count;     /* 1 */
    uint32_t second_check;
    bool other_public; /* take the public key from another seed */
    size_t padding;    /* bytes fewer or more than the correct padding */
};

#define SSH_FIXTURE_CHECK 0x12345678u

static inline struct ssh_fixture ssh_fixture(void)
{
    return (struct ssh_fixture){
        .cipher = "none", .type = SSH_KEY_TYPE, .count = 1, .second_check = SSH_FIXTURE_CHECK};
}

static inline void ssh_fixture_add(struct text *to, const struct ssh_fixture *f,
                                   const unsigned char seed[ED25519_BYTES])
{
    unsigned char other[ED25519_BYTES], public[ED25519_BYTES];
    struct text whole = {0}, key = {0}, secret = {0};
    memcpy(other, seed, sizeof other);
    other[0] ^= f->other_public;
    ed25519_public(public, other);
    wire_add_string(&key, f->type, strlen(f->type));
    wire_add_string(&key, public, sizeof public);
    wire_add_number(&secret, SSH_FIXTURE_CHECK);
    wire_add_number(&secret, f->second_check);
    text_add_bytes(&secret, key.data, key.length);
    wire_add_number(&secret, 2 * ED25519_BYTES);
    text_add_bytes(&secret, (const char *)seed, ED25519_BYTES);
    text_add_bytes(&secret, (const char *)public, sizeof public);
    wire_add_string(&secret, "me@here", strlen("me@here"));
    for (char i = 1; secret.length % 8 || f->padding >= (size_t)i; i++)
        text_add_bytes(&secret, &i, 1);
    text_add_bytes(&whole, "openssh-key-v1", sizeof "openssh-key-v1");
    wire_add_string(&whole, f->cipher, strlen(f->cipher));
    wire_add_string(&whole, "none", strlen("none"));
    wire_add_string(&whole, "", 0);
    wire_add_number(&whole, f->count);
    wire_add_string(&whole, key.data, key.length);
    wire_add_string(&whole, secret.data, secret.length);
    armour_add(to, "OPENSSH PRIVATE KEY", (const unsigned char *)whole.data, whole.length);
    text_free(&key);
    text_free(&secret);
    text_free(&whole);
}

#endif
