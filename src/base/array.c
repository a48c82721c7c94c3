/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 32

bool array_grow(void *array, size_t size, size_t count, size_t *capacity)
{
    void *elements;
    if (count < *capacity)
        return true;
    const size_t larger = *capacity ? 2 * *capacity : CAPACITY_FIRST;
    memcpy(&elements, array,
           sizeof elements); /* pointers of another type must not be read as void * */
    void *more = reallocarray(elements, larger, size);
    if (!more)
        return false;
    memcpy(array, &more, sizeof more);
    *capacity = larger;
    /* cppcheck-suppress memleak ; the caller has it, by memcpy */
    return true;
}
