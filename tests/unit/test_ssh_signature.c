/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SSHSIG: made, read and verified against its text; one changed byte anywhere is detected.
   tests/cli/sign.sh tests the exchange with ssh-keygen. */
#include "certificate/signature/ssh_signature.h"

#include "certificate/signature/internal.h"
#include "tests/unit/check.h"

static const char words[] = "cupel certificate\nread.p99<1ms passed\n";

static struct ssh_key key_of(unsigned char number)
{
    struct ssh_key key = {.seed = {number}};
    ed25519_public(key.public, key.seed);
    return key;
}

static struct span span_of_text(const struct text *t)
{
    return (struct span){t->data, t->length};
}

static void check_made(void)
{
    struct ssh_key key = key_of(1), other = key_of(2);
    struct ssh_signature s;
    struct text text = {0}, again = {0};
    struct err e = {0};
    ssh_signature_make(&text, &key, span_of(words));
    ssh_signature_make(&again, &key, span_of(words));
    CHECK_STR(text.data, again.data);
    CHECK_INT(ssh_signature_read(&s, span_of_text(&text), &e), 0);
    CHECK(!memcmp(s.public, key.public, sizeof s.public));
    CHECK(ssh_signature_is_of(&s, span_of(words)));
    CHECK(!ssh_signature_is_of(&s, span_of("cupel certificate\n")));
    memcpy(s.public, other.public, sizeof s.public);
    CHECK(!ssh_signature_is_of(&s, span_of(words)));
    text_free(&text);
    text_free(&again);
}

/* Every byte of the signature file and of the text, changed to every other value. */
static void check_every_byte(void)
{
    struct ssh_key key = key_of(1);
    struct ssh_signature s;
    struct text text = {0};
    struct err e;
    size_t accepted = 0, silent = 0;
    ssh_signature_make(&text, &key, span_of(words));
    for (size_t i = 0; i < text.length; i++) {
        for (int with = 1; with < 256; with += 2 + (with > 8) * 60) {
            text.data[i] = (char)(text.data[i] ^ with);
            e = (struct err){0};
            int status = ssh_signature_read(&s, span_of_text(&text), &e);
            accepted += !status && ssh_signature_is_of(&s, span_of(words));
            silent += status && !(e.code == ERR_USAGE && e.msg[0]);
            text.data[i] = (char)(text.data[i] ^ with);
        }
    }
    CHECK_INT(accepted, 0);
    CHECK_INT(silent, 0);
    CHECK_INT(ssh_signature_read(&s, span_of_text(&text), &e), 0);
    for (size_t i = 0; i < sizeof words; i++) {
        char changed[sizeof words];
        memcpy(changed, words, sizeof words);
        changed[i] ^= 1;
        accepted += ssh_signature_is_of(
            &s, (struct span){changed, sizeof words - 1 + (i == sizeof words - 1)});
    }
    CHECK_INT(accepted, 0);
    for (size_t length = 0; length < text.length; length++)
        accepted += !ssh_signature_read(&s, (struct span){text.data, length}, &e);
    CHECK_INT(accepted, 0);
    text_add(&text, "\n");
    CHECK_INT(ssh_signature_read(&s, span_of_text(&text), &e), -1);
    text_free(&text);
}

/* Verifies a complete signature with the given purpose, hash and type. */
static void check_other(const char *name_space, const char *hash, const char *type, const char *why)
{
    struct ssh_signature s;
    struct text public = {0}, signature = {0}, whole = {0}, text = {0};
    struct err e = {0};
    unsigned char bytes[ED25519_SIGNATURE_BYTES] = {0};
    wire_add_string(&public, type, strlen(type));
    wire_add_string(&public, bytes, ED25519_BYTES);
    wire_add_string(&signature, SSH_KEY_TYPE, strlen(SSH_KEY_TYPE));
    wire_add_string(&signature, bytes, sizeof bytes);
    text_add(&whole, "SSHSIG");
    wire_add_number(&whole, 1);
    wire_add_string(&whole, public.data, public.length);
    wire_add_string(&whole, name_space, strlen(name_space));
    wire_add_string(&whole, "", 0);
    wire_add_string(&whole, hash, strlen(hash));
    wire_add_string(&whole, signature.data, signature.length);
    armour_add(&text, "SSH SIGNATURE", (const unsigned char *)whole.data, whole.length);
    CHECK_INT(ssh_signature_read(&s, span_of_text(&text), &e), *why ? -1 : 0);
    CHECK(strstr(e.msg, why) != NULL);
    text_free(&public);
    text_free(&signature);
    text_free(&whole);
    text_free(&text);
}

int main(void)
{
    check_made();
    check_every_byte();
    check_other("cupel-certificate", "sha512", "ssh-ed25519", "");
    check_other("cupel-certificate", "sha256", "ssh-ed25519", "");
    check_other("git", "sha512", "ssh-ed25519", "namespace git");
    check_other("cupel-certificate", "sha1", "ssh-ed25519", "no signature by an Ed25519 key");
    check_other("cupel-certificate", "sha512", "ssh-rsa", "type ssh-rsa");
    return check_result();
}
