/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds and opens the same file again, even if its path leads elsewhere meanwhile. */
#include "base/file/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECRET_NAME_BYTES 32

bool file_is_same(const struct stat *a, const struct stat *b)
{
    return (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT) && a->st_dev == b->st_dev &&
           a->st_ino == b->st_ino && a->st_rdev == b->st_rdev;
}

/* ---- opening again ---- */

/* Opens by path, which may lead to another file by now. Because of O_NONBLOCK the open of a pipe
   does not wait for its other end. */
static int open_by_path(const char *path, int flags)
{
    int fd = open(path, flags | O_NONBLOCK);
    if (fd >= 0 && !(flags & O_NONBLOCK))
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

int file_reopen(int looked, const char *path, int flags)
{
    char link[40];
    struct stat before, now;
    flags = (flags & ~(O_CREAT | O_TRUNC)) | O_CLOEXEC | O_NOCTTY;
    snprintf(link, sizeof link, "/proc/self/fd/%d", looked);
    int fd = open(link, flags);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) /* /proc is not mounted */
        fd = open_by_path(path, flags);
    if (fd < 0)
        return -1;
    /* The files are compared only after the open: the first open for writing of a file on an
       overlay filesystem copies the file to another place. */
    if (!fstat(looked, &before) && !fstat(fd, &now) && file_is_same(&before, &now))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

/* ---- removing ---- */

static bool leads_to(int folder, const char *name, const struct stat *file)
{
    struct stat st;
    return !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && file_is_same(&st, file);
}

/* Gives another program's file its name back, unless a third file has that name by now. */
static void put_back(int folder, const char *from, const char *name)
{
    if (syscall(SYS_renameat2, folder, from, folder, name, RENAME_NOREPLACE) && errno == EINVAL &&
        !linkat(folder, from, folder, name, 0))
        unlinkat(folder, from, 0);
}

static void remove_in(int folder, const char *name, const struct stat *file)
{
    char secret[SECRET_NAME_BYTES];
    uint64_t id;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id || !leads_to(folder, name, file))
        return;
    snprintf(secret, sizeof secret, ".cupel-%016" PRIx64, id);
    if (renameat(folder, name, folder, secret))
        return;
    if (leads_to(folder, secret, file))
        unlinkat(folder, secret, 0);
    else
        put_back(folder, secret, name);
}

void file_remove(int fd, int folder, const char *path)
{
    char parent[PATH_MAX];
    struct stat file;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (fstat(fd, &file) || length >= sizeof parent)
        return;
    snprintf(parent, sizeof parent, "%.*s", (int)length, path);
    int own = openat(folder, slash ? parent : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (own < 0)
        return;
    remove_in(own, slash ? slash + 1 : path, &file);
    close(own);
}
