/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mounted filesystem that a path lies on, out of /proc/self/mountinfo (proc_pid_mountinfo(5)).
 */
#ifndef CUPEL_HW_MOUNT_H
#define CUPEL_HW_MOUNT_H

#include <sys/types.h>

#include "base/fact.h"
#include "hw/sysroot.h"

#define MOUNT_FILE "/proc/self/mountinfo"

struct mount {
    dev_t device; /* major 0 for tmpfs, overlay, btrfs, nfs ... */
    char type[32];
    char source[256]; /* "/dev/sda2", "tmpfs", "server:/export" */
    char point[1024];
    char options[256];        /* of this mount */
    char super_options[1024]; /* of the filesystem */
    char upper_folder[1024];  /* of an overlay: where what is written to it lies; "" otherwise */
};

/*
 * The mount of `path`, which is absolute and without symbolic links: the longest mount point above
 * it, of those with `device` if there are any. FACT_ABSENT when there is none. Text that does not
 * fit its room ends in "...".
 */
enum fact_status mount_find(const struct sysroot *root, const char *path, dev_t device,
                            struct mount *found);

#endif
