/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An arena: one block of memory that is reserved once, handed out in order, and given back all at
 * once.
 *
 * The caller of arena_init frees the arena with arena_free. Pieces are not freed one by one;
 * arena_reset gives back everything handed out since arena_mark. Memory from arena_alloc is zero
 * and aligned to 64 bytes (a cache line). When the arena is used up arena_alloc returns NULL:
 * compute its size beforehand with the `..._scratch_bytes` functions of its users. One thread at
 * a time.
 */
#ifndef CUPEL_BASE_ARENA_H
#define CUPEL_BASE_ARENA_H

#include <stddef.h>

#include "base/err.h"

#define ARENA_ALIGNMENT 64

struct arena {
    unsigned char *base;
    size_t used;
    size_t capacity;
    /* bytes at the end that were never handed out and are still zero: arena_alloc need not clear
       them */
    size_t untouched;
};

/*
 * Both reserve `capacity` bytes. ERR_MACHINE: the system does not have that much memory. arena_init
 * touches every page at once, so that a measurement never waits for a page. With
 * arena_init_untouched a page is allocated at its first use: for arenas that are used outside of
 * measurements and stay mostly empty.
 */
int arena_init(struct arena *a, size_t capacity, struct err *e);
int arena_init_untouched(struct arena *a, size_t capacity, struct err *e);
void arena_free(struct arena *a);

void *arena_alloc(struct arena *a, size_t count, size_t size);
size_t arena_mark(const struct arena *a);
void arena_reset(struct arena *a, size_t mark);

/* Returns the bytes that an allocation of `count` elements of `size` bytes takes from an arena.
   Callers use it to compute the arena's capacity. */
size_t arena_bytes(size_t count, size_t size);

#endif
