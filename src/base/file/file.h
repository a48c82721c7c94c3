/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files as a whole: what the writers of records and reports need. All of it blocks and allocates,
 * so none of it belongs into a running measurement. Messages name the path and the system's reason.
 */
#ifndef CUPEL_BASE_FILE_H
#define CUPEL_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* All of it, over short writes and interrupts. `path` is for the message only. ERR_TARGET. */
int write_all(int fd, const void *data, size_t length, const char *path, struct err *e);

/*
 * The whole of a file of at most `max` bytes, with a '\0' after it that `*length` does not count.
 * The caller frees *data. ERR_USAGE when it cannot be read or is longer, ERR_MACHINE without
 * memory; *data is then NULL. `length` may be NULL. A regular file that is longer is refused after
 * its first 64 KiB.
 */
int file_read_all(const char *path, size_t max, char **data, size_t *length, struct err *e);

/*
 * The same for a file that must begin with `mark`, which is looked at before the rest is read: a
 * device without an end is refused at once. ERR_USAGE "PATH: not NAME" for any other.
 */
int file_read_kind(const char *path, const char *mark, const char *name, size_t max, char **data,
                   size_t *length, struct err *e);

/* The first line of a file as /proc and /sys have them, without its end. False, and "", when there
   is none. Allocates nothing that stays. */
bool file_first_line(const char *path, char *line, size_t size);

/* A path by its parts. False when it is too long; `to` is then a part of it. */
bool file_path(char to[PATH_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A new folder; its parent must be there. ERR_USAGE when anything of that name exists. */
int dir_make_new(const char *path, struct err *e);

/* The same, or an empty folder that is there already. */
int dir_make_or_empty(const char *path, struct err *e);

/* Closes the files with these numbers, both included, that are open. Nothing when first > last. */
void files_close(unsigned first, unsigned last);

/* Lets the process have so many files open, as far as that is permitted. */
void files_permit(size_t count);

/*
 * Files of results. All that cupel writes and did not open with O_EXCL itself goes this way: whole
 * or not at all, also after a crash, and never through a link.
 *
 * write_file_new: the name must be new, ERR_USAGE. write_file_over: it may also be that of a
 * regular file that begins with `mark` ("": in a folder that is known to be ours), ERR_USAGE
 * otherwise, and keeps its owner and permissions; of a file that was put there after the look the
 * name is given back. ERR_TARGET: it cannot be written; what was there is as it was.
 */
#define FILE_MARK_MAX 64
int write_file_new(const char *folder, const char *name, const void *data, size_t length,
                   struct err *e);
int write_file_over(const char *folder, const char *name, const char *mark, const void *data,
                    size_t length, struct err *e);

/* Before anything is measured: nothing is there, or what write_file_over may replace. ERR_USAGE. */
int file_may_be_written_over(const char *path, const char *mark, struct err *e);

#endif
