/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Backends that create, look up and remove the entries of a folder: one request is one file or
 * folder. A worker goes through the same names again and again. Each pass begins with an empty
 * folder or with a folder that has all entries, depending on the backend. The folder is prepared
 * a few entries at a time, while the backend takes no request; this time counts in no latency and
 * no rate.
 *
 * Created entries stay as long as the limits below permit, and each pass has a new folder.
 * Removing them at once would change the measurement, because ext4 does not reuse an inode for
 * some minutes after it was deleted, and every creation would search through all deleted ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/entry_name.h"
#include "io/ring/serial_queue.h"

/* Number of entries that are prepared between two checks whether the round has ended. */
#define PREPARED_AT_ONCE 64
/* Limits of the entries that stay from pass to pass. KEPT_TOTAL: entries of all workers together;
   KEPT_SHARE: share (1/n) of the free inodes and of the free space; ENTRY_SPACE: bytes that each
   entry is assumed to take. */
#define KEPT_TOTAL  ((uint64_t)1 << 20)
#define KEPT_SHARE  4
#define ENTRY_SPACE 8192

/* Does one request. Returns -1 with errno. */
typedef int entry_call(int folder, const char *name);

struct entry_work {
    struct io_action action;
    const char *calls;
    entry_call *request, *prepare;
    bool opens; /* the request opens its entry, and returns a descriptor */
    /* true: a pass begins with all entries; false: a pass begins in a new, empty folder */
    bool finds_all;
    /* true: a pass ends when each entry has had one request; false: the only pass never ends */
    bool uses_up;
};

struct entries_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    const struct clock *clock;
    const struct entry_work *work;
    int folder; /* the worker's folder */
    int pass;   /* folder of this pass, inside `folder`; `folder` itself if finds_all */
    uint64_t entries, bytes;
    uint64_t there; /* with `finds_all`: number of entries that were created so far for this pass */
    uint64_t next;  /* number of the entry that the next request uses */
    bool ready;     /* the pass is prepared, and requests may be taken */
    /* The passes whose entries still exist have the numbers [first_kept, passes). While the first
       of these passes is being removed, `gone` is the number of its entries that are removed
       already, and `old` is its folder; otherwise `old` is -1. */
    uint64_t first_kept, passes, kept_max, gone;
    int old;
};

/* ---- one entry ---- */

static int make_file(int folder, const char *name)
{
    return openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int remove_file(int folder, const char *name)
{
    return unlinkat(folder, name, 0);
}

static int make_folder(int folder, const char *name)
{
    return mkdirat(folder, name, 0700);
}

static int remove_folder(int folder, const char *name)
{
    return unlinkat(folder, name, AT_REMOVEDIR);
}

static int look_at(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW);
}

/* Creates a file, with its size, before a request uses it. */
static int make_sized_file(const struct entries_state *s, const char *name)
{
    int fd = make_file(s->pass, name);
    if (fd < 0)
        return -1;
    int error = s->bytes ? posix_fallocate(fd, 0, (off_t)s->bytes) : 0;
    if (error == EOPNOTSUPP)
        error = ftruncate(fd, (off_t)s->bytes) ? errno : 0;
    close(fd);
    errno = error;
    return error ? -1 : 0;
}

/* ---- a pass that begins with all entries ---- */

static int make_one(struct entries_state *s)
{
    char name[ENTRY_NAME_BYTES];
    entry_name(name, s->there);
    int failed =
        s->work->prepare == make_file ? make_sized_file(s, name) : s->work->prepare(s->pass, name);
    s->there += !failed;
    return failed;
}

/* ---- a pass that begins without entries ---- */

