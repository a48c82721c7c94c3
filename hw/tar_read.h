/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a tar archive that may hold anything: POSIX ustar with pax records, and what GNU tar
 * writes by default.
 *
 * Only files, folders and symbolic links with names that stay inside come out; the rest of what tar
 * knows is refused. Nothing is allocated: of a file of any size a window is in memory.
 */
#ifndef CUPEL_HW_TAR_READ_H
#define CUPEL_HW_TAR_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TAR_NAME   1024       /* bytes of a name with its end */
#define TAR_WINDOW (64 << 10) /* and the most that the records before a member may have */

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK };

struct tar_member {
    enum tar_kind kind;
    unsigned mode;         /* permission bits */
    uint64_t at, length;   /* of its contents, in the archive */
    char name[TAR_NAME];   /* relative, parts neither empty nor "." or ".." nor above 255 bytes */
    char target[TAR_NAME]; /* of a link, relative: ".." only at its start and not above the top */
};

/* Begin with zeros, but for the first three. */
struct tar_reader {
    int fd;           /* a regular file, read by place; stays the caller's */
    uint64_t length;  /* bytes of the archive */
    const char *file; /* for messages */
    size_t members;   /* looked at so far, for messages */
    uint64_t at, window_at;
    size_t window_length;
    char window[TAR_WINDOW];
};

/* 1 with the next member, 0 at the end mark, -1: ERR_USAGE, the archive is not one to unpack. A
   member that stands for the top folder itself ("./") is passed over. */
int tar_next(struct tar_reader *r, struct tar_member *m, struct err *e);

/*
 * The contents of a member from the byte `from` on, which must be below m->length: as many as fit
 * into the window, *length, until the next call for this reader. NULL: ERR_USAGE, they cannot be
 * read.
 */
const char *tar_contents(struct tar_reader *r, const struct tar_member *m, uint64_t from,
                         size_t *length, struct err *e);

#endif
