/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certificate/signature/ssh_signature.h"

#include <string.h>

#include "certificate/signature/internal.h"

#define MAGIC   "SSHSIG"
#define ARMOUR  "SSH SIGNATURE"
#define VERSION 1

/* Adds the fields that are both in the signature and in the signed bytes: the namespace, an empty
   string, and the hash's name. */
static void add_purpose(struct text *t, bool of_sha256)
{
    const char *hash = of_sha256 ? "sha256" : "sha512";
    wire_add_string(t, SSH_SIGNATURE_NAMESPACE, strlen(SSH_SIGNATURE_NAMESPACE));
    wire_add_string(t, "", 0);
    wire_add_string(t, hash, strlen(hash));
}

/* Adds the bytes that the key signs for this text. */
static void add_signed(struct text *to, struct span text, bool of_sha256)
{
    unsigned char hash[SHA512_BYTES];
    if (of_sha256)
        sha256(hash, text.text, text.length);
    else
        sha512(hash, text.text, text.length);
    text_add(to, MAGIC);
    add_purpose(to, of_sha256);
    wire_add_string(to, hash, of_sha256 ? SHA256_BYTES : SHA512_BYTES);
}

static void add_armoured(struct text *to, const struct ssh_signature *s)
{
    struct text public = {0}, signature = {0}, whole = {0};
    wire_add_public(&public, s->public);
    wire_add_string(&signature, SSH_KEY_TYPE, strlen(SSH_KEY_TYPE));
    wire_add_string(&signature, s->signature, sizeof s->signature);
    text_add(&whole, MAGIC);
    wire_add_number(&whole, VERSION);
    wire_add_string(&whole, public.data, public.length);
    add_purpose(&whole, s->of_sha256);
    wire_add_string(&whole, signature.data, signature.length);
    to->failed |= public.failed || signature.failed || whole.failed;
    if (!to->failed)
        armour_add(to, ARMOUR, (const unsigned char *)whole.data, whole.length);
    text_free(&public);
    text_free(&signature);
    text_free(&whole);
}

void ssh_signature_make(struct text *to, const struct ssh_key *key, struct span text)
{
    struct ssh_signature s = {.of_sha256 = false};
    struct text of = {0};
    add_signed(&of, text, s.of_sha256);
    memcpy(s.public, key->public, sizeof s.public);
    to->failed |= of.failed;
    if (!of.failed) {
        ed25519_sign(s.signature, of.data, of.length, key->seed, key->public);
        add_armoured(to, &s);
    }
    text_free(&of);
}

static int read_parts(struct ssh_signature *s, struct wire *w, struct err *e)
{
    char name[64];
    if (!wire_is(w, MAGIC, strlen(MAGIC)) || wire_number(w) != VERSION)
        return err_set(e, ERR_USAGE, "it is no SSH signature of version %d", VERSION);
    struct wire public = {.rest = wire_string(w)};
    if (w->failed || wire_public(&public, s->public, e))
        return w->failed ? err_set(e, ERR_USAGE, "it breaks off") : -1;
    struct span name_space = wire_string(w), reserved = wire_string(w), hash = wire_string(w);
    struct wire signature = {.rest = wire_string(w)};
    if (w->failed)
        return err_set(e, ERR_USAGE, "it breaks off");
    if (!span_is(name_space, SSH_SIGNATURE_NAMESPACE))
        return err_set(e, ERR_USAGE, "it was made for another purpose (namespace %s, not %s)",
                       span_printable(name, sizeof name, name_space), SSH_SIGNATURE_NAMESPACE);
    s->of_sha256 = span_is(hash, "sha256");
    bool of_sha512 = span_is(hash, "sha512");
    struct span type = wire_string(&signature);
    const unsigned char *bytes = wire_bytes(&signature, sizeof s->signature);
    if (!bytes || !span_is(type, SSH_KEY_TYPE) || reserved.length || !(s->of_sha256 || of_sha512))
        return err_set(e, ERR_USAGE, "it is no signature by an Ed25519 key");
    memcpy(s->signature, bytes, sizeof s->signature);
    return 0;
}

/* Checks that the signature is byte for byte as ssh-keygen writes it. This finds changes in bytes
   that none of the checks above covers. */
static int check_written(const struct ssh_signature *s, struct span armoured, struct err *e)
{
    struct text again = {0};
    add_armoured(&again, s);
    bool failed = again.failed, same = !failed && again.length == armoured.length &&
                                       !memcmp(again.data, armoured.text, again.length);
    text_free(&again);
    if (failed)
        return err_no_memory(e, "checking a signature");
    return same ? 0 : err_set(e, ERR_USAGE, "it is not as ssh-keygen writes it: it was changed");
}

int ssh_signature_read(struct ssh_signature *s, struct span armoured, struct err *e)
{
    unsigned char *bytes;
    size_t length;
    *s = (struct ssh_signature){.of_sha256 = false};
    if (armour_read(armoured, ARMOUR, &bytes, &length, e))
        return -1;
    struct wire w = {.rest = {(const char *)bytes, length}};
    int status = read_parts(s, &w, e);
    armour_free(bytes, length);
    return status ? status : check_written(s, armoured, e);
}

bool ssh_signature_is_of(const struct ssh_signature *s, struct span text)
{
    struct text of = {0};
    add_signed(&of, text, s->of_sha256);
    bool is = !of.failed && ed25519_verify(s->signature, of.data, of.length, s->public);
    text_free(&of);
    return is;
}
