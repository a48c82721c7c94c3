/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses a block device (the tables are searched for every device that has bytes in common with
 * it), and who uses a regular file: loop devices, swap, programs that write to it. */
#include "io/target/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/device_number.h"
#include "base/mountinfo.h"
#include "base/span.h"
#include "io/target/internal.h"

/* Looks at one line, which it may change. 0, or -1 with the error, which ends the table. */
typedef int check_line(void *context, char *line, struct err *e);

/*
 * Check every line of `table` below `root`. One that is not there is refused (for `path`) only when
 * it is `required`.
 */
static int check_table(const char *root, const char *table, bool required, const char *path,
                       check_line *check, void *context, struct err *e)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s%s", root, table);
    FILE *f = fopen(file, "re");
    if (!f)
        return required ? guard_cannot_look(path, file, e) : 0;
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    while (status == 0 && getline(&line, &room, f) > 0)
        status = check(context, line, e);
    free(line);
    fclose(f);
    return status;
}

/* The absolute path in the first field of a line of /proc/swaps, or NULL; *found: it leads to
 *st. */
static const char *swap_path(char *line, struct stat *st, bool *found)
{
    char *rest = NULL, *name = strtok_r(line, " \t", &rest);
    const char *path = name ? octal_unescape(name) : NULL;
    if (!path || path[0] != '/')
        return NULL;
    *found = !stat(path, st);
    return path;
}

/* ---- block devices ---- */

#define NO_DESTROY "--destroy will not override this"

static int check_mount(void *context, char *line, struct err *e)
{
    struct guard_search *s = context;
    struct mountinfo mount;
    if (!mountinfo_parse(line, &mount))
        return 0;
    const struct guard_related *r = guard_find(s, mount.device);
    /* btrfs mounts have a device number of their own: there the source is looked at. */
    struct stat st;
    if (!r && mount.source[0] == '/' && !stat(mount.source, &st) && S_ISBLK(st.st_mode))
        r = guard_find(s, st.st_rdev);
    if (!r)
        return 0;
    char text[128];
    return err_set(e, ERR_UNSAFE, "%s: %s holds a mounted filesystem (%s); " NO_DESTROY, s->path,
                   guard_subject(r, text), mount.point);
}

static int check_device_swap(void *context, char *line, struct err *e)
{
    struct guard_search *s = context;
    struct stat st;
    char text[128];
    bool found;
    if (!swap_path(line, &st, &found) || !found)
        return 0;
    const struct guard_related *r = S_ISBLK(st.st_mode) ? guard_find(s, st.st_rdev) : NULL;
    if (r)
        return err_set(e, ERR_UNSAFE, "%s: %s is in use as swap; " NO_DESTROY, s->path,
                       guard_subject(r, text));
    for (unsigned i = 0; i < s->count && S_ISREG(st.st_mode); i++) {
        r = &s->related[i];
        const struct loop *l = r->loop;
        if (l && l->kind == LOOP_ON_FILE && l->backing == st.st_dev && l->inode == st.st_ino)
            return err_set(e, ERR_UNSAFE, "%s: the file below %s is in use as swap; " NO_DESTROY,
                           s->path, guard_subject(r, text));
    }
    return 0;
}

static int check_related(const struct guard_search *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct guard_related *r = &s->related[i];
        if (r->relation == GUARD_HOLDER || r->relation == GUARD_LOOP_ABOVE)
            return err_set(s->e, ERR_UNSAFE, "%s: %s is built on it (%s); " NO_DESTROY, s->path,
                           r->name,
                           r->relation == GUARD_HOLDER ? "device mapper, LVM, md or the like"
                                                       : "a loop device");
    }
    /* The kernel's word on what has the same bytes under another name, for this moment. */
    for (unsigned i = 0; i < s->count && !*s->root; i++) {
        const struct guard_related *r = &s->related[i];
        if (!(r->follow & GUARD_CLAIM))
            continue;
        int fd = device_number_open(r->name, false, r->device, O_RDONLY | O_EXCL | O_NONBLOCK);
        char text[128];
        if (fd >= 0)
            close(fd);
        else if (errno == EBUSY)
            return err_set(s->e, ERR_UNSAFE, "%s: the kernel says that %s is in use; " NO_DESTROY,
                           s->path, guard_subject(r, text));
    }
    return 0;
}

int guard_unused(const char *root, dev_t device, const char *path, struct err *e)
{
    static const struct {
        const char *table;
        bool required;
        check_line *check;
    } tables[] = {
        {"/proc/self/mountinfo", true, check_mount},
        /* Process 1 may see mounts that this process does not; it may also be hidden from us. */
        {"/proc/1/mountinfo", false, check_mount},
        {"/proc/swaps", false, check_device_swap},
    };
    struct guard_search *s = calloc(1, sizeof *s); /* too large for a small stack (ulimit -s) */
    if (!s)
        return err_set(e, ERR_MACHINE, "%s: there is no memory left to see who uses it", path);
    s->root = root;
    s->path = path;
    s->e = e;
    int status = guard_relate(s, device);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
        status =
            check_table(root, tables[i].table, tables[i].required, path, tables[i].check, s, e);
    if (!status)
        status = check_related(s);
    loops_free(&s->loops);
    free(s);
    return status;
}

