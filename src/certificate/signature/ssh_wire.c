/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "base/endian.h"
#include "certificate/signature/internal.h"

#define NUMBER_BYTES 4

/* ---- reading ---- */

static struct span take(struct wire *w, size_t length)
{
    struct span taken = {w->rest.text, length};
    if (w->failed || length > w->rest.length) {
        w->failed = true;
        return (struct span){"", 0};
    }
    w->rest.text += length;
    w->rest.length -= length;
    return taken;
}

uint32_t wire_number(struct wire *w)
{
    struct span number = take(w, NUMBER_BYTES);
    return w->failed ? 0 : load_be32((const unsigned char *)number.text);
}

struct span wire_string(struct wire *w)
{
    return take(w, wire_number(w));
}

const unsigned char *wire_bytes(struct wire *w, size_t length)
{
    struct span s = wire_string(w);
    w->failed |= s.length != length;
    return w->failed ? NULL : (const unsigned char *)s.text;
}

bool wire_is(struct wire *w, const char *text, size_t length)
{
    struct span s = take(w, length);
    w->failed |= w->failed || memcmp(s.text, text, length) != 0;
    return !w->failed;
}

int wire_public(struct wire *w, unsigned char to[ED25519_BYTES], struct err *e)
{
    char type[64];
    struct span name = wire_string(w);
    if (w->failed)
        return err_set(e, ERR_USAGE, "its public key breaks off");
    if (!span_is(name, SSH_KEY_TYPE))
        return err_set(e, ERR_USAGE,
                       "it is of the type %s, and only Ed25519 keys sign certificates: ssh-keygen "
                       "-t ed25519 -f NEW makes one",
                       span_printable(type, sizeof type, name));
    const unsigned char *public = wire_bytes(w, ED25519_BYTES);
    if (!public)
        return err_set(e, ERR_USAGE, "its public key has not %d bytes", ED25519_BYTES);
    memcpy(to, public, ED25519_BYTES);
    return 0;
}

/* ---- writing ---- */

void wire_add_number(struct text *t, uint32_t number)
{
    unsigned char bytes[NUMBER_BYTES];
    store_be32(bytes, number);
    text_add_bytes(t, (const char *)bytes, sizeof bytes);
}

void wire_add_string(struct text *t, const void *bytes, size_t length)
{
    wire_add_number(t, (uint32_t)length);
    text_add_bytes(t, bytes, length);
}

void wire_add_public(struct text *t, const unsigned char public[ED25519_BYTES])
{
    wire_add_string(t, SSH_KEY_TYPE, strlen(SSH_KEY_TYPE));
    wire_add_string(t, public, ED25519_BYTES);
}

/* ---- armour ---- */

#define LINE_CHARACTERS 70

void armour_add(struct text *t, const char *name, const unsigned char *bytes, size_t length)
{
    struct text letters = {0};
    text_add_base64(&letters, bytes, length);
    text_addf(t, "-----BEGIN %s-----\n", name);
    for (size_t i = 0; i < letters.length; i += LINE_CHARACTERS)
        text_addf(t, "%.*s\n", LINE_CHARACTERS, letters.data + i);
    text_addf(t, "-----END %s-----\n", name);
    t->failed |= letters.failed;
    text_free(&letters);
}

/* Finds the base64 text between the first and the last line of the armour. */
static int find_letters(struct span text, const char *name, struct span *to, struct err *e)
{
    char begin[64], end[64];
    int begin_length = snprintf(begin, sizeof begin, "-----BEGIN %s-----", name);
    int end_length = snprintf(end, sizeof end, "-----END %s-----", name);
    const char *first = memmem(text.text, text.length, begin, (size_t)begin_length);
    if (!first)
        return err_set(e, ERR_USAGE, "it has no line %s", begin);
    first += begin_length;
    size_t rest = text.length - (size_t)(first - text.text);
    const char *last = memmem(first, rest, end, (size_t)end_length);
    if (!last)
        return err_set(e, ERR_USAGE, "it breaks off: it has no line %s", end);
    *to = (struct span){first, (size_t)(last - first)};
    return 0;
}

int armour_read(struct span text, const char *name, unsigned char **bytes, size_t *length,
                struct err *e)
{
    struct span letters = {"", 0};
    *bytes = NULL;
    *length = 0;
    if (find_letters(text, name, &letters, e))
        return -1;
    char *joined = malloc(letters.length + 1);
    unsigned char *to = malloc(letters.length + 1);
    size_t n = 0;
    for (size_t i = 0; joined && i < letters.length; i++)
        if (letters.text[i] != '\n' && letters.text[i] != '\r')
            joined[n++] = letters.text[i];
    int status = joined && to ? span_decode_base64((struct span){joined, n}, to, length, e)
                              : err_no_memory(e, "decoding \"%s\"", name);
    if (joined)
        wipe(joined, n);
    free(joined);
    if (status)
        armour_free(to, to ? letters.length : 0);
    else
        *bytes = to;
    return status;
}

void armour_free(unsigned char *bytes, size_t length)
{
    if (bytes)
        wipe(bytes, length);
    free(bytes);
}
