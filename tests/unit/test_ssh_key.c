/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenSSH private keys: those that are read, and that everything else is refused with a reason.
   tests/cli/sign.sh tests keys of ssh-keygen. */
#include "certificate/signature/ssh_key.h"

#include "tests/unit/check.h"
#include "tests/unit/ssh_fixture.h"

static const unsigned char seed[ED25519_BYTES] = {1, 2, 3};

static int parse(struct ssh_key *key, const char *text, struct err *e)
{
    *e = (struct err){0};
    return ssh_key_parse(key, span_of(text), e);
}

static void check_read(void)
{
    unsigned char public[ED25519_BYTES];
    struct ssh_fixture f = ssh_fixture();
    struct ssh_key key;
    struct text text = {0};
    struct err e;
    ssh_fixture_add(&text, &f, seed);
    CHECK_INT(parse(&key, text.data, &e), 0);
    CHECK(!memcmp(key.seed, seed, sizeof seed));
    ed25519_public(public, seed);
    CHECK(!memcmp(key.public, public, sizeof public));
    ssh_key_wipe(&key);
    for (size_t i = 0; i < sizeof key.seed; i++)
        CHECK_INT(key.seed[i], 0);
    text_free(&text);
}

static void check_refused(const struct ssh_fixture *f, const char *why)
{
    struct ssh_key key;
    struct text text = {0};
    struct err e;
    ssh_fixture_add(&text, f, seed);
    CHECK_INT(parse(&key, text.data, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, why) != NULL);
    CHECK(memcmp(key.seed, seed, sizeof seed) != 0);
    text_free(&text);
}

static void check_others(void)
{
    struct ssh_fixture f = ssh_fixture();
    f.cipher = "aes256-ctr";
    check_refused(&f, "ssh-keygen -p");
    f = ssh_fixture();
    f.type = "ssh-rsa";
    check_refused(&f, "type ssh-rsa");
    f.type = "sk-ssh-ed25519@openssh.com";
    check_refused(&f, "type sk-ssh-ed25519@openssh.com");
    f.type = "a\x1b[31m";
    check_refused(&f, "type a?[31m");
    f = ssh_fixture();
    f.count = 2;
    check_refused(&f, "more than one key");
    f = ssh_fixture();
    f.second_check++;
    check_refused(&f, "not whole");
    f = ssh_fixture();
    f.padding = 8;
    check_refused(&f, "not whole");
    f = ssh_fixture();
    f.other_public = true;
    check_refused(&f, "not that of its private key");
}

/* Every beginning of a key is refused, and so is every key with one changed byte, except in the
   comment or in a line's end. */
static void check_damage(void)
{
    struct ssh_fixture f = ssh_fixture();
    struct ssh_key key;
    struct text text = {0};
    struct err e;
    size_t read = 0, silent = 0;
    ssh_fixture_add(&text, &f, seed);
    for (size_t length = 0; length + 1 < text.length; length++) {
        e = (struct err){0};
        read += ssh_key_parse(&key, (struct span){text.data, length}, &e) == 0;
        silent += !e.msg[0];
    }
    CHECK_INT(read, 0);
    CHECK_INT(silent, 0);
    for (size_t i = 0; i < text.length; i++) {
        text.data[i] ^= 1;
        if (!parse(&key, text.data, &e))
            CHECK(!memcmp(key.seed, seed, sizeof seed));
        text.data[i] ^= 1;
    }
    text_free(&text);
}

static void check_no_keys(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "no private key of OpenSSH"},
        {"ssh-ed25519 AAAA me", "without .pub"},
        {"-----BEGIN RSA PRIVATE KEY-----\nMII", "of the kind RSA PRIVATE KEY"},
        {"-----BEGIN ENCRYPTED PRIVATE KEY-----", "of the kind ENCRYPTED PRIVATE KEY"},
        {"-----BEGIN \x1b]0;x", "of the kind ?]0;x"},
        {"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", "breaks off"},
        {"-----BEGIN OPENSSH PRIVATE KEY-----\n*AAA\n-----END OPENSSH PRIVATE KEY-----",
         "character 1 is not base64"},
        {"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
         "no private key of OpenSSH"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ssh_key key;
        struct err e;
        CHECK_INT(parse(&key, cases[i].text, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        CHECK(strstr(e.msg, cases[i].why) != NULL);
    }
}

/* ssh-keygen -l of the key with RFC 8032's first seed. */
static void check_fingerprint(void)
{
    static const unsigned char public[ED25519_BYTES] = {
        0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
        0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
        0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a};
    char text[SSH_FINGERPRINT_TEXT];
    CHECK_STR(ssh_fingerprint(text, public), "SHA256:bbXpuKG6zhzdmnxq256TlqzFBzRl2f6OOg722cYNbU8");
}

/* ---- who may sign ---- */

#define NOON_2026_11_23 1795435200

static void check_signer(const char *before, const char *after, bool allowed, const char *refused)
{
    unsigned char public[ED25519_BYTES];
    struct ssh_signer signer;
    struct text blob = {0}, file = {0};
    ed25519_public(public, seed);
    wire_add_public(&blob, public);
    text_add(&file, "# who signs here\n\nother@site ssh-ed25519 AAAA\n");
    text_add(&file, before);
    text_add_base64(&file, (const unsigned char *)blob.data, blob.length);
    text_add(&file, after);
    ssh_signer_search(&signer, (struct span){file.data, file.length}, public, "cupel-certificate",
                      NOON_2026_11_23);
    CHECK_INT(signer.allowed, allowed);
    CHECK(strstr(signer.refused, refused) != NULL);
    if (allowed)
        CHECK_STR(signer.who, "ada@site");
    text_free(&blob);
    text_free(&file);
}

static void check_signers(void)
{
    check_signer("ada@site ssh-ed25519 ", " Ada's\n", true, "");
    check_signer("\"ada@site\"\tssh-ed25519  ", "", true, "");
    check_signer("ada@site namespaces=\"file,cupel-*\" ssh-ed25519 ", "\n", true, "");
    check_signer("ada@site namespaces=\"git\" ssh-ed25519 ", "\n", false, "namespaces");
    check_signer("ada@site namespaces=\"*,!cupel-*\" ssh-ed25519 ", "\n", false, "namespaces");
    check_signer("ada@site namespaces=\"git\" ssh-ed25519 ", "\nada@site ssh-ed25519 AAAA\n", false,
                 "namespaces");
    check_signer("ada@site cert-authority ssh-ed25519 ", "\n", false, "authority");
    check_signer("ada@site valid-after=\"20261123Z\" ssh-ed25519 ", "\n", true, "");
    check_signer("ada@site valid-after=\"202611231201Z\" ssh-ed25519 ", "\n", false,
                 "not valid yet");
    check_signer("ada@site valid-before=\"20261123115959Z\" ssh-ed25519 ", "\n", false,
                 "not valid any more");
    check_signer("ada@site valid-before=\"20261123120001Z\",valid-after=\"2026\" ssh-ed25519 ",
                 "\n", false, "not valid yet");
    check_signer("!ada@site ssh-ed25519 ", "\n", false, "nobody");
    check_signer("#ada@site ssh-ed25519 ", "\n", false, "");
    check_signer("ada@site ssh-rsa ", "\n", false, "");
    check_signer("ada@site ssh-ed25519 ", "A\n", false, "");
}

int main(void)
{
    check_read();
    check_others();
    check_damage();
    check_no_keys();
    check_fingerprint();
    check_signers();
    return check_result();
}