static int open_folder(int folder, uint64_t number)
{
    char name[ENTRY_NAME_BYTES];
    entry_name(name, number);
    return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes the next entry of the oldest pass, or its folder when all entries are gone. */
static int remove_one(struct entries_state *s)
{
    char name[ENTRY_NAME_BYTES];
    if (s->old < 0)
        s->old = open_folder(s->folder, s->first_kept);
    if (s->old < 0)
        return -1;
    entry_name(name, s->gone);
    if (s->gone < s->entries) {
        int failed = s->work->prepare(s->old, name);
        s->gone += !failed;
        return failed;
    }
    close(s->old);
    s->old = -1;
    s->gone = 0;
    entry_name(name, s->first_kept++);
    return remove_folder(s->folder, name);
}

static int open_pass(struct entries_state *s)
{
    char name[ENTRY_NAME_BYTES];
    entry_name(name, s->passes);
    if (make_folder(s->folder, name))
        return -1;
    s->pass = open_folder(s->folder, s->passes);
    s->passes++;
    return s->pass < 0 ? -1 : 0;
}

static void close_pass(struct entries_state *s)
{
    if (s->pass >= 0 && s->pass != s->folder)
        close(s->pass);
    s->pass = -1;
}

/* ---- passes ---- */

/* Returns true if the pass can begin: all entries exist, or all earlier passes are removed. */
static bool is_prepared(const struct entries_state *s)
{
    return s->work->finds_all ? s->there == s->entries : s->first_kept == s->passes;
}

static int begin_pass(struct entries_state *s)
{
    s->next = 0;
    if (!s->work->finds_all && open_pass(s))
        return -1;
    s->ready = true;
    return 0;
}

static int prepare_some(struct io_backend *b, struct err *e)
{
    struct entries_state *s = b->state;
    const bool finds_all = s->work->finds_all;
    uint64_t began = clock_ticks(s->clock);
    int failed = 0;
    /* The entries of earlier passes stay up to a limit (kept_max); when it is reached, all of them
       are removed. */
    if (!finds_all && !s->gone && s->old < 0 && (s->passes - s->first_kept) < s->kept_max)
        failed = begin_pass(s);
    for (unsigned i = 0; i < PREPARED_AT_ONCE && !failed && !s->ready && !is_prepared(s); i++)
        failed = finds_all ? make_one(s) : remove_one(s);
    if (!failed && !s->ready && is_prepared(s))
        failed = begin_pass(s);
    int error = errno;
    uint64_t took = clock_ticks(s->clock) - began;
    atomic_fetch_add_explicit(&b->aside, took, memory_order_relaxed);
    if (!failed)
        return 0;
    return err_set(e, ERR_TARGET, "a pass of %ss could not be prepared: %s", s->work->action.name,
                   strerror(error));
}

/* Goes to the next entry after the request for s->next has succeeded. */
static void entry_done(struct entries_state *s)
{
    if (++s->next < s->entries)
        return;
    s->next = 0;
    if (!s->work->uses_up)
        return;
    s->ready = false;
    s->there = 0;
    if (!s->work->finds_all)
        close_pass(s);
}

static void entry_perform(struct io_backend *b, const struct io_req *request, struct io_done *done)
{
    struct entries_state *s = b->state;
    char name[ENTRY_NAME_BYTES];
    entry_name(name, s->next);
    uint64_t aside = atomic_load_explicit(&b->aside, memory_order_relaxed);
    uint64_t t_sub = clock_ticks(s->clock);
    int got = s->work->request(s->pass, name);
    uint64_t t_cpl = clock_ticks(s->clock);
    int error = got < 0 ? errno : 0;
    if (!error)
        entry_done(s);
    if (!error && s->work->opens)
        close(got);
    /* A request succeeds completely or fails: `bytes` is its whole length or 0. */
    io_done_set(done, request, t_sub - aside, t_cpl - aside, error ? 0 : request->length, error);
}

/* ---- the backends ---- */

static int entries_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                          struct err *e)
{
    struct entries_state *s = b->state;
    return s->ready ? serial_submit(b, requests, n, e) : prepare_some(b, e);
}

/* Returns the number of passes that are kept. On a filesystem in memory it is 1, to save memory. */
static uint64_t passes_to_keep(const struct io_setup *setup)
{
    struct statfs fs;
    struct statvfs v;
    uint64_t entries = KEPT_TOTAL;
    if (!fstatfs(setup->fd, &fs) &&
        ((uint32_t)fs.f_type == TMPFS_MAGIC || (uint32_t)fs.f_type == RAMFS_MAGIC))
        return 1;
    if (!fstatvfs(setup->fd, &v)) {
        uint64_t room = (uint64_t)v.f_bavail * v.f_frsize / ENTRY_SPACE / KEPT_SHARE;
        entries = room < entries ? room : entries;
        if (v.f_files && v.f_favail / KEPT_SHARE < entries)
            entries = v.f_favail / KEPT_SHARE;
    }
    uint64_t passes = entries / (setup->workers ? setup->workers : 1) / setup->entries;
    return passes ? passes : 1;
}

