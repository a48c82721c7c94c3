/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operations that are measured, each under a name of its own, in rows, columns and clauses: the
 * one list of them. Reads and writes move data, trims free the bytes that they cover and are
 * counted by them; all three together are "all". A flush (sync: fsync, fdatasync or a device's own
 * command) covers none: its latencies and its rate are its own, and "all" has only its failures. In
 * BPS it has no blocks, and its time in flight is busy time, for the program waits for it.
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
    OPERATION_ALL = OPERATIONS /* those that have bytes */
};

/* read, write, sync, trim; all. */
extern const char *const operation_names[OPERATIONS + 1];

static inline bool operation_moves_data(int op)
{
    return op != OPERATION_SYNC;
}

/* Is `op` that operation, or one of "all"? */
static inline bool operation_is_of(int of, int op)
{
    return of == OPERATION_ALL ? operation_moves_data(op) : of == op;
}

/* A set of operations has bit `op` of each that is in it. */
#define OPERATION_SET_ALL ((1u << OPERATIONS) - 1)

static inline bool operation_set_has(unsigned set, int op)
{
    return set >> op & 1;
}

/* How many of the set have bytes. */
static inline unsigned operation_set_moving(unsigned set)
{
    return (unsigned)__builtin_popcount(set & ~(1u << OPERATION_SYNC));
}

/* The operation of that name; OPERATION_ALL: "all", "" or another word. */
int operation_by_name(const char *name);

#endif
