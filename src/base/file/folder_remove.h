/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only functions with which cupel removes a folder of its own and everything in it: by
 * descriptors, one level at a time, through no symbolic link and across no mount. Paths are not
 * used, because a path may lead somewhere else each time, and st_dev does not show a bind mount of
 * the same filesystem. Any thread.
 */
#ifndef CUPEL_BASE_FILE_FOLDER_REMOVE_H
#define CUPEL_BASE_FILE_FOLDER_REMOVE_H

#include <limits.h>
#include <stddef.h>

/* The names that a removal could not remove: their number, the first one, and the reason for it (an
   errno; EXDEV: it is a mount, or may be one). */
struct folder_left {
    size_t count;
    char first[PATH_MAX + NAME_MAX + 1];
    int reason;
};

/* Opens a folder by its name, which must not be a link. Call it at once when the folder is made,
   and keep the descriptor until folder_remove. Returns -1 with errno. */
int folder_open(const char *path);

/*
 * Opens the folder `name` that lies directly in `folder`, on the same mount. Returns -1 with errno.
 * EXDEV: something is mounted there, or this kernel has no means to find out (neither openat2 nor
 * mount numbers of statx); ELOOP or ENOTDIR: it is a link.
 */
int folder_enter(int folder, const char *name);

/*
 * Removes everything in the open folder, and then the folder, if `path` still leads to it. A mount
 * in it is not entered and stays, and so do the folders above it. If something is mounted over the
 * folder itself, or another folder is in its place, nothing is removed. Closes `fd`. Returns
 * left->count, 0 when everything was removed. `left` may be NULL.
 */
size_t folder_remove(int fd, const char *path, struct folder_left *left);

#endif
