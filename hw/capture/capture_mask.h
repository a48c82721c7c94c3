/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces identifiers in a capture, so that the machine's owner cannot be recognised but the
 * capture stays consistent: the same identifier always becomes the same number, in its own form
 * (the third one, "00:1b:21:3c:9d:f8", becomes "00:00:00:00:00:03", and so does the one in
 * enx001b213c9df8).
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
    struct string_table known; /* the letters and digits of each identifier, in lower case */
    struct pool strings;
    char host[65];    /* the machine's name; "" when it is not known, or a word that is too
                         common */
    const char *word; /* replaces every identifier instead of its number; NULL: numbers are used */
    bool failed;      /* memory ran out */
};

/* Find `host`: "db7" of db7.example.org. */
void mask_take_host(struct capture_mask *m, const struct sysroot *root);

/* Append the whole text, masked as one identifier. A text without digit or letter, or with only
   zeros or only f's, identifies nothing and is kept. */
void mask_identifier(struct capture_mask *m, struct span identifier, struct text *to);

#define MASK_HOST         1u /* the host's name, where it is a word */
#define MASK_LONG_NUMBERS 2u /* numbers of 16 or more hexadecimal digits, such as WWNs */
#define MASK_NAMES        (MASK_HOST | MASK_LONG_NUMBERS)

/*
 * Append the text with every identifier masked that is recognised by its form: UUIDs, MAC and
 * InfiniBand addresses, interfaces named after one, IPv6 addresses made from one. `also`: the kinds
 * above, whose form is too common to be masked everywhere.
 */
void mask_text(struct capture_mask *m, struct span text, unsigned also, struct text *to);

void capture_mask_free(struct capture_mask *m);

#endif
