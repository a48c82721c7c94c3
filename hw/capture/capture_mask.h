/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces identifiers in a capture, so that the machine's owner cannot be recognised but the
 * capture stays consistent: the same identifier always becomes the same number, in the identifier's
 * form. For example, if the MAC address "00:1b:21:3c:9d:f8" is the third identifier, it becomes
 * "00:00:00:00:00:03", and the interface name enx001b213c9df8, which contains it, becomes
 * enx000000000003.
 *
 * The caller releases it with capture_mask_free. One thread.
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
    /* the machine's name; "" when it is not known, or too common a word to mask */
    char host[65];
    const char *word; /* word that replaces every identifier; NULL: numbers replace them */
    bool failed;      /* memory ran out */
};

/* Sets `host` to the machine's name without its domain: "db7" of db7.example.org. */
void mask_take_host(struct capture_mask *m, const struct sysroot *root);

/* Appends the whole text, masked as one identifier. A text without a digit or letter, or with only
   zeros or only f's, identifies nothing and is kept. */
void mask_identifier(struct capture_mask *m, struct span identifier, struct text *to);

#define MASK_HOST         1u /* the host's name where it is a whole word */
#define MASK_LONG_NUMBERS 2u /* numbers of 16 or more hexadecimal digits, such as WWNs */
#define MASK_NAMES        (MASK_HOST | MASK_LONG_NUMBERS)

/*
 * Appends the text with every identifier masked that is recognised by its form: UUIDs, MAC and
 * InfiniBand addresses, interfaces named after a MAC address, IPv6 addresses made from a MAC
 * address. `also`: flags for the kinds above, whose forms are too common to be masked everywhere.
 */
void mask_text(struct capture_mask *m, struct span text, unsigned also, struct text *to);

void capture_mask_free(struct capture_mask *m);

#endif
