/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files as a whole, for the writers of records and reports. All functions block and allocate, so a
 * running measurement must not call them. Messages name the path and the system's reason.
 */
#ifndef CUPEL_BASE_FILE_FILE_H
#define CUPEL_BASE_FILE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Writes all bytes, despite short writes and interrupts. `path` is only for the message. Errors:
   ERR_TARGET. */
int write_all(int fd, const void *data, size_t length, const char *path, struct err *e);

/* Send and receive a message as a whole, despite interrupts. Messages are smaller than any socket's
   buffer. Return false with errno; a message that is cut off is an error, too. */
bool send_message(int socket, const void *data, size_t length);
bool receive_message(int socket, void *data, size_t length);

/* Flushes written data to the medium (fdatasync). Errors: ERR_TARGET, with the same message as
   write_all. */
int flush_data(int fd, const char *path, struct err *e);

/*
 * Reads a whole file of at most `max` bytes and puts a '\0' after it, which `*length` does not
 * count. The caller frees *data. ERR_USAGE: the file cannot be read, or is longer. ERR_MACHINE:
 * there is no memory. *data is NULL after an error. `length` may be NULL. A regular file that is
 * longer is refused after its first 64 KiB.
 */
int file_read_all(const char *path, size_t max, char **data, size_t *length, struct err *e);

/*
 * Like file_read_all, for a file that must begin with `mark`. The mark is checked before the rest
 * is read, so an endless device is refused at once. For any other file the error is ERR_USAGE
 * "PATH: not NAME".
 */
int file_read_kind(const char *path, const char *mark, const char *name, size_t max, char **data,
                   size_t *length, struct err *e);

/* Reads the first line of a file such as those of /proc and /sys, without its line end. Returns
   false, and `line` is "", if there is no line. Leaves no memory allocated. */
bool file_first_line(const char *path, char *line, size_t size);

/* Returns true if the file begins with these bytes; false also when it cannot be read. */
bool file_has_mark(const char *path, const char *mark);

/* Returns true for a folder and for a link to one. */
bool dir_exists(const char *path);

/* Builds a path as printf does. Returns false when the path is too long; `to` is then cut. */
bool file_path(char to[PATH_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes a new folder; its parent must exist. ERR_USAGE: something has that name already. */
int dir_make_new(const char *path, struct err *e);

/* Like dir_make_new, but the folder may exist already if it is empty. */
int dir_make_or_empty(const char *path, struct err *e);

/* Flushes the names in a folder to the medium; also succeeds on a filesystem without such a flush,
   which does not need one. Returns -1 with errno. */
int dir_flush(const char *folder);

/* Returns what a message adds when a file or folder cannot be made: "; make room and run again"; or
   "". */
const char *file_remedy(int error);

/* Returns what a message adds when a program cannot be started: that there is no /dev/null here,
   which programs get as their standard input; or "". */
const char *file_missing_null(void);

/* Closes all open descriptors from `first` to `last`; none when first > last. */
void files_close(unsigned first, unsigned last);

/* Raises this process's limit of open files to `count`, or as far as permitted. */
void files_permit(size_t count);

/*
 * Files of results. cupel writes every file that it did not open with O_EXCL by these functions:
 * whole or not at all, even after a crash, and never through a link.
 *
 * write_file_new: the name must be new, else ERR_USAGE. write_file_over: a regular file may have
 * the name if it begins with `mark` ("": any file, in a folder that cupel made), else ERR_USAGE;
 * the new file keeps its owner and permissions. If another file was put there after the check,
 * that file gets its name back. ERR_TARGET: the file cannot be written, and the old one is
 * unchanged.
 */
#define FILE_MARK_MAX 64
int write_file_new(const char *folder, const char *name, const void *data, size_t length,
                   struct err *e);
int write_file_over(const char *folder, const char *name, const char *mark, const void *data,
                    size_t length, struct err *e);

/* Checks before a measurement that nothing is at `path`, or only a file that write_file_over may
   replace. Errors: ERR_USAGE. */
int file_may_be_written_over(const char *path, const char *mark, struct err *e);

#endif
