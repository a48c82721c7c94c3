/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether what stands at a path is still the disk that it was: names are given again to others. */
#ifndef CUPEL_QUALIFY_DISK_IDENTITY_H
#define CUPEL_QUALIFY_DISK_IDENTITY_H

#include <stdbool.h>

#include "base/err.h"
#include "hw/sysroot.h"

struct disk_identity {
    char path[256];    /* what is opened */
    char sequence[24]; /* the kernel's number of this disk, which no other gets until the machine is
                          switched off; "": it does not say (before Linux 5.15) */
};

/* `path` and what the kernel says of it now. */
void disk_identity_take(struct disk_identity *d, const struct sysroot *root, const char *path);

/* 0: the same disk still, with that serial number ("": it has none). ERR_UNSAFE: another one, or
   none. The machine is looked at anew. */
int disk_identity_check(const struct disk_identity *d, const struct sysroot *root,
                        const char *serial, struct err *e);

#endif
