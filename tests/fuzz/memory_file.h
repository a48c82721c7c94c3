/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that are only in memory, for harnesses: the linker hands open(), read() and their like to
 * memory_file.c (--wrap), so that a reader which takes a path reads the fuzzer's bytes without any
 * system call. All other paths are the system's. One thread. After the number a name may go on with
 * "_", for readers that look at it.
 */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>

#define MEMORY_FILES 4
#define MEMORY_FILE  "/memory/0"
#define MEMORY_FILE1 "/memory/1"

/* The bytes stay the caller's, as long as the file is used. */
void memory_file_set(size_t i, const void *bytes, size_t length);

/* For readers that take a descriptor. */
int memory_file_open(size_t i);
void memory_file_close(int fd);

#endif
