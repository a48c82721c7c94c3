/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of operations that are measured, each under a name of its own in rows, columns and
 * clauses. Reads and writes move data; trims free the bytes that they cover, and those bytes are
 * counted. "all" stands for these three together. A flush (sync: fsync, fdatasync or a device's own
 * command) covers no bytes: it has its own latencies and its own rate, and "all" counts only its
 * failures. In BPS it has no blocks, but its time in flight is busy time, because the program waits
 * for it.
 */
#ifndef CUPEL_FACTS_OPERATION_H
#define CUPEL_FACTS_OPERATION_H

#include <stdbool.h>

enum operation {
    OPERATION_READ,
    OPERATION_WRITE,
    OPERATION_SYNC,
    OPERATION_TRIM,
    OPERATIONS,
    OPERATION_ALL = OPERATIONS /* the operations that have bytes */
};

/* The names "read", "write", "sync", "trim", and "all". */
extern const char *const operation_names[OPERATIONS + 1];

static inline bool operation_moves_data(int op)
{
    return op != OPERATION_SYNC;
}

/* Is `op` the operation `of`, or is `of` OPERATION_ALL and includes it? */
static inline bool operation_is_of(int of, int op)
{
    return of == OPERATION_ALL ? operation_moves_data(op) : of == op;
}

/* A set of operations has bit `op` set for each member. */
#define OPERATION_SET_ALL ((1u << OPERATIONS) - 1)

static inline bool operation_set_has(unsigned set, int op)
{
    return set >> op & 1;
}

/* The number of operations in the set that have bytes. */
static inline unsigned operation_set_moving(unsigned set)
{
    return (unsigned)__builtin_popcount(set & ~(1u << OPERATION_SYNC));
}

/* The operation of that name; OPERATION_ALL for "all", "" or another word. */
int operation_by_name(const char *name);

#endif
