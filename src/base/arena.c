/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocates the arena as one anonymous mapping. */
#include "base/arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

int arena_init(struct arena *a, size_t capacity, struct err *e)
{
    *a = (struct arena){0};
    void *base = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return err_no_memory(e, "%zu MiB in one piece (%s)", capacity >> 20, strerror(errno));
    a->base = base;
    a->capacity = capacity;
    return 0;
}

int arena_init_untouched(struct arena *a, size_t capacity, struct err *e)
{
    if (arena_init(a, capacity, e))
        return -1;
    a->untouched = capacity;
    return 0;
}

void arena_free(struct arena *a)
{
    if (a->base)
        munmap(a->base, a->capacity);
    *a = (struct arena){0};
}

size_t arena_bytes(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ARENA_ALIGNMENT) / size)
        return SIZE_MAX;
    return (count * size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    size_t bytes = arena_bytes(count, size);
    if (bytes > a->capacity - a->used)
        return NULL;
    unsigned char *p = a->base + a->used;
    size_t zero = a->capacity - a->untouched; /* offset after which the memory is still zero */
    size_t unclear = zero > a->used ? zero - a->used : 0;
    memset(p, 0, unclear < bytes ? unclear : bytes);
    a->used += bytes;
    if (a->used > zero)
        a->untouched = a->capacity - a->used;
    return p;
}

size_t arena_mark(const struct arena *a)
{
    return a->used;
}

void arena_reset(struct arena *a, size_t mark)
{
    a->used = mark;
}
