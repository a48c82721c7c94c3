/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rooted reads: every read from /sys and /proc uses one handle, so that a captured tree below a
 * folder is read exactly like the machine itself.
 *
 * Only regular files are read, so that a pipe or device in a captured tree cannot block. In a
 * captured tree a file that nobody may read (mode 0) is denied to root as well. Any thread may
 * read; no folder is kept open, except that of sysroot_near_open.
 */
#ifndef CUPEL_HW_SYSROOT_SYSROOT_H
#define CUPEL_HW_SYSROOT_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"
#include "facts/fact.h"

/* Called for every file, folder and link that is looked at, whether it exists or not: a capture
   keeps these. */
struct sysroot_watcher {
    void (*saw)(void *context, const char *path);
    void *context;
};

struct sysroot {
    char prefix[512]; /* folder of the captured tree; "" for this machine */
    /* a captured tree without /sys/class/block, such as lsblk's dumps: the links of /sys/dev/block
       are used in its place */
    bool by_number;
    const struct sysroot_watcher *watcher; /* NULL: there is no watcher */
    const char *near; /* set by sysroot_near_open: paths below it are read from the open folder */
    size_t near_length;
    int near_fd;
};

/* Opens a root. `folder` NULL or "/" means this machine. ERR_USAGE when it is not a folder. */
int sysroot_open(struct sysroot *root, const char *folder, struct err *e);

/*
 * Opens the same root for many reads below one folder: the kernel then resolves the path to that
 * folder only once, which is most of the cost of a read. Paths are still given in full; paths
 * outside of the folder are read as before. `folder` belongs to the caller, and must not change
 * until sysroot_near_close; it need not exist.
 */
void sysroot_near_open(struct sysroot *near, const struct sysroot *root, const char *folder);
void sysroot_near_close(struct sysroot *near);

/* Writes the full path, with the root's prefix, for open() and the like to `to`, and returns it; ""
   when it does not fit. */
char *sysroot_path(const struct sysroot *root, char *to, size_t size, const char *path);

/* Writes FOLDER/NAME to `to`, and returns it; "" when it does not fit. It is fast, because it is
   called thousands of times. */
char *sysroot_join(char *to, size_t size, const char *folder, const char *name);

/*
 * Read the first line of a file without its line end (sysroot_line), or the whole file
 * (sysroot_all), ended by '\0'. With FACT_ABSENT, FACT_DENIED or FACT_INVALID (not text, or longer
 * than `size`) `to` is "".
 */
enum fact_status sysroot_line(const struct sysroot *root, const char *path, char *to, size_t size);
enum fact_status sysroot_all(const struct sysroot *root, const char *path, char *to, size_t size);

/*
 * Calls `each` with every line until it returns false. Lines have no line end and are cut at 16
 * KiB; at most 64 MiB of the file are read. The text is not checked.
 */
typedef bool sysroot_line_function(void *context, char *line);
enum fact_status sysroot_each_line(const struct sysroot *root, const char *path,
                                   sysroot_line_function *each, void *context);

/* Reads up to `size` bytes from the start of a file, which may be binary. *got is the number of
   bytes. */
enum fact_status sysroot_bytes(const struct sysroot *root, const char *path, void *to, size_t size,
                               size_t *got);

/* Returns true if a file or folder exists. Links are followed. */
bool sysroot_exists(const struct sysroot *root, const char *path);

/* The names in a folder, sorted (numbers by value: "cpu2" before "cpu10"), without those that start
   with a dot. The caller releases the list with sysroot_names_free, also after a failure. */
struct sysroot_names {
    size_t count;
    const char **names;
    struct pool strings;
};
enum fact_status sysroot_list(const struct sysroot *root, const char *path,
                              struct sysroot_names *names);
void sysroot_names_free(struct sysroot_names *names);

/* Reads the last part of a symbolic link's target: "nvme" for .../subsystem. */
enum fact_status sysroot_link(const struct sysroot *root, const char *path, char *to, size_t size);

/* Finds the folder that a symbolic link in /sys points to, as a path from /sys on without links:
   "/sys/devices/pci0000:00/..." for /sys/class/net/eth0. It is `path` itself when that is not a
   link. */
enum fact_status sysroot_folder(const struct sysroot *root, const char *path, char *to,
                                size_t size);

/* Like sysroot_folder, for a path that must be a link: FACT_ABSENT if it is not, and `to` is then
   `path`. *absolute: the link's target begins with '/'. */
enum fact_status sysroot_follow(const struct sysroot *root, const char *path, char *to, size_t size,
                                bool *absolute);

#endif
