/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The paths that a capture holds: what was looked at, with every link and folder on the way there.
 *
 * Below /sys a path is followed link by link; what is kept are the links as they are, and the
 * folder or file they lead to under its own name, so that every link that is kept leads somewhere.
 * Below /proc links are followed and what they lead to is kept in their place (/proc/self depends
 * on who looks). Of a folder that was looked at the names of its folders and links are kept too,
 * for it may have been listed; a link that is absolute is not kept.
 *
 * Owner: capture_paths_free. One thread.
 */
#ifndef CUPEL_HW_CAPTURE_PATHS_H
#define CUPEL_HW_CAPTURE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "hw/sysroot.h"

/* A set of strings. Of zeros: empty. */
struct path_set {
    const char **paths; /* in the order they came, until they are sorted */
    size_t count, capacity;
    size_t *table; /* 1 + index; 0: free */
    size_t table_size;
};

struct capture_paths {
    const struct sysroot *root;
    struct path_set asked, kept;
    struct pool strings;
    bool failed; /* memory ran out */
};

/* A path was looked at, there or not. */
void capture_paths_see(struct capture_paths *c, const char *path);

/* The same for all that are there: a part that is or holds a '*' stands for any name (base/glob.h).
 */
void capture_paths_see_all(struct capture_paths *c, const char *pattern);

/* Sort `kept`, so that a folder comes before what is in it. Nothing is seen after that. */
void capture_paths_sort(struct capture_paths *c);

void capture_paths_free(struct capture_paths *c);

#endif
