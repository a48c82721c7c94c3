/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Large blocks of memory, given again: readers take buffers of hundreds of KiB, and to have each
 * mapped and unmapped by the sanitizer's allocator would be most of what fuzzing does. Only blocks
 * of exactly the same size are reused, poisoned in between, so that every access past an end or
 * after free() is seen as before; above a MiB, where poisoning takes too long, past an end only. In
 * the fuzzers only: the linker hands malloc() and its like here.
 */
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE  ((size_t)16 << 10)
#define HUGE   ((size_t)1 << 20)
#define PAGE   4096
#define BLOCKS 24

static struct {
    void *at; /* free, NULL: none */
    size_t size;
} blocks[BLOCKS];

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

static void *take(size_t size)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].at && blocks[i].size == size) {
            void *at = blocks[i].at;
            blocks[i].at = NULL;
            if (size < HUGE)
                __asan_unpoison_memory_region(at, size);
            return at;
        }
    }
    return NULL;
}

/* Whole pages of a large one come back from the system as zeros when they are touched. */
static void *clear(unsigned char *at, size_t bytes)
{
    if (bytes < HUGE)
        return memset(at, 0, bytes);
    unsigned char *first = at + (PAGE - (uintptr_t)at % PAGE) % PAGE, *end = at + bytes;
    unsigned char *last = end - (uintptr_t)end % PAGE;
    memset(at, 0, (size_t)(first - at));
    memset(last, 0, (size_t)(end - last));
    if (madvise(first, (size_t)(last - first), MADV_DONTNEED))
        memset(first, 0, (size_t)(last - first));
    return at;
}

void *__wrap_malloc(size_t size)
{
    void *at = size >= LARGE ? take(size) : NULL;
    return at ? at : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t bytes;
    void *at = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes >= LARGE)
        at = take(bytes);
    return at ? clear(at, bytes) : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!old)
        return __wrap_malloc(size);
    size_t before = __sanitizer_get_allocated_size(old);
    if (before < LARGE && size < LARGE)
        return __real_realloc(old, size);
    void *at = __wrap_malloc(size);
    if (at) {
        memcpy(at, old, before < size ? before : size);
        __wrap_free(old);
    }
    return at;
}

void __wrap_free(void *block)
{
    if (!block)
        return;
    size_t size = __sanitizer_get_allocated_size(block);
    for (size_t i = 0; size >= LARGE && i < BLOCKS; i++) {
        if (blocks[i].at == block)
            break; /* twice: the allocator says so */
        if (!blocks[i].at) {
            blocks[i].at = block;
            blocks[i].size = size;
            if (size < HUGE)
                __asan_poison_memory_region(block, size);
            return;
        }
    }
    __real_free(block);
}
/* NOLINTEND(bugprone-reserved-identifier) */
