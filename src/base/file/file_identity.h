/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Identifies the file that a descriptor or a name leads to. A path may lead to a different file
 * each time; a descriptor cannot, and while it is open no other file gets the same number. Any
 * thread.
 */
#ifndef CUPEL_BASE_FILE_FILE_IDENTITY_H
#define CUPEL_BASE_FILE_FILE_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

/* True when both are the same file, folder or device node: kind, filesystem, inode and device
   number are equal. */
bool file_is_same(const struct stat *a, const struct stat *b);

/*
 * Opens `path` again with `flags` (O_CLOEXEC is added), if it is still the file that the descriptor
 * `looked` has open, which may be one with O_PATH. Where /proc is mounted the file is opened by the
 * descriptor `looked`, so that the path does not matter. The caller closes the new descriptor.
 * Returns -1 with errno; ESTALE: another file was found. Nothing is made or cut: O_CREAT and
 * O_TRUNC are not allowed.
 */
int file_reopen(int looked, const char *path, int flags);

/*
 * Removes the name `path`, below `folder` unless it is absolute (AT_FDCWD: the current folder), if
 * it is the file that `fd` has open; another file that was put there meanwhile stays. Before the
 * last check the file is renamed to an unpredictable name, because Linux removes names, not files.
 */
void file_remove(int fd, int folder, const char *path);

#endif
