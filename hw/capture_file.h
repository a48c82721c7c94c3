/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that gets its name when it is whole, and never replaces another.
 *
 * Where the filesystem can, it has no name until then (O_TMPFILE), so that nothing is left even of
 * a process that is killed; elsewhere it is NAME.part-XXXXXX.
 */
#ifndef CUPEL_HW_CAPTURE_FILE_H
#define CUPEL_HW_CAPTURE_FILE_H

#include <limits.h>
#include <stddef.h>

#include "base/err.h"

struct capture_file {
    const char *name; /* the caller's */
    int fd;
    char part[PATH_MAX]; /* its name until then; "": it has none */
};

/* ERR_USAGE: there is something of that name, or nothing can be made there. After an error there is
   nothing to close. */
int capture_file_open(struct capture_file *f, const char *name, struct err *e);

/* Write all of it, flush it and give it its name. ERR_TARGET: that fails; ERR_USAGE: the name was
   taken meanwhile. Once. */
int capture_file_keep(struct capture_file *f, const void *data, size_t length, struct err *e);

/* What was not kept is gone. */
void capture_file_close(struct capture_file *f);

#endif
