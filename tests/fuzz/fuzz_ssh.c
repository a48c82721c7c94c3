/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SSH's files: private keys, signatures, files of allowed signers. */
#include <string.h>

#include "certificate/signature/ssh_signature.h"
#include "tests/fuzz/fuzz.h"

static void read_key(struct span text)
{
    struct ssh_key key;
    struct err e = {0};
    if (ssh_key_parse(&key, text, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a key refused without a reason");
        return;
    }
    unsigned char public[ED25519_BYTES];
    ed25519_public(public, key.seed);
    FUZZ_CHECK(!memcmp(public, key.public, sizeof public), "a public key of another key");
}

static void read_signature(struct span text)
{
    struct ssh_signature s;
    struct err e = {0};
    if (ssh_signature_read(&s, text, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a signature refused without a reason");
        return;
    }
    (void)ssh_signature_is_of(&s, text);
}

static void read_signers(struct span text)
{
    static const unsigned char public[ED25519_BYTES] = {0};
    struct ssh_signer signer;
    ssh_signer_search(&signer, text, public, SSH_SIGNATURE_NAMESPACE, 0);
    FUZZ_CHECK(memchr(signer.who, 0, sizeof signer.who), "a name without an end");
    FUZZ_CHECK(!signer.allowed || !signer.refused[0], "allowed and refused");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(struct span) = {read_key, read_signature, read_signers};
    if (size > 0)
        readers[data[0] % 3]((struct span){(const char *)data + 1, size - 1});
    return 0;
}
