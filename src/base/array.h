/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that become longer one element at a time: their memory doubles when it is full. */
#ifndef CUPEL_BASE_ARRAY_H
#define CUPEL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Allocates memory for one more element of `size` bytes after the first `count`. `array` is the
 * address of the pointer to the elements; the pointer and the capacity are 0 at first, and the
 * caller frees the elements. Returns false without memory; the array is then unchanged.
 */
bool array_grow(void *array, size_t size, size_t count, size_t *capacity);

#endif
