/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options that a result was measured with, as typed values: JSON has them as numbers, flags and
 * texts, never as "4k". A name ends in the unit of its number (size_bytes, runtime_seconds,
 * ci_share, frequency_hertz), unless the number has none. It contains all its data and can be
 * copied. When the table is full, its last row, "left_out", counts the options that are missing; a
 * text that does not fit becomes "(no room)".
 */
#ifndef CUPEL_FACTS_OPTION_VALUES_H
#define CUPEL_FACTS_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_value_kind {
    OPTION_VALUE_NONE, /* the option was not given and has no default */
    OPTION_VALUE_TEXT,
    OPTION_VALUE_NUMBER,
    OPTION_VALUE_COUNT,
    OPTION_VALUE_FLAG,
    OPTION_VALUE_LIST, /* a text of whole numbers, each followed by a blank */
};

struct option_value {
    char name[32];
    enum option_value_kind kind;
    union {
        double number;
        uint64_t count;
        bool flag;
        size_t text; /* offset of the text in option_values.text */
    } is;
};

struct option_values {
    struct option_value rows[128];
    size_t count;
    char text[6000]; /* texts, each ended by '\0' */
    size_t used;
};

/* Appends an option and returns its value, which the caller sets. */
struct option_value *option_values_add(struct option_values *to, const char *name,
                                       const char *unit);
void option_value_set_text(struct option_values *of, struct option_value *value, const char *text,
                           enum option_value_kind kind);

#endif
