/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are regular files: those of others, those that cupel made, and scratch files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/units.h"
#include "io/target_kinds.h"
#include "io/unwritten.h"

/* Holes in more than this share of a file that is not ours are refused. */
#define FILE_HOLES_LIMIT 0.01

/* A scratch file of no given size takes at most this share of what is free. */
#define FREE_SPACE_DIVISOR 4

static int check_size(uint64_t size, const char *path, struct err *e)
{
    if (size % SCRATCH_ALIGNMENT || size > INT64_MAX - SCRATCH_MARK_BYTES)
        return err_set(e, ERR_USAGE,
                       "%s: a file of %llu bytes cannot be made; --size is a multiple of %d", path,
                       (unsigned long long)size, SCRATCH_ALIGNMENT);
    return 0;
}

/* The filesystem below an open file has room for `size` more bytes. */
static int check_room(int fd, const char *path, uint64_t size, struct err *e)
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

/* Turn O_DIRECT on for an open file. An open with O_DIRECT may fail and create the file all the
 * same. */
static int use_direct(int fd)
{
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
}

/* Open for filling: past the page cache where the filesystem can. */
static int open_to_fill(const char *path, int flags)
{
    int fd = open(path, flags | O_RDWR | O_CLOEXEC, 0644);
    if (fd >= 0)
        use_direct(fd);
    return fd;
}

/* Make a file of our own as large as asked and free of holes. `size`: what it holds now. */
static int complete(struct target *t, const struct opening *o, struct err *e)
{
    uint64_t asked = o->request->size, before = t->size;
    bool grow = asked > before;
    if (grow && check_size(asked, t->path, e))
        return -1;
    int fd = open_to_fill(t->path, 0);
    if (fd < 0)
        return target_refusal(t->path, errno, e);
    int status = 0;
    if (grow) {
        status = check_room(fd, t->path, asked - before, e);
        if (!status)
            status = scratch_extend(fd, t->path, asked, e);
        /* The old mark is data now; replace it, so that the file holds nothing but noise. */
        if (!status)
            status = scratch_fill(fd, t->path, before, before + SCRATCH_MARK_BYTES, true,
                                  o->request->seed, &o->watch, e);
    }
    if (!status) {
        t->size = grow ? asked : before;
        status = scratch_fill(fd, t->path, 0, t->size, false, o->request->seed, &o->watch, e);
    }
    close(fd);
    return status;
}

/* Look at the file without changing it: its size, whether it is ours, what of it was never written.
 */
static int examine(struct target *t, struct err *e)
{
    struct stat st;
    int fd = open(t->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return target_refusal(t->path, error, e);
    }
    t->device = st.st_dev;
    t->size = (uint64_t)st.st_size;
    t->made_by_us = scratch_marked(fd, (uint64_t)st.st_size, &t->size);
    if (!t->made_by_us)
        t->size = (uint64_t)st.st_size;
    t->unwritten_share = unwritten_share_of_file(fd, t->size);
    close(fd);
    return 0;
}

int target_open_file(struct target *t, const struct opening *o, struct err *e)
{
    const struct target_request *request = o->request;
    t->kind = TARGET_FILE;
    if (examine(t, e))
        return -1;
    if (request->write && !t->made_by_us && !request->overwrite)
        return err_set(e, ERR_UNSAFE,
                       "%s: cupel did not make this file; --overwrite lets it be overwritten",
                       t->path);
    if (!t->size)
        return err_set(
            e, ERR_USAGE,
            "%s: the file is empty; name one that does not exist and give --size to have "
            "it made",
            t->path);
    if (t->made_by_us && (t->unwritten_share > 0 || request->size > t->size)) {
        if (complete(t, o, e))
            return -1;
        t->unwritten_share = 0;
    }
    if (target_judge_unwritten(t, request, FILE_HOLES_LIMIT,
                               "give another file, or one that does not exist with --size", e))
        return -1;
    return target_open_fd(t, request, 0, e);
}

/* A new file with the mark, filled. What cannot be completed is removed again. */
int target_make_file(struct target *t, const struct opening *o, struct err *e)
{
    uint64_t size = o->request->size;
    t->kind = TARGET_FILE;
    if (check_size(size, t->path, e))
        return -1;
    int fd = open_to_fill(t->path, O_CREAT | O_EXCL);
    if (fd < 0)
        return errno == ENOENT ? err_set(e, ERR_USAGE, "%s: the folder does not exist", t->path)
                               : target_refusal(t->path, errno, e);
    int status = check_room(fd, t->path, size, e);
    if (!status)
        status = scratch_extend(fd, t->path, size, e);
    if (!status)
        status = scratch_fill(fd, t->path, 0, size, true, o->request->seed, &o->watch, e);
    struct stat st;
    if (!status && !fstat(fd, &st))
        t->device = st.st_dev;
    close(fd);
    t->size = size;
    t->made_by_us = true;
    if (!status)
        status = target_open_fd(t, o->request, 0, e);
    if (status)
        unlink(t->path);
    return status;
}

/* A file without a name in `folder`, or with one that is gone before anything is written. */
static int open_nameless(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
        return fd;
    unsigned id;
    char name[1100];
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        return -1;
    snprintf(name, sizeof name, "%s/.cupel-scratch-%08x", folder, id);
    fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        unlink(name);
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
        return check_size(t->size, t->path, e) || check_room(t->fd, t->path, t->size, e) ? -1 : 0;
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
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", t->fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC | (t->direct ? O_DIRECT : 0));
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
    t->fd = open_nameless(t->path);
    if (t->fd >= 0 && request->direct && use_direct(t->fd)) {
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
