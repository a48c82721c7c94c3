/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operations that are measured, each under a name of its own in rows, columns and clauses.
 * Requests, traces, results and files all use these numbers: a new operation is one row at the end.
 */
#ifndef CUPEL_FACTS_OPERATION_H
#define CUPEL_FACTS_OPERATION_H

#include <stdbool.h>

#include "base/span.h"

/*
 * ROW(identifier, name, bytes, record, merged)
 *
 * bytes: it covers bytes, which are counted. Reads and writes move them; a trim frees them. "all"
 * stands for these operations together. A flush (sync: fsync, fdatasync or a device's own command)
 * covers none: it has its own latencies and its own rate, and "all" counts only its failures. In
 * BPS it has no blocks, but its time in flight is busy time, because the program waits for it.
 *
 * record, merged: the first version of record.cupel and of merged.cupel with this operation. The
 * versions that are written now stand below the rows: a new row raises them.
 */
#define OPERATION_ROWS(ROW)                                                                        \
    ROW(OPERATION_READ, "read", true, 1, 1)                                                        \
    ROW(OPERATION_WRITE, "write", true, 1, 1)                                                      \
    ROW(OPERATION_SYNC, "sync", false, 3, 3)                                                       \
    ROW(OPERATION_TRIM, "trim", true, 4, 1)

#define RECORD_VERSION 4
#define MERGED_VERSION 5

#define OPERATION_IDENTIFIER(identifier, name, bytes, record, merged) identifier,
enum operation {
    OPERATION_ROWS(OPERATION_IDENTIFIER) OPERATIONS,
    OPERATION_ALL = OPERATIONS /* the operations that have bytes */
};
#undef OPERATION_IDENTIFIER

/* A set of operations has bit `op` set for each member. */
#define OPERATION_SET_ALL                                      ((1u << OPERATIONS) - 1)
#define OPERATION_BIT(identifier, name, bytes, record, merged) | ((bytes) ? 1u << (identifier) : 0)
enum { OPERATION_SET_BYTES = 0 OPERATION_ROWS(OPERATION_BIT) };
#undef OPERATION_BIT

/* The names "read", "write", "sync", "trim", and "all". */
extern const char *const operation_names[OPERATIONS + 1];

/* The first versions of record.cupel and of merged.cupel that have an operation. */
extern const unsigned char operation_record_version[OPERATIONS],
    operation_merged_version[OPERATIONS];

static inline bool operation_set_has(unsigned set, int op)
{
    return set >> op & 1;
}

static inline bool operation_has_bytes(int op)
{
    return op >= OPERATION_ALL || operation_set_has(OPERATION_SET_BYTES, op);
}

/* Is `op` the operation `of`, or is `of` OPERATION_ALL and includes it? */
static inline bool operation_is_of(int of, int op)
{
    return of == OPERATION_ALL ? operation_has_bytes(op) : of == op;
}

/* The number of operations in the set that have bytes. */
static inline unsigned operation_set_moving(unsigned set)
{
    return (unsigned)__builtin_popcount(set & OPERATION_SET_BYTES);
}

/* The operation of that name; OPERATION_ALL for "all", "" or another word. */
int operation_by_name(const char *name);

/* The operation that a word of another program names, in capitals or not, such as "READ", "W" or
   "discard"; OPERATIONS: it names none. */
enum operation operation_of_word(struct span word);

#endif
