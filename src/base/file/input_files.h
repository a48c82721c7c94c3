/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files and devices that this process has read as its input: traces, plans, job files,
 * profiles. None of them is ever a target that is written, whatever its name. Any thread.
 */
#ifndef CUPEL_BASE_INPUT_FILES_H
#define CUPEL_BASE_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

void input_files_add(int fd); /* what is no regular file and no block device is let be */

/* The one of that index, with type, filesystem, inode and device number; false after the last. */
bool input_files_at(size_t index, struct stat *st);

/* Is it one of them? Also true when there was no memory to keep them all. */
bool input_files_has(const struct stat *st);

#endif
