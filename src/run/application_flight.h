/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * I/Os of a recording that have begun and not ended: system calls by their thread, block requests
 * by device and sector. A hash table of fixed size with linear probing; one thread at a time.
 */
#ifndef CUPEL_RUN_APPLICATION_FLIGHT_H
#define CUPEL_RUN_APPLICATION_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct flight {
    uint64_t key; /* not 0 */
    uint64_t begin_ns;
    uint64_t offset, second_offset; /* bytes; of the first and the second file */
    uint64_t asked;                 /* bytes */
    uint32_t process;
    uint32_t number;      /* of the system call */
    int32_t file, second; /* indices of files, or below 0 */
    uint8_t op;           /* enum application_op of a block request */
    bool own;             /* a request of the program's own processes */
    bool durable;
};

struct flight_table {
    struct flight *slots;
    size_t mask; /* number of slots, a power of two, less one */
    size_t count;
};

/* ERR_MACHINE: no room in the arena. `slots` is a power of two. */
int flight_table_init(struct flight_table *t, struct arena *arena, size_t slots, struct err *e);
size_t flight_table_bytes(size_t slots);

/* The one with that key, or NULL. It moves when another one is removed. */
struct flight *flight_find(struct flight_table *t, uint64_t key);

/* A new one, cleared but for its key; one that has the key already is cleared too. NULL: the table
   is three quarters full. */
struct flight *flight_begin(struct flight_table *t, uint64_t key);

void flight_remove(struct flight_table *t, struct flight *f);

#endif
