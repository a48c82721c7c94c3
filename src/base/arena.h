/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An arena: one block of memory, reserved once, handed out in order, given back all at once.
 *
 * Owner: whoever called arena_init calls arena_free. Nothing that comes out of it is freed by
 * itself; arena_reset gives back everything handed out since arena_mark. Memory from arena_alloc is
 * zero and aligned to 64 bytes (a cache line). When it is used up arena_alloc returns NULL:
 * size it beforehand with the `..._scratch_bytes` function of what will use it. One thread at a
 * time.
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
    size_t untouched; /* bytes at its end that are zero: arena_alloc need not clear them */
};

/*
 * Reserve `capacity` bytes. ERR_MACHINE when the system has not that much. What arena_alloc hands
 * out is there at once: nothing waits for a page while it is measured. Of arena_init_untouched
 * pages come when they are first used: for what is only read or computed, and mostly stays empty.
 */
int arena_init(struct arena *a, size_t capacity, struct err *e);
int arena_init_untouched(struct arena *a, size_t capacity, struct err *e);
void arena_free(struct arena *a);

void *arena_alloc(struct arena *a, size_t count, size_t size);
size_t arena_mark(const struct arena *a);
void arena_reset(struct arena *a, size_t mark);

/* What an allocation of `count` x `size` takes out of an arena, for sizing one. */
size_t arena_bytes(size_t count, size_t size);

#endif
