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
           /* The pointer is copied with memcpy, because C forbids to read a pointer of another type
              as a void * */
           sizeof elements);
    void *more = reallocarray(elements, larger, size);
    if (!more)
        return false;
    memcpy(array, &more, sizeof more);
    *capacity = larger;
    /* cppcheck-suppress memleak ; memcpy has stored the pointer in the caller's variable */
    return true;
}
