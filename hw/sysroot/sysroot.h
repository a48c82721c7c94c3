/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rooted reads: every read from /sys and /proc uses one handle, so that a captured tree below a
 * folder is read exactly like the machine itself.
 *
 * Only regular files are read, so that a pipe or device in a captured tree cannot block. In a
 * captured tree a file that nobody may read (mode 0) is denied to root as well. Only the folder of
 * sysroot_near_open is kept open; any thread may read.
 */
#ifndef CUPEL_HW_SYSROOT_SYSROOT_H
#define CUPEL_HW_SYSROOT_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "facts/fact.h"

/* Called for every file, folder and link that is looked at, whether it exists or not: a capture
   keeps them. */
struct sysroot_watcher {
    void (*saw)(void *context, const char *path);
    void *context;
};

struct sysroot {
    char prefix[512]; /* "" for this machine */
    bool by_number; /* in a captured tree without /sys/class/block, as lsblk's dumps are, the links
                       of /sys/dev/block stand for it */
    const struct sysroot_watcher *watcher; /* NULL: there is no watcher */
    const char *near; /* set by sysroot_near_open: paths below it are read from the open folder */
    size_t near_length;
    int near_fd;
};

/* `folder` NULL or "/" means this machine. ERR_USAGE when it is not a folder. */
int sysroot_open(struct sysroot *root, const char *folder, struct err *e);

/*
 * Opens the same root for many reads below one folder: the kernel then resolves the path to it only
 * once, which is most of the cost of a read. Paths are still complete; paths that lead elsewhere
 * are read as before. `folder` stays the caller's, and unchanged until sysroot_near_close; it need
 * not exist.
 */
void sysroot_near_open(struct sysroot *near, const struct sysroot *root, const char *folder);
void sysroot_near_close(struct sysroot *near);

/* Writes the path below the root, for open() and the like, to `to`, and returns it; "" when it does
   not fit. */
char *sysroot_path(const struct sysroot *root, char *to, size_t size, const char *path);

/* Writes FOLDER/NAME to `to`, and returns it; "" when it does not fit. It is fast, because it is
   called thousands of times. */
char *sysroot_join(char *to, size_t size, const char *folder, const char *name);

/*
 * Reads the first line of a file without its line end, or the whole file with the `_all` form,
 * always ended by '\0'. With FACT_ABSENT, FACT_DENIED or FACT_INVALID (not text, or longer than
 * `size`) `to` is "".
 */
enum fact_status sysroot_line(const struct sysroot *root, const char *path, char *to, size_t size);
enum fact_status sysroot_all(const struct sysroot *root, const char *path, char *to, size_t size);

/*
 * Call `each` with every line until it returns false. Lines come without their end, cut at 16 KiB;
 * at most 64 MiB of the file are read. The text is not checked.
 */
typedef bool sysroot_line_function(void *context, char *line);
enum fact_status sysroot_each_line(const struct sysroot *root, const char *path,
                                   sysroot_line_function *each, void *context);

/* Reads up to `size` bytes from the start of a file that need not be text. *got is their number. */
enum fact_status sysroot_bytes(const struct sysroot *root, const char *path, void *to, size_t size,
                               size_t *got);

/* Does a file or folder exist? Links are followed. */
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

/* The last part of a symbolic link's target: "nvme" for .../subsystem. */
enum fact_status sysroot_link(const struct sysroot *root, const char *path, char *to, size_t size);

/* The folder that a symbolic link in /sys points to, as a path from /sys on without links:
   "/sys/devices/pci0000:00/..." for /sys/class/net/eth0. `path` itself when it is not a link. */
enum fact_status sysroot_folder(const struct sysroot *root, const char *path, char *to,
                                size_t size);

/* Like sysroot_folder, for a path that must be a link: FACT_ABSENT if it is not, and `to` is
   `path`. */
enum fact_status sysroot_follow(const struct sysroot *root, const char *path, char *to, size_t size,
                                bool *absolute);

#endif
