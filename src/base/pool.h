/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pool of strings: copies that keep their addresses until all are freed at once.
 *
 * The caller frees the pool with pool_free. A struct of zeros is an empty pool. One thread at a
 * time. Not for use while a run measures.
 */
#ifndef CUPEL_BASE_POOL_H
#define CUPEL_BASE_POOL_H

#include <stddef.h>

struct pool_block;

struct pool {
    struct pool_block *blocks; /* a list of blocks; the first one is being filled */
};

/* Returns a copy of the first `length` bytes, ended by '\0'; NULL when memory runs out. */
const char *pool_copy(struct pool *p, const char *text, size_t length);
void pool_free(struct pool *p);

#endif
