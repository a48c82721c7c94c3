/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers strings: each different string gets the next number, from 0 on, so that arrays beside
 * the table can hold data about the string.
 *
 * The table keeps spans, not copies: their text must outlive it. A struct of zeros is an empty
 * table. The caller frees it with string_table_free. One thread.
 */
#ifndef CUPEL_BASE_STRING_TABLE_H
#define CUPEL_BASE_STRING_TABLE_H

#include <stdint.h>

#include "base/span.h"

#define STRING_TABLE_NONE UINT32_MAX

struct string_table {
    struct string_table_entry *entries; /* indexed by number */
    uint32_t count, capacity;
    uint32_t *slots; /* [slot_count], indexed by hash: a string's number + 1; 0 in a free slot */
    uint32_t slot_count;
};

/* Returns the number of the string, or STRING_TABLE_NONE when it is not in the table. */
uint32_t string_table_find(const struct string_table *t, struct span s);

/* Like string_table_find, but adds a new string, whose number is the t->count before the call.
   Returns STRING_TABLE_NONE without memory. */
uint32_t string_table_add(struct string_table *t, struct span s);

void string_table_free(struct string_table *t);

#endif