static int entries_open(struct io_backend *b, const struct io_setup *setup,
                        const struct io_ops *ops, const struct entry_work *work, struct err *e)
{
    struct entries_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    if (serial_queue_reserve(&s->queue, setup, e)) {
        free(s);
        return -1;
    }
    s->queue.perform = entry_perform;
    s->clock = setup->clock;
    s->work = work;
    s->folder = setup->fd;
    s->pass = work->finds_all ? s->folder : -1;
    s->old = -1;
    s->entries = setup->entries;
    s->kept_max = work->finds_all ? 0 : passes_to_keep(setup);
    s->bytes = setup->entry_bytes;
    b->ops = ops;
    b->state = s;
    snprintf(b->description, sizeof b->description, "%s, one at a time, in a folder for each job",
             work->calls);
    return 0;
}

static void entries_close(struct io_backend *b)
{
    struct entries_state *s = b->state;
    close_pass(s);
    if (s->old >= 0)
        close(s->old);
    serial_queue_release(&s->queue);
    free(s);
    b->state = NULL;
}

#define ENTRY_BACKEND(backend, summary, ...)                                                       \
    static const struct entry_work backend##_work = {__VA_ARGS__};                                 \
    static int backend##_open(struct io_backend *b, const struct io_setup *setup, struct err *e)   \
    {                                                                                              \
        return entries_open(b, setup, &io_##backend, &backend##_work, e);                          \
    }                                                                                              \
    const struct io_ops io_##backend = {.name = #backend,                                          \
                                        .help = (summary),                                         \
                                        .needs_target = true,                                      \
                                        .serial = true,                                            \
                                        .action = &backend##_work.action,                          \
                                        .open = backend##_open,                                    \
                                        .submit = entries_submit,                                  \
                                        .reap = serial_reap,                                       \
                                        .reap_until = serial_reap_until,                           \
                                        .exchange = io_submit_and_reap,                            \
                                        .close = entries_close};

/* clang-format off */
ENTRY_BACKEND(filecreate, "make files in a folder (openat with O_CREAT)",
              .action = {"file creation", "file creations/s", true, true, false}, .calls = "openat with O_CREAT and O_EXCL",
              .request = make_file, .prepare = remove_file, .opens = true, .uses_up = true)
ENTRY_BACKEND(filestat, "look at files in a folder (fstatat)",
              .action = {"file stat", "file stats/s", false, true, true}, .calls = "fstatat",
              .request = look_at, .prepare = make_file, .finds_all = true)
ENTRY_BACKEND(filedelete, "remove files from a folder (unlinkat)",
              .action = {"file deletion", "file deletions/s", true, true, true}, .calls = "unlinkat",
              .request = remove_file, .prepare = make_file, .finds_all = true, .uses_up = true)
ENTRY_BACKEND(dircreate, "make folders in a folder (mkdirat)",
              .action = {"folder creation", "folder creations/s", true, true, false}, .calls = "mkdirat",
              .request = make_folder, .prepare = remove_folder, .uses_up = true)
ENTRY_BACKEND(dirstat, "look at folders in a folder (fstatat)",
              .action = {"folder stat", "folder stats/s", false, true, false}, .calls = "fstatat",
              .request = look_at, .prepare = make_folder, .finds_all = true)
ENTRY_BACKEND(dirdelete, "remove folders from a folder (unlinkat with AT_REMOVEDIR)",
              .action = {"folder deletion", "folder deletions/s", true, true, false}, .calls = "unlinkat with AT_REMOVEDIR",
              .request = remove_folder, .prepare = make_folder, .finds_all = true, .uses_up = true)
/* clang-format on */
