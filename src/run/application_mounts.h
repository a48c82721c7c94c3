/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where filesystems are mounted, by the numbers of their devices. Plain memory of the caller. */
#ifndef CUPEL_RUN_APPLICATION_MOUNTS_H
#define CUPEL_RUN_APPLICATION_MOUNTS_H

#include <stddef.h>
#include <stdint.h>

#define MOUNTS_MOST       128
#define MOUNT_POINT_BYTES 128

struct mounts {
    struct {
        uint32_t device; /* as the kernel's events have it: major << 20 | minor */
        char point[MOUNT_POINT_BYTES];
    } rows[MOUNTS_MOST]; /* of whole filesystems, the first mount of each */
    size_t count;
};

/* Read them anew from /proc/self/mountinfo. */
void mounts_read(struct mounts *m);

/* "/a/b" on the filesystem becomes "/srv/a/b". A filesystem that was mounted meanwhile is found; a
   path on one that is not there stays as it is. */
void mounts_place(struct mounts *m, uint32_t device, char *path, size_t size);

#endif
