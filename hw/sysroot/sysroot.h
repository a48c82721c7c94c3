/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rooted reads: every look into /sys and /proc goes through one handle, so that a captured tree
 * below a folder is read exactly like the machine itself.
 *
 * Only regular files are read, so that no pipe or device in a captured tree can hold us up. In a
 * captured tree a file that nobody may read (mode 0) is denied to root as well. Nothing is kept
 * open but the folder of sysroot_near_open; any thread may read.
 */
#ifndef CUPEL_HW_SYSROOT_SYSROOT_H
#define CUPEL_HW_SYSROOT_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "facts/fact.h"

/* Called for every file, folder and link that is looked at, there or not: a capture keeps them. */
struct sysroot_watcher {
    void (*saw)(void *context, const char *path);
    void *context;
};

struct sysroot {
    char prefix[512];                      /* "" for this machine */
    const struct sysroot_watcher *watcher; /* NULL: nobody */
    const char *near; /* of sysroot_near_open: what lies below is read from the open folder */
    size_t near_length;
    int near_fd;
};

/* `folder` NULL or "/" means this machine. ERR_USAGE when it is no folder. */
int sysroot_open(struct sysroot *root, const char *folder, struct err *e);

/*
 * The same root for many looks below one folder: the kernel walks the way to it only once, which is
 * most of what a look costs. Paths stay whole ones; those that lead elsewhere are read as before.
 * `folder` stays the caller's, unchanged until sysroot_near_close; it need not be there.
 */
void sysroot_near_open(struct sysroot *near, const struct sysroot *root, const char *folder);
void sysroot_near_close(struct sysroot *near);

/* The path below the root, for open() and friends. Writes to `to`, returns it; "" when it does not
 * fit. */
char *sysroot_path(const struct sysroot *root, char *to, size_t size, const char *path);

/* FOLDER/NAME into `to`, returned; "" when it does not fit. Thousands of these are made. */
char *sysroot_join(char *to, size_t size, const char *folder, const char *name);

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

/*
 * Up to `size` bytes of a file that need not be text, from its start. *got is how many there are.
 */
enum fact_status sysroot_bytes(const struct sysroot *root, const char *path, void *to, size_t size,
                               size_t *got);

/* Is there a file or folder, also where links lead? */
bool sysroot_exists(const struct sysroot *root, const char *path);

/* The names in a folder, sorted (numbers by value: "cpu2" before "cpu10"), without those that start
   with a dot. Owner of the list: sysroot_names_free, also after a failure. */
struct sysroot_names {
    size_t count;
    const char **names;
    struct pool strings;
};
enum fact_status sysroot_list(const struct sysroot *root, const char *path,
                              struct sysroot_names *names);
void sysroot_names_free(struct sysroot_names *names);

/* The last part of what a symbolic link points to: "nvme" for .../subsystem. */
enum fact_status sysroot_link(const struct sysroot *root, const char *path, char *to, size_t size);

/* The folder that a symbolic link of /sys points to, from /sys on and without links of its own:
   "/sys/devices/pci0000:00/..." for /sys/class/net/eth0. `path` itself when it is no link. */
enum fact_status sysroot_folder(const struct sysroot *root, const char *path, char *to,
                                size_t size);

/* The same for what must be a link: FACT_ABSENT when it is none, and `to` is `path`. */
enum fact_status sysroot_follow(const struct sysroot *root, const char *path, char *to, size_t size,
                                bool *absolute);

#endif
