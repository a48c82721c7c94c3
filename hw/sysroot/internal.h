/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/sysroot share. */
#ifndef CUPEL_HW_SYSROOT_INTERNAL_H
#define CUPEL_HW_SYSROOT_INTERNAL_H

#include <limits.h>

#include "hw/sysroot/sysroot.h"

/* Where a path leads: below the folder that is kept open when it can, else from the root on. */
struct sysroot_place {
    int at;
    const char *name;
    char full[PATH_MAX];
};

/* Shows the path to the watcher. `full` stays until the place goes. */
void sysroot_locate(const struct sysroot *root, const char *path, struct sysroot_place *place);

/* The status of a fact after an errno of open, read and the like. */
enum fact_status sysroot_status(int error);

#endif
