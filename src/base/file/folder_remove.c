/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes a folder and everything in it, and nothing else. */
#include "base/file/folder_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/file/kernel_stat.h"

#define FOLDER_OPEN (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define DEPTH_MAX   500 /* maximum depth, because each level takes a descriptor and a stack frame */

int folder_open(const char *path)
{
    return open(path, FOLDER_OPEN);
}

/* ---- one level down ---- */

/* Returns the mount's number, which is 1 or more, or 0 when it is not known. */
static uint64_t mount_number(int fd)
{
    struct kernel_statx x = {0};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &x) || !(x.stx_mask & STATX_MNT_ID))
        return 0;
    return x.stx_mnt_id;
}

/* Enters a folder, and compares the mount numbers, where openat2 is missing or a filter of system
   calls rejects it. */
static int enter_by_number(int folder, const char *name)
{
    int fd = openat(folder, name, FOLDER_OPEN);
    if (fd < 0)
        return -1;
    const uint64_t here = mount_number(folder);
    if (here && mount_number(fd) == here)
        return fd;
    close(fd);
    errno = EXDEV;
    return -1;
}

int folder_enter(int folder, const char *name)
{
    const struct open_how how = {.flags = FOLDER_OPEN,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV |
                                            RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int fd;
    do
        fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
    while (fd < 0 && errno == EAGAIN); /* again, because a rename disturbed the lookup */
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EINVAL))
        return fd;
    return enter_by_number(folder, name);
}

/* ---- the walk ---- */

struct walk {
    struct folder_left *left;
    char below[PATH_MAX]; /* the names from the top folder down to the folder that the walk is in */
};

static void leave(struct walk *w, const char *name, int reason)
{
    struct folder_left *left = w->left;
    if (left->count++)
        return;
    snprintf(left->first, sizeof left->first, "%s%s", w->below, name);
    left->reason = reason;
}

/* Appends a name. Returns false if the path would become too long; it is then unchanged. */
static bool go_down(struct walk *w, const char *name)
{
    size_t used = strlen(w->below);
    int length = snprintf(w->below + used, sizeof w->below - used, "%s/", name);
    if (length >= 0 && (size_t)length < sizeof w->below - used)
        return true;
    w->below[used] = '\0';
    return false;
}

static void remove_contents(struct walk *w, int folder, unsigned depth);

/* Removes a folder that is not empty. Returns 0 when the folder is gone, otherwise an errno. */
static int remove_below(struct walk *w, int folder, const char *name, unsigned depth)
{
    const size_t used = strlen(w->below);
    int inner = folder_enter(folder, name);
    if (inner < 0)
        return errno;
    if (depth < DEPTH_MAX && go_down(w, name)) {
        remove_contents(w, inner, depth + 1);
        w->below[used] = '\0';
    }
    close(inner);
    return unlinkat(folder, name, AT_REMOVEDIR) ? errno : 0;
}

/* Removes an entry. unlinkat refuses to remove a mount point (EBUSY). */
static void remove_entry(struct walk *w, int folder, const char *name, unsigned depth)
{
    const size_t before = w->left->count;
    int reason = unlinkat(folder, name, 0) ? errno : 0;
    /* the errno for a folder: EISDIR on Linux, EPERM by POSIX */
    if (reason == EISDIR || reason == EPERM)
        reason = unlinkat(folder, name, AT_REMOVEDIR) ? errno : 0;
    if (reason == ENOTEMPTY || reason == EEXIST)
        reason = remove_below(w, folder, name, depth);
    /* A folder that could not be removed because of names left in it is not reported itself; the
       names are. */
    if (reason && reason != ENOENT && w->left->count == before)
        leave(w, name, reason == EBUSY ? EXDEV : reason);
}

static void remove_contents(struct walk *w, int folder, unsigned depth)
{
    int own = openat(folder, ".", FOLDER_OPEN);
    DIR *list = own < 0 ? NULL : fdopendir(own);
    if (!list) {
        leave(w, "", errno);
        if (own >= 0)
            close(own);
        return;
    }
    for (const struct dirent *d; (d = readdir(list));)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            remove_entry(w, folder, d->d_name, depth);
    closedir(list);
}

size_t folder_remove(int fd, const char *path, struct folder_left *left)
{
    struct folder_left own = {0};
    struct walk w = {.left = left ? left : &own};
    struct stat made, named;
    *w.left = own;
    if (fd < 0 || fstat(fd, &made))
        leave(&w, "", errno);
    else if (lstat(path, &named)) {
        if (errno != ENOENT) /* otherwise its name is gone already: somebody removed or moved it */
            leave(&w, "", errno);
    } else if (!file_is_same(&made, &named))
        leave(&w, "", EXDEV);
    else {
        remove_contents(&w, fd, 0);
        if (!w.left->count && rmdir(path))
            leave(&w, "", errno == EBUSY ? EXDEV : errno);
    }
    if (fd >= 0)
        close(fd);
    return w.left->count;
}
