/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What SSH's formats are made of (RFC 4251, 5): numbers of 32 bits, highest byte first, strings
 * with such a length before them, and the armour around a file's base64.
 */
#ifndef CUPEL_SIGNATURE_INTERNAL_H
#define CUPEL_SIGNATURE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"
#include "signature/ed25519.h"

#define SSH_KEY_TYPE "ssh-ed25519"

/* What is left to read. Reading beyond its end fails, and so does all reading from then on. */
struct wire {
    struct span rest;
    bool failed;
};

uint32_t wire_number(struct wire *w);
struct span wire_string(struct wire *w);
/* A string of so many bytes, or NULL. */
const unsigned char *wire_bytes(struct wire *w, size_t length);
/* The text, with its '\0' or without. */
bool wire_is(struct wire *w, const char *text, size_t length);

void wire_add_number(struct text *t, uint32_t number);
void wire_add_string(struct text *t, const void *bytes, size_t length);

/* A public key as keys, signatures and fingerprints have it: its type, and the 32 bytes. */
void wire_add_public(struct text *t, const unsigned char public[ED25519_BYTES]);
/* ERR_USAGE: it is of another type, which the message names, or not whole. */
int wire_public(struct wire *w, unsigned char to[ED25519_BYTES], struct err *e);

/*
 * Armour: the line "-----BEGIN NAME-----", base64 in lines of 70, "-----END NAME-----". Reading
 * takes lines of any length; the bytes are `*bytes`, which is wiped and freed by armour_free.
 */
void armour_add(struct text *t, const char *name, const unsigned char *bytes, size_t length);
int armour_read(struct span text, const char *name, unsigned char **bytes, size_t *length,
                struct err *e);
void armour_free(unsigned char *bytes, size_t length);

#endif
