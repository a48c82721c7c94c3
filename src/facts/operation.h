/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operations that are measured. Each has its own name in rows, columns and clauses. Requests,
 * traces, results and files all use these numbers: a new operation is a new row at the end.
 */
#ifndef CUPEL_FACTS_OPERATION_H
#define CUPEL_FACTS_OPERATION_H

#include <stdbool.h>

#include "base/span.h"

/*
 * ROW(identifier, name, bytes, record, merged)
 *
 * bytes: the operation covers bytes, which are counted. Reads and writes move them; a trim frees
 * them. "all" means all operations with bytes. A flush (sync: fsync, fdatasync or a device's own
 * command) covers none: it has its own latencies and its own rate, and "all" counts only its
 * failures. In BPS it has no blocks, but its time in flight is busy time, because the program waits
 * for it.
 *
 * record, merged: the first version of record.cupel and of merged.cupel with this operation. The
 * versions that are written now are defined below the rows: raise them with a new row.
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
    OPERATION_ALL = OPERATIONS /* all operations that have bytes, together */
};
#undef OPERATION_IDENTIFIER

/* A set of operations has bit `op` set for each member. */
#define OPERATION_SET_ALL                                      ((1u << OPERATIONS) - 1)
#define OPERATION_BIT(identifier, name, bytes, record, merged) | ((bytes) ? 1u << (identifier) : 0)
enum { OPERATION_SET_BYTES = 0 OPERATION_ROWS(OPERATION_BIT) };
#undef OPERATION_BIT

/* "read", "write", "sync", "trim", and "all", indexed by enum operation. */
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

/* Returns true if `of` is `op`, or if `of` is OPERATION_ALL and `op` has bytes. */
static inline bool operation_is_of(int of, int op)
{
    return of == OPERATION_ALL ? operation_has_bytes(op) : of == op;
}

/* Returns the number of operations in the set that have bytes. */
static inline unsigned operation_set_moving(unsigned set)
{
    return (unsigned)__builtin_popcount(set & OPERATION_SET_BYTES);
}

/* Returns the operation with this name, or OPERATION_ALL for "all", "" or any other word. */
int operation_by_name(const char *name);

/* Returns the operation that another program's word means, in any case, such as "READ", "W" or
   "discard". Returns OPERATIONS for an unknown word. */
enum operation operation_of_word(struct span word);

#endif
