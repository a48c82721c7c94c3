/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files and devices that this process has read as input: traces, plans, job files, profiles. A
 * target that is written is never one of them, under any name. Any thread.
 */
#ifndef CUPEL_BASE_FILE_INPUT_FILES_H
#define CUPEL_BASE_FILE_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

void input_files_add(int fd); /* ignores what is neither a regular file nor a block device */

/* The entry with that index, with type, filesystem, inode and device number; false after the
   last. */
bool input_files_at(size_t index, struct stat *st);

/* Is it one of the input files? Also true when there was no memory to keep them all. */
bool input_files_has(const struct stat *st);

#endif
