/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tar archive, unpacked into a folder that is empty and our own. */
#ifndef CUPEL_HW_TAR_UNPACK_H
#define CUPEL_HW_TAR_UNPACK_H

#include <stddef.h>

#include "base/err.h"

#define TAR_MOST_BYTES   ((size_t)512 << 20)
#define TAR_MOST_ENTRIES 400000

/*
 * `fd` is the archive, a regular file of which less than 1 MiB is in memory at a time; `file` is
 * its name for messages. Files get mode 0600, or 0 where nobody could read them. ERR_USAGE: the
 * archive is damaged, is no capture, or is larger than TAR_MOST_BYTES, which is told before
 * anything is read; ERR_MACHINE: the folder cannot take it. What was unpacked until then stays.
 */
int tar_unpack(const char *file, int fd, const char *folder, struct err *e);

#endif
