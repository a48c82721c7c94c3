/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Identifiers in a capture, replaced so that nobody can see whose machine it is but the capture
 * still holds together: the same identifier always becomes the same number, in the shape it had
 * ("00:1b:21:3c:9d:f8" the third time is "00:00:00:00:00:03", and enx001b213c9df8 the same).
 *
 * Owner: capture_mask_free. One thread.
 */
#ifndef CUPEL_HW_CAPTURE_CAPTURE_MASK_H
#define CUPEL_HW_CAPTURE_CAPTURE_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "base/span.h"
#include "base/string_table.h"
#include "base/text.h"
#include "hw/sysroot/sysroot.h"

struct capture_mask {
    struct string_table known; /* letters and digits of each, in lower case */
    struct pool strings;
    char host[65];    /* the machine's name; "" when it is not known or too common a word */
    const char *word; /* stands for every identifier instead of its number; NULL: none does */
    bool failed;      /* memory ran out */
};

/* Find out `host`: "db7" of db7.example.org. */
void mask_take_host(struct capture_mask *m, const struct sysroot *root);

/* Append the whole text as one identifier, masked. What has no digit or letter, or only zeros or
   only f's, names nothing and stays. */
void mask_identifier(struct capture_mask *m, struct span identifier, struct text *to);

#define MASK_HOST         1u /* the host's name, as a word */
#define MASK_LONG_NUMBERS 2u /* 16 hexadecimal digits or more, as WWNs have */
#define MASK_NAMES        (MASK_HOST | MASK_LONG_NUMBERS)

/*
 * Append the text with what is an identifier by its form masked: UUIDs, MAC and InfiniBand
 * addresses, interfaces named after one, IPv6 addresses made of one; `also`: those above, whose
 * form is too common to be looked for everywhere.
 */
void mask_text(struct capture_mask *m, struct span text, unsigned also, struct text *to);

void capture_mask_free(struct capture_mask *m);

#endif
