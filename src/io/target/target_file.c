/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are regular files: existing files, of cupel or others; new files with the mark; and
   scratch files in a folder. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/units.h"
#include "io/target/guard.h"
#include "io/target/internal.h"
#include "io/target/never_written_blocks.h"

/* A file that cupel did not make is refused when a larger share of it than this is holes. */
#define FILE_HOLES_LIMIT 0.01

/* A scratch file without a given size takes at most this share (1/n) of the free space. */
#define FREE_SPACE_DIVISOR 4

/* Checks that a file can be made this large. */
static int check_size(uint64_t size, const char *path, struct err *e)
{
    if (size % SCRATCH_ALIGNMENT || size > INT64_MAX - SCRATCH_MARK_BYTES)
        return err_set(e, ERR_USAGE,
                       "%s: a file of %llu bytes cannot be made; --size is a multiple of %d", path,
                       (unsigned long long)size, SCRATCH_ALIGNMENT);
    return 0;
}

/* Checks that the filesystem of an open file has room for `size` more bytes. */
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

/* Turns on O_DIRECT for an open file; returns -1 if that fails. The file is not opened with
   O_DIRECT, because it may fail and still create the file. */
static int use_direct(int fd)
{
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
}

/* ---- existing files ---- */

/* Makes a file of cupel as large as requested and fills its holes. t->size is its present size. */
static int complete_file(struct target *t, const struct opening *o, struct err *e)
{
    uint64_t asked = o->request->size, before = t->size;
    bool grow = asked > before;
    if (grow && check_size(asked, t->path, e))
        return -1;
    int fd = file_reopen(o->look, t->path, O_RDWR);
    if (fd < 0)
        return target_refusal(t->path, errno, e);
    use_direct(fd); /* writes bypass the page cache if the filesystem supports that */
    int status = 0;
    if (grow) {
        status = check_room(fd, t->path, asked - before, e);
        if (!status)
            status = scratch_extend(fd, t->path, asked, e);
        /* The old mark is now within the data. It is overwritten, so that the file contains only
           noise. */
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

static int add_length(void *context, uint64_t begin, uint64_t end, struct err *e)
{
    (void)e;
    uint64_t *sum = context;
    *sum += end - begin;
    return 0;
}

/* Returns the share, 0 to 1, of the first `size` bytes of a regular file that was never written. */
static double unwritten_share_of_file(int fd, uint64_t size)
{
    uint64_t sum = 0;
    unwritten_walk(fd, size, add_length, &sum, NULL);
    return size ? (double)sum / (double)size : 0;
}

int target_judge_file(struct target *t, const struct target_request *request, int fd,
                      struct stat *st, struct err *e)
{
    if (fstat(fd, st))
        return target_refusal(t->path, errno, e);
    t->device = st->st_dev;
    bool marked = scratch_marked(fd, (uint64_t)st->st_size, &t->size);
    t->made_by_us = marked && scratch_holds_noise(fd, t->size, request->seed);
    if (!t->made_by_us)
        t->size = (uint64_t)st->st_size;
    if (!request->write || t->made_by_us || request->overwrite)
        return 0;
    return err_set(e, ERR_UNSAFE, "%s: %s; --overwrite lets it be overwritten", t->path,
                   marked ? "cupel made this file, but it holds something else now"
                          : "cupel did not make this file");
}

/* Checks the file that `fd` has open for reading, and completes it if cupel made it. */
static int prepare_file(struct target *t, const struct opening *o, int fd, struct err *e)
{
    const struct target_request *request = o->request;
    struct stat st;
    if (target_judge_file(t, request, fd, &st, e))
        return -1;
    t->unwritten_share = unwritten_share_of_file(fd, t->size);
    if (!t->size)
        return err_set(
            e, ERR_USAGE,
            "%s: the file is empty; name one that does not exist and give --size to have "
            "it made",
            t->path);
    bool incomplete = t->made_by_us && (t->unwritten_share > 0 || request->size > t->size);
    const bool ours = request->shared && shared_file_is_written(&st);
    struct guard_sight sight = {.allow_unseen = request->allow_unseen};
    if ((request->write || incomplete) && guard_file_unused("", fd, t->path, ours, &sight, e))
        return -1;
    t->unseen = sight.unseen;
    if (incomplete) {
        if (complete_file(t, o, e))
            return -1;
        t->unwritten_share = 0;
    }
    return target_judge_unwritten(t, request, FILE_HOLES_LIMIT,
                                  "give another file, or one that does not exist with --size", e);
}

int target_open_file(struct target *t, const struct opening *o, struct err *e)
{
    t->kind = TARGET_FILE;
    int fd = file_reopen(o->look, t->path, O_RDONLY);
    if (fd < 0)
        return target_refusal(t->path, errno, e);
    int status = prepare_file(t, o, fd, e);
    close(fd);
    return status ? -1 : target_open_fd(t, o, 0, e);
}

int target_restore_size(struct target *t, bool resized, struct err *e)
{
    if (!resized || (t->kind != TARGET_FILE && t->kind != TARGET_SCRATCH))
        return 0;
    /* The file is truncated to 0 first, because a truncation within a block would leave a tail that
       is neither noise nor a hole. */
    if (t->made_by_us && t->kind == TARGET_FILE)
        return ftruncate(t->fd, 0) ? target_refusal(t->path, errno, e)
                                   : scratch_extend(t->fd, t->path, t->size, e);
    return ftruncate(t->fd, (off_t)t->size) ? target_refusal(t->path, errno, e) : 0;
}

/* ---- new files ---- */

static void proc_path(int fd, char path[40])
{
    snprintf(path, 40, "/proc/self/fd/%d", fd);
}

/* Opens a file without a name in `folder` (a descriptor). Returns -1 where that is not possible. */
static int open_nameless(int folder, mode_t mode)
{
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/*
 * Makes a new file, which gets its name when it is complete, so that a crash before that leaves
 * nothing to remove. If the filesystem has no files without a name, or if /proc does not show them,
 * so that a name could not be given later, the file has its name from the beginning.
 */
static int open_new(int folder, const char *name, bool *named)
{
    char path[40];
    struct stat shown, own;
    int fd = open_nameless(folder, 0644);
    proc_path(fd, path);
    *named = fd < 0 || stat(path, &shown) || fstat(fd, &own) || !file_is_same(&shown, &own);
    if (!*named)
        return fd;
    if (fd >= 0)
        close(fd);
    return openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
}

/* Gives the file its name, but never replaces a file that somebody else put there meanwhile. */
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

/* Marks and fills the new file, and opens it for measuring. */
static int fill_new(struct target *t, const struct opening *o, int fd, struct err *e)
{
    struct opening made = *o;
    made.look = fd;
    t->size = o->request->size;
    t->made_by_us = true;
    struct stat st;
    if (!fstat(fd, &st))
        t->device = st.st_dev;
    use_direct(fd); /* writes bypass the page cache if the filesystem supports that */
    return check_room(fd, t->path, t->size, e) || scratch_extend(fd, t->path, t->size, e) ||
                   scratch_fill(fd, t->path, 0, t->size, true, o->request->seed, &o->watch, e)
               ? -1
               : target_open_fd(t, &made, 0, e);
}

int target_make_file(struct target *t, const struct opening *o, struct err *e)
{
    bool named;
    t->kind = TARGET_FILE;
    if (check_size(o->request->size, t->path, e))
        return -1;
    char path[sizeof t->path];
    snprintf(path, sizeof path, "%s", t->path);
    char *slash = strrchr(path, '/');
    if (slash)
        slash[1] = '\0';
    const char *name = slash ? t->path + (slash + 1 - path) : t->path;
    int folder = open(slash ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return errno == ENOENT ? err_set(e, ERR_USAGE, "%s: the folder does not exist", t->path)
                               : target_refusal(t->path, errno, e);
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

/* Opens a file without a name in `folder`; where that is not possible, a file whose name is removed
   before anything is written. */
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

/* Chooses the requested size, or the default, limited by the free space. */
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

int target_make_scratch(struct target *t, const struct opening *o, struct err *e)
{
    const struct target_request *request = o->request;
    t->kind = TARGET_SCRATCH;
    t->made_by_us = true;
    t->fd = open_scratch(o->look);
    if (t->fd >= 0 && request->direct && use_direct(t->fd)) {
        close(t->fd);
        t->fd = -1;
    }
    if (target_opened(t, request, errno, e))
        return -1;
    struct stat st;
    if (!fstat(t->fd, &st))
        t->device = st.st_dev;
    if (choose_scratch_size(t, request, e))
        return -1;
    if (request->fresh) {
        size_t used = strlen(t->note);
        snprintf(t->note + used, sizeof t->note - used,
                 "%snew files are written beside it, and gone at the end; itself it is left alone",
                 used ? "; " : "");
        return 0;
    }
    struct fill_watch watch = o->watch;
    const uint64_t wanted = t->size;
    watch.seconds = request->size ? 0 : request->fill_seconds;
    if (scratch_fill_new(t->fd, t->path, &t->size, request->seed, &watch, e))
        return -1;
    if (t->size < wanted) {
        char text[UNITS_BUFFER];
        snprintf(t->note, sizeof t->note,
                 "the scratch file has %s, what was written within %.3g s (--size)",
                 format_size(text, sizeof text, (double)t->size), watch.seconds);
    }
    /* If the workload only reads, the descriptor is replaced by one for reading. Without /proc the
       descriptor for writing stays, which is harmless because the file is ours. */
    int fd = request->write ? -1 : file_reopen(t->fd, "", O_RDONLY | (t->direct ? O_DIRECT : 0));
    if (fd >= 0) {
        close(t->fd);
        t->fd = fd;
    }
    return 0;
}