/* What has bytes in common with the device; NULL: there is no memory. The caller ends it. */
static struct guard_search *search_around(const char *root, dev_t device, struct err *ignored)
{
    struct guard_search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->root = root;
    s->path = "";
    s->e = ignored;
    guard_relate(s, device);
    return s;
}

static void end_search(struct guard_search *s)
{
    loops_free(&s->loops);
    free(s);
}

bool guard_overlap(const char *root, dev_t device, dev_t other, char words[128])
{
    struct err ignored = {0};
    struct guard_search *s = search_around(root, device, &ignored);
    if (!s)
        return false;
    const struct guard_related *found = guard_find(s, other);
    if (found) {
        char text[128];
        snprintf(words, 128, "%s", guard_subject(found, text));
    }
    end_search(s);
    return found != NULL;
}

bool guard_keeps_in_file(const char *root, dev_t device, dev_t filesystem, ino_t inode)
{
    struct err ignored = {0};
    struct guard_search *s = search_around(root, device, &ignored);
    bool found = false;
    for (unsigned i = 0; s && i < s->count; i++) {
        const struct loop *l = s->related[i].loop;
        found |= l && l->kind == LOOP_ON_FILE && l->backing == filesystem && l->inode == inode;
    }
    if (s)
        end_search(s);
    return found;
}

/* ---- regular files ---- */

#define NO_OVERWRITE "--overwrite will not override this"

enum writers { NO_WRITERS, SOME_WRITERS, CANNOT_ASK };

/* Take a lease for reading and give it back at once. */
static enum writers try_lease(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK))
        return errno == EAGAIN ? SOME_WRITERS : CANNOT_ASK;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return NO_WRITERS;
}

/*
 * The kernel gives a lease for reading only on a file that nobody has open for writing, this
 * process included. Whoever opens the file while we have it waits that long, and the kernel sends
 * SIGIO: to this thread alone, which blocks it and takes it. Other threads may be those of a
 * program that uses the library and has signals of its own.
 */
static enum writers ask_for_writers(int fd)
{
    const struct f_owner_ex this_thread = {F_OWNER_TID, gettid()};
    const struct timespec no_time = {0};
    sigset_t sigio, blocked, pending;
    if (fcntl(fd, F_SETOWN_EX, &this_thread))
        return CANNOT_ASK;
    sigemptyset(&sigio);
    sigaddset(&sigio, SIGIO);
    pthread_sigmask(SIG_BLOCK, &sigio, &blocked);
    sigpending(&pending);
    enum writers answer = try_lease(fd);
    if (!sigismember(&pending, SIGIO)) /* else one waits for whoever had blocked it before */
        sigtimedwait(&sigio, NULL, &no_time);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    return answer;
}

struct guarded_file {
    const char *path;
    struct stat st;
};

/* A swap file that was removed has no path any more: it is taken to be any file without a name. */
static int check_file_swap(void *context, char *line, struct err *e)
{
    const struct guarded_file *f = context;
    struct stat st;
    bool found;
    const char *path = swap_path(line, &st, &found);
    if (!path)
        return 0;
    bool same = found ? st.st_dev == f->st.st_dev && st.st_ino == f->st.st_ino
                      : strstr(path, " (deleted)") && f->st.st_nlink == 0;
    return same ? err_set(e, ERR_UNSAFE, "%s: it is in use as swap; " NO_OVERWRITE, f->path) : 0;
}

int guard_file_unused(const char *root, int fd, const char *path, bool ours, struct err *e)
{
    struct guarded_file f = {.path = path};
    struct loops loops;
    char what[PATH_MAX];
    if (fstat(fd, &f.st))
        return guard_cannot_look(path, "its identity", e);
    enum writers writers = ours ? NO_WRITERS : ask_for_writers(fd);

    int status = loops_read(root, &loops) ? 0 : guard_cannot_look(path, "/sys/block", e);
    for (size_t i = 0; i < loops.count && !status; i++) {
        const struct loop *l = &loops.rows[i];
        snprintf(what, sizeof what, "the backing file of %s", l->name);
        if (l->kind == LOOP_ON_FILE && l->backing == f.st.st_dev && l->inode == f.st.st_ino)
            status = err_set(
                e, ERR_UNSAFE,
                "%s: the loop device %s lies on it (losetup -d /dev/%s detaches it); " NO_OVERWRITE,
                path, l->name, l->name);
        else if (l->kind == LOOP_UNKNOWN && writers == CANNOT_ASK) /* it may lie on this file */
            status = guard_cannot_look(path, what, e);
    }
    loops_free(&loops);
    if (status)
        return -1;

    /* A kernel without swap has no list of it; without /proc it cannot be known. */
    snprintf(what, sizeof what, "%s/proc/self", root);
    bool required = access(what, F_OK) != 0;
    if (check_table(root, "/proc/swaps", required, path, check_file_swap, &f, e))
        return -1;
    return writers == SOME_WRITERS ? err_set(e, ERR_UNSAFE,
                                             "%s: another program has it open for writing; end "
                                             "that program first; " NO_OVERWRITE,
                                             path)
                                   : 0;
}
