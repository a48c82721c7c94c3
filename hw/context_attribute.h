/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts that are one small file each: a row of a table says which file and how it is read.
 */
#ifndef CUPEL_HW_CONTEXT_ATTRIBUTE_H
#define CUPEL_HW_CONTEXT_ATTRIBUTE_H

#include <stdint.h>

#include "base/fact.h"
#include "hw/sysroot.h"

enum context_attribute_kind {
    ATTRIBUTE_TEXT,
    ATTRIBUTE_NUMBER, /* a whole number; the fact is `scale` times it */
    ATTRIBUTE_YES_NO, /* 0 or 1 */
    ATTRIBUTE_CHOICE, /* "none [mq-deadline] kyber": what stands in brackets, or the only word */
};

struct context_attribute {
    const char *key;
    enum context_attribute_kind kind;
    const char *files[3]; /* below the folder; the first that is there counts */
    uint64_t scale;       /* of ATTRIBUTE_NUMBER */
    const char *unit;
};

/* Append one fact per row. What is absent, denied or invalid is a fact with that status and no
 * value. */
void context_attributes_add(const struct sysroot *root, const char *node, const char *folder,
                    const struct context_attribute *rows, size_t count, struct facts *facts);

/* Append a fact from text of outside: blanks around it go, what does not fit ends in "...". An OK
   fact without any text is FACT_INVALID. */
void context_attribute_add_text(struct facts *facts, const char *node, const char *key, const char *value,
                        const char *source, enum fact_status status);

void context_attribute_add_number(struct facts *facts, const char *node, const char *key, uint64_t value,
                          const char *unit, const char *source);

#endif
