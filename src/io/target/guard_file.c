/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out who uses a regular file: loop devices, swap, and programs that have it open for
   writing. For a file on an overlay, also programs that have the underlying file open. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "io/target/guard.h"
#include "io/target/internal.h"

#define NO_OVERWRITE "--overwrite will not override this"

/* Takes a lease for reading and releases it at once. */
static enum writers try_lease(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK))
        return errno == EAGAIN ? SOME_WRITERS : CANNOT_ASK;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return NO_WRITERS;
}

/*
 * The kernel grants a lease for reading only on a file that nobody has open for writing, this
 * process included. A program that opens the file while the lease is held waits for its release,
 * and the kernel sends SIGIO, which is sent to this thread only, so that the thread can block and
 * take it. Other threads may belong to a program that uses the library and has its own signals.
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
    /* a SIGIO that was pending before belongs to the code that blocked it */
    if (!sigismember(&pending, SIGIO))
        sigtimedwait(&sigio, NULL, &no_time);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    return answer;
}

struct guarded_file {
    const char *path;
    struct stat st;
};

/* A deleted swap file has no path any more, so any file without a name may be this swap file. */
static int check_file_swap(void *context, char *line, struct err *e)
{
    const struct guarded_file *f = context;
    struct stat st;
    bool found;
    const char *path = guard_swap_path(line, &st, &found);
    if (!path)
        return 0;
    bool same = found ? st.st_dev == f->st.st_dev && st.st_ino == f->st.st_ino
                      : strstr(path, " (deleted)") && f->st.st_nlink == 0;
    return same ? err_set(e, ERR_UNSAFE, "%s: it is in use as swap; " NO_OVERWRITE, f->path) : 0;
}

/* ---- who writes a regular file ---- */

static bool is_file(void *context, const struct stat *st)
{
    const struct stat *file = context;
    return S_ISREG(st->st_mode) && st->st_dev == file->st_dev && st->st_ino == file->st_ino;
}

/* Asks by a lease, or, if the kernel grants none, by a search of all processes, after which `o`
   names the writer. */
static enum writers ask_about(int fd, const struct stat *st, struct open_search *o)
{
    struct stat file = *st;
    enum writers answer = ask_for_writers(fd);
    *o = (struct open_search){.is_it = is_file, .context = &file};
    if (answer == CANNOT_ASK)
        answer = open_writers_find(o);
    o->context = NULL;
    return answer;
}

static int check_file_writers(const char *root, int fd, const struct stat *st, const char *path,
                              struct guard_sight *sight, struct err *e)
{
    struct open_search o;
    struct stat upper_st;
    char who[64] = "another program";
    enum writers answer = ask_about(fd, st, &o);
    int upper = answer == SOME_WRITERS ? -1 : overlay_open_upper(root, fd, st);
    if (upper >= 0 && !fstat(upper, &upper_st)) {
        enum writers below = ask_about(upper, &upper_st, &o);
        answer = below == NO_WRITERS ? answer : below;
    }
    if (upper >= 0)
        close(upper);
    if (o.process)
        snprintf(who, sizeof who, "%s (process %d)", o.program, (int)o.process);
    if (answer == SOME_WRITERS)
        return err_set(e, ERR_UNSAFE,
                       "%s: %s has it open for writing; end that program first; " NO_OVERWRITE,
                       path, who);
    return answer == CANNOT_ASK ? guard_cannot_see(path, sight, e) : 0;
}

/* ---- regular files ---- */

/* Refuses a file on which a loop device lies. `unknown` becomes the name of a loop device that may
   lie on any file, or "". */
static int check_file_loops(const char *root, const struct stat *st, const char *path,
                            char unknown[64], struct err *e)
{
    struct loops loops;
    int status = loops_read(root, &loops) ? 0 : guard_cannot_look(path, "/sys/block", e);
    for (size_t i = 0; i < loops.count && !status; i++) {
        const struct loop *l = &loops.rows[i];
        if (loop_is_on_file(l, st->st_dev, st->st_ino))
            status = err_set(
                e, ERR_UNSAFE,
                "%s: the loop device %s lies on it (losetup -d /dev/%s detaches it); " NO_OVERWRITE,
                path, l->name, l->name);
        else if (l->kind == LOOP_UNKNOWN)
            snprintf(unknown, 64, "the backing file of %s", l->name);
    }
    loops_free(&loops);
    return status;
}

int guard_file_unused(const char *root, int fd, const char *path, bool ours,
                      struct guard_sight *sight, struct err *e)
{
    struct guarded_file f = {.path = path};
    char what[PATH_MAX], unknown[64] = "";
    if (fstat(fd, &f.st))
        return guard_cannot_look(path, "its identity", e);
    if (check_file_loops(root, &f.st, path, unknown, e))
        return -1;
    /* A kernel without swap has no such table; but without /proc at all, nothing is known about
       swap. */
    snprintf(what, sizeof what, "%s/proc/self", root);
    bool required = access(what, F_OK) != 0;
    if (guard_check_table(root, "/proc/swaps", required, path, check_file_swap, &f, e))
        return -1;
    if (ours)
        return 0;
    /* If a lease is granted, no loop device lies on the file either, because a loop device has its
       file open for writing. */
    if (*unknown && ask_for_writers(fd) == CANNOT_ASK)
        return guard_cannot_look(path, unknown, e);
    return check_file_writers(root, fd, &f.st, path, sight, e);
}
