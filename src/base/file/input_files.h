/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files and devices that this process has read as input: traces, plans, job files, profiles. A
 * target that is written must not be one of them, under any name. Any thread.
 */
#ifndef CUPEL_BASE_FILE_INPUT_FILES_H
#define CUPEL_BASE_FILE_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* adds the open file; ignores anything but a regular file or a block device */
void input_files_add(int fd);

/* Stores type, filesystem, inode and device number of the entry with that index. Returns false
   after the last entry. */
bool input_files_at(size_t index, struct stat *st);

/* Returns true if the file is one of the input files, and also when there was no memory to store
   all of them. */
bool input_files_has(const struct stat *st);

#endif
