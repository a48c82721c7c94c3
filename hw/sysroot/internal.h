/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/sysroot share. */
#ifndef CUPEL_HW_SYSROOT_INTERNAL_H
#define CUPEL_HW_SYSROOT_INTERNAL_H

#include <limits.h>

#include "hw/sysroot/sysroot.h"

/* The place of a path: below the folder that is kept open if possible, else from the root on. */
struct sysroot_place {
    int at;
    const char *name;
    char full[PATH_MAX];
};

/* Finds the place of a path, and shows the path to the watcher. `full` is valid as long as
   `place`. */
void sysroot_locate(const struct sysroot *root, const char *path, struct sysroot_place *place);

/* The fact status for an errno of open, read and the like. */
enum fact_status sysroot_status(int error);

#endif
