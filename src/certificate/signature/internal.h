/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The elements of SSH's formats (RFC 4251, 5): 32-bit numbers, highest byte first; strings,
 * preceded by their length; and the armour, which surrounds a file's base64.
 */
#ifndef CUPEL_CERTIFICATE_SIGNATURE_INTERNAL_H
#define CUPEL_CERTIFICATE_SIGNATURE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"
#include "certificate/signature/ed25519.h"

#define SSH_KEY_TYPE "ssh-ed25519"

/* The bytes of a buffer that are still to be read. Reading past the end fails, and so does every
   later read. */
struct wire {
    struct span rest;
    bool failed;
};

uint32_t wire_number(struct wire *w);
struct span wire_string(struct wire *w);
/* Returns the next `length` bytes, or NULL. */
const unsigned char *wire_bytes(struct wire *w, size_t length);
/* Reads `length` bytes. Returns true if they equal the text; `length` may include its '\0'. */
bool wire_is(struct wire *w, const char *text, size_t length);

void wire_add_number(struct text *t, uint32_t number);
void wire_add_string(struct text *t, const void *bytes, size_t length);

/* Adds a public key in the form used in keys, signatures and fingerprints: its type, then its 32
   bytes. */
void wire_add_public(struct text *t, const unsigned char public[ED25519_BYTES]);
/* Reads a public key. ERR_USAGE: it is incomplete, or has another type, which the message names. */
int wire_public(struct wire *w, unsigned char to[ED25519_BYTES], struct err *e);

/*
 * Armour: the line "-----BEGIN NAME-----", base64 in lines of 70, "-----END NAME-----". Reading
 * accepts lines of any length, and stores the contents in `*bytes`, which armour_free wipes and
 * frees.
 */
void armour_add(struct text *t, const char *name, const unsigned char *bytes, size_t length);
int armour_read(struct span text, const char *name, unsigned char **bytes, size_t *length,
                struct err *e);
void armour_free(unsigned char *bytes, size_t length);

#endif
