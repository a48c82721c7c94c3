/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rooted reads: every look into /sys and /proc goes through one handle, so that a captured tree
 * below a folder is read exactly like the machine itself.
 *
 * Only regular files are read, so that no pipe or device in a captured tree can hold us up. Nothing
 * is kept open; any thread may read.
 */
#ifndef CUPEL_HW_SYSROOT_H
#define CUPEL_HW_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/fact.h"

struct sysroot {
    char prefix[512]; /* "" for this machine */
};

/* `folder` NULL or "/" means this machine. ERR_USAGE when it is no folder. */
int sysroot_open(struct sysroot *root, const char *folder, struct err *e);

/* The path below the root, for open() and friends. Writes to `to`, returns it; "" when it does not
 * fit. */
char *sysroot_path(const struct sysroot *root, char *to, size_t size, const char *path);

/*
 * The first line of a file without its line end, or the whole file for the `_all` form, always
 * ended by '\0'. FACT_ABSENT, FACT_DENIED or FACT_INVALID (not text, or longer than `size`) leave
 * "" there.
 */
enum fact_status sysroot_line(const struct sysroot *root, const char *path, char *to, size_t size);
enum fact_status sysroot_all(const struct sysroot *root, const char *path, char *to, size_t size);

/*
 * Call `each` with every line until it returns false. Lines come without their end, cut at 16 KiB;
 * the file is followed for 64 MiB at most. The text is not checked.
 */
typedef bool sysroot_line_function(void *context, char *line);
enum fact_status sysroot_each_line(const struct sysroot *root, const char *path,
                                   sysroot_line_function *each, void *context);

/* The names in a folder, sorted, without those that start with a dot; at most SYSROOT_NAMES. */
#define SYSROOT_NAMES 64
struct sysroot_names {
    size_t count;
    char names[SYSROOT_NAMES][64];
};
enum fact_status sysroot_list(const struct sysroot *root, const char *path,
                              struct sysroot_names *names);

/* The last part of what a symbolic link points to: "nvme" for .../subsystem. */
enum fact_status sysroot_link(const struct sysroot *root, const char *path, char *to, size_t size);

#endif
