/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one way to remove a folder of our own with all that is in it: by descriptors, one level at a
 * time, through no symbolic link and across no mount. A path may lead somewhere else at every look;
 * st_dev says nothing about a bind mount of the same filesystem. Any thread.
 */
#ifndef CUPEL_BASE_FOLDER_REMOVE_H
#define CUPEL_BASE_FOLDER_REMOVE_H

#include <limits.h>
#include <stddef.h>

/* What a removal left: names that are still there, the first of them, and why (an error number;
   EXDEV: it is a mount, or cannot be known not to be one). */
struct folder_left {
    size_t count;
    char first[PATH_MAX + NAME_MAX + 1];
    int reason;
};

/* Open a folder by its name, which leads through no link at its end. To be kept from the moment
   when it was made until folder_remove. -1 with errno. */
int folder_open(const char *path);

/*
 * Open the folder `name` that lies directly in `folder`, on the same mount. -1 with errno: EXDEV
 * when something is mounted there, or when this kernel has no means to find out (neither openat2
 * nor mount numbers of statx); ELOOP or ENOTDIR for a link.
 */
int folder_enter(int folder, const char *name);

/*
 * Remove what the open folder holds, and then the folder, if `path` still leads to it. A mount in
 * it is not entered and stays, and so do the folders above it. With something mounted over the
 * folder itself, or another one in its place, nothing is removed. Closes `fd`. Returns left->count,
 * 0 when all is gone. `left` may be NULL.
 */
size_t folder_remove(int fd, const char *path, struct folder_left *left);

#endif
