/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a tar archive that lies in memory and may hold anything: POSIX ustar with pax records,
 * and what GNU tar writes by default.
 *
 * Only files, folders and symbolic links with names that stay inside come out; the rest of what tar
 * knows is refused. Nothing is allocated, and the archive is not changed.
 */
#ifndef CUPEL_HW_TAR_READ_H
#define CUPEL_HW_TAR_READ_H

#include <stddef.h>

#include "base/err.h"

#define TAR_NAME 1024 /* bytes of a name with its end */

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK };

struct tar_member {
    enum tar_kind kind;
    unsigned mode; /* permission bits */
    size_t length;
    const char *data;      /* of the archive */
    char name[TAR_NAME];   /* relative, parts neither empty nor "." or ".." nor above 255 bytes */
    char target[TAR_NAME]; /* of a link, relative: ".." only at its start and not above the top */
};

struct tar_reader {
    const char *data;
    size_t length, at;
    size_t members;   /* looked at so far, for messages */
    const char *file; /* for messages */
};

/* 1 with the next member, 0 at the end mark, -1: ERR_USAGE, the archive is not one to unpack. A
   member that stands for the top folder itself ("./") is passed over. */
int tar_next(struct tar_reader *r, struct tar_member *m, struct err *e);

#endif
