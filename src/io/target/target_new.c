/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are made: new files with the mark, and scratch files in a folder. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file_identity.h"
#include "base/units.h"
#include "io/target/internal.h"

/* A scratch file of no given size takes at most this share of what is free. */
#define FREE_SPACE_DIVISOR 4

int target_check_size(uint64_t size, const char *path, struct err *e)
{
    if (size % SCRATCH_ALIGNMENT || size > INT64_MAX - SCRATCH_MARK_BYTES)
        return err_set(e, ERR_USAGE,
                       "%s: a file of %llu bytes cannot be made; --size is a multiple of %d", path,
                       (unsigned long long)size, SCRATCH_ALIGNMENT);
    return 0;
}

int target_check_room(int fd, const char *path, uint64_t size, struct err *e)
{
    struct statvfs v;
    if (fstatvfs(fd, &v))
        return 0;
    uint64_t room = (uint64_t)v.f_bavail * v.f_frsize;
    if (size < room)
        return 0;
    char wanted[UNITS_BUFFER], there[UNITS_BUFFER];
    return err_set(e, ERR_TARGET,
                   "%s: %s do not fit, the filesystem has %s left; give a smaller --size", path,
                   format_size(wanted, sizeof wanted, (double)size),
                   format_size(there, sizeof there, (double)room));
}

int target_use_direct(int fd)
{
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
}

static void proc_path(int fd, char path[40])
{
    snprintf(path, 40, "/proc/self/fd/%d", fd);
}

/* A file without a name can be given one later only where /proc shows it. */
static bool is_shown_in_proc(int fd)
{
    char path[40];
    struct stat shown, own;
    proc_path(fd, path);
    return !stat(path, &shown) && !fstat(fd, &own) && file_is_same(&shown, &own);
}

/* A file without a name in `folder` (a descriptor). -1 where that is not possible. */
static int open_nameless(int folder, mode_t mode)
{
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* The folder of a path, for what is done in it by name. */
static int open_folder_of(const char *path)
{
    char folder[sizeof(((struct target *)0)->path)];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    return open(slash ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static const char *name_in_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * A new file, which gets its name when it is complete: until then there is nothing that would have
 * to be removed. Where the filesystem knows no files without a name it has one from the beginning.
 */
static int open_new(int folder, const char *name, bool *named)
{
    int fd = open_nameless(folder, 0644);
    *named = fd < 0 || !is_shown_in_proc(fd);
    if (!*named)
        return fd;
    if (fd >= 0)
        close(fd);
    return openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
}

/* Never over a file that somebody else gave this name meanwhile. */
static int give_name(const char *path, int fd, int folder, const char *name, struct err *e)
{
    char link[40];
    proc_path(fd, link);
    if (!linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW))
        return fsync(fd) ? target_refusal(path, errno, e) : 0;
    if (errno == EEXIST)
        return err_set(e, ERR_UNSAFE, "%s: somebody else made a file of this name meanwhile", path);
    return target_refusal(path, errno, e);
}

/* Mark it, fill it, and open it for measuring. */
static int fill_new(struct target *t, const struct opening *o, int fd, struct err *e)
{
    struct opening made = *o;
    made.look = fd;
    t->size = o->request->size;
    t->made_by_us = true;
    struct stat st;
    if (!fstat(fd, &st))
        t->device = st.st_dev;
    target_use_direct(fd); /* past the page cache where the filesystem can */
    return target_check_room(fd, t->path, t->size, e) || scratch_extend(fd, t->path, t->size, e) ||
                   scratch_fill(fd, t->path, 0, t->size, true, o->request->seed, &o->watch, e)
               ? -1
               : target_open_fd(t, &made, 0, e);
}

int target_make_file(struct target *t, const struct opening *o, struct err *e)
{
    bool named;
    t->kind = TARGET_FILE;
    if (target_check_size(o->request->size, t->path, e))
        return -1;
    int folder = open_folder_of(t->path);
    if (folder < 0)
        return errno == ENOENT ? err_set(e, ERR_USAGE, "%s: the folder does not exist", t->path)
                               : target_refusal(t->path, errno, e);
    const char *name = name_in_folder(t->path);
    int fd = open_new(folder, name, &named);
    int status = fd < 0 ? target_refusal(t->path, errno, e) : fill_new(t, o, fd, e);
    if (!status && !named)
        status = give_name(t->path, fd, folder, name, e);
    if (status && fd >= 0 && named)
        file_remove(fd, folder, name);
    if (fd >= 0)
        close(fd);
    close(folder);
    return status;
}

/* ---- scratch files ---- */

/* A file without a name in `folder`, or with one that is gone before anything is written. */
static int open_scratch(int folder)
{
    int fd = open_nameless(folder, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
        return fd;
    uint64_t id;
    char name[40];
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        return -1;
    snprintf(name, sizeof name, ".cupel-scratch-%016" PRIx64, id);
    fd = openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        file_remove(fd, folder, name);
    return fd;
}

/* The size asked for, or the default as far as the free space allows. */
static int choose_scratch_size(struct target *t, const struct target_request *request,
                               struct err *e)
{
    struct statvfs v;
    char text[UNITS_BUFFER];
    t->size = request->size ? request->size : TARGET_SCRATCH_SIZE;
    if (request->size)
        return target_check_size(t->size, t->path, e) ||
                       target_check_room(t->fd, t->path, t->size, e)
                   ? -1
                   : 0;
    if (fstatvfs(t->fd, &v))
        return 0;
    uint64_t share = (uint64_t)v.f_bavail * v.f_frsize / FREE_SPACE_DIVISOR;
    share -= share % SCRATCH_ALIGNMENT;
    if (share >= t->size)
        return 0;
    if (!share)
        return target_refusal(t->path, ENOSPC, e);
    t->size = share;
    snprintf(t->note, sizeof t->note,
             "the scratch file has %s, a quarter of the free space, instead of %s",
             format_size(text, sizeof text, (double)share), "1 GiB");
    return 0;
}

/* Give up the right to write when the workload only reads. Without /proc it stays: the file is
 * ours. */
static void reopen_to_read(struct target *t)
{
    int fd = file_reopen(t->fd, "", O_RDONLY | (t->direct ? O_DIRECT : 0));
    if (fd < 0)
        return;
    close(t->fd);
    t->fd = fd;
}

int target_make_scratch(struct target *t, const struct opening *o, struct err *e)
{
    const struct target_request *request = o->request;
    t->kind = TARGET_SCRATCH;
    t->made_by_us = true;
    t->fd = open_scratch(o->look);
    if (t->fd >= 0 && request->direct && target_use_direct(t->fd)) {
        close(t->fd);
        t->fd = -1;
    }
    if (target_opened(t, request, errno, e))
        return -1;
    struct stat st;
    if (!fstat(t->fd, &st))
        t->device = st.st_dev;
    if (choose_scratch_size(t, request, e) ||
        scratch_fill(t->fd, t->path, 0, t->size, true, request->seed, &o->watch, e))
        return -1;
    if (!request->write)
        reopen_to_read(t);
    return 0;
}
