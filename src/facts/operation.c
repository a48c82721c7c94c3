/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives the names of operations, and the file versions that first had them. */
#include "facts/operation.h"

#include <string.h>

#define NAME(identifier, name, bytes, record, merged)         [identifier] = (name),
#define RECORD_SINCE(identifier, name, bytes, record, merged) [identifier] = (record),
#define MERGED_SINCE(identifier, name, bytes, record, merged) [identifier] = (merged),

const char *const operation_names[OPERATIONS + 1] = {OPERATION_ROWS(NAME)[OPERATION_ALL] = "all"};
const unsigned char operation_record_version[OPERATIONS] = {OPERATION_ROWS(RECORD_SINCE)};
const unsigned char operation_merged_version[OPERATIONS] = {OPERATION_ROWS(MERGED_SINCE)};

int operation_by_name(const char *name)
{
    int op = 0;
    while (op < OPERATION_ALL && strcmp(name, operation_names[op]) != 0)
        op++;
    return op;
}

enum operation operation_of_word(struct span word)
{
    static const struct {
        const char *word;
        enum operation op;
    } others[] = {
        {"r", OPERATION_READ},       {"w", OPERATION_WRITE},    {"d", OPERATION_TRIM},
        {"discard", OPERATION_TRIM}, {"unmap", OPERATION_TRIM}, {"f", OPERATION_SYNC},
        {"flush", OPERATION_SYNC},
    };
    for (int op = 0; op < OPERATIONS; op++)
        if (span_is_word(word, operation_names[op]))
            return (enum operation)op;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (span_is_word(word, others[i].word))
            return others[i].op;
    return OPERATIONS;
}
