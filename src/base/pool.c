/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores strings in blocks that never move. */
#include "base/pool.h"

#include <stdlib.h>

#include "base/span.h"

#define FIRST_BYTES ((size_t)1 << 10) /* small, because most pools contain only a few names */
#define MAX_BYTES   ((size_t)32 << 10)

struct pool_block {
    struct pool_block *next;
    size_t used, capacity;
    char data[];
};

static struct pool_block *add_block(struct pool *p, size_t min)
{
    size_t capacity = p->blocks ? 2 * p->blocks->capacity : FIRST_BYTES;
    if (capacity > MAX_BYTES)
        capacity = MAX_BYTES;
    if (capacity < min)
        capacity = min;
    struct pool_block *block = malloc(sizeof *block + capacity);
    if (!block)
        return NULL;
    *block = (struct pool_block){.next = p->blocks, .capacity = capacity};
    p->blocks = block;
    return block;
}

const char *pool_copy(struct pool *p, const char *text, size_t length)
{
    struct pool_block *block = p->blocks;
    if (!block || block->capacity - block->used < length + 1)
        block = add_block(p, length + 1);
    if (!block)
        return NULL;
    char *to = block->data + block->used;
    span_copy(to, (struct span){text, length});
    block->used += length + 1;
    return to;
}

void pool_free(struct pool *p)
{
    while (p->blocks) {
        struct pool_block *next = p->blocks->next;
        free(p->blocks);
        p->blocks = next;
    }
}
