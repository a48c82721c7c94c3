/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses a regular file: loop devices, swap, programs that write to it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/target/guard.h"
#include "io/target/internal.h"

#define NO_OVERRIDE "--overwrite will not override this"

enum writers { NO_WRITERS, SOME_WRITERS, CANNOT_ASK };

/*
 * The kernel gives a lease for reading only on a file that nobody has open for writing, this
 * process included. It is given back at once: whoever opens the file meanwhile waits that long, and
 * the kernel sends a signal.
 */
static enum writers ask_for_writers(int fd)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGIO, &ignore, &before);
    enum writers answer = NO_WRITERS;
    if (!fcntl(fd, F_SETLEASE, F_RDLCK))
        fcntl(fd, F_SETLEASE, F_UNLCK);
    else
        answer = errno == EAGAIN ? SOME_WRITERS : CANNOT_ASK;
    sigaction(SIGIO, &before, NULL);
    return answer;
}

struct file {
    const char *path;
    struct stat st;
};

/* A swap file that was removed has no path any more: it is taken to be any file without a name. */
static int check_swap_line(void *context, char *line, struct err *e)
{
    const struct file *f = context;
    struct stat st;
    const char *path = guard_swap_path(line);
    if (!path || path[0] != '/')
        return 0;
    bool same = stat(path, &st) ? strstr(path, " (deleted)") && f->st.st_nlink == 0
                                : st.st_dev == f->st.st_dev && st.st_ino == f->st.st_ino;
    return same ? err_set(e, ERR_UNSAFE, "%s: it is in use as swap; " NO_OVERRIDE, f->path) : 0;
}

/* `surely`: a loop device that cannot be looked up is taken to lie on this file. */
static int check_loops(const struct loops *loops, const struct file *f, bool surely, struct err *e)
{
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *l = &loops->rows[i];
        if (l->kind == LOOP_ON_FILE && l->backing == f->st.st_dev && l->inode == f->st.st_ino)
            return err_set(
                e, ERR_UNSAFE,
                "%s: the loop device %s lies on it (losetup -d /dev/%s detaches it); " NO_OVERRIDE,
                f->path, l->name, l->name);
        char what[64];
        snprintf(what, sizeof what, "the backing file of %s", l->name);
        if (l->kind == LOOP_UNKNOWN && surely)
            return guard_cannot_look(f->path, what, e);
    }
    return 0;
}

/* A kernel without swap has no list of it; without /proc it cannot be known. */
static int check_swaps(const char *root, struct file *f, struct err *e)
{
    char proc[PATH_MAX];
    snprintf(proc, sizeof proc, "%s/proc/self", root);
    return guard_check_table(root, "/proc/swaps", access(proc, F_OK) != 0, f->path, check_swap_line,
                             f, e);
}

int guard_file_unused(const char *root, int fd, const char *path, struct err *e)
{
    struct file f = {.path = path};
    struct loops loops;
    if (fstat(fd, &f.st))
        return guard_cannot_look(path, "its identity", e);
    enum writers writers = ask_for_writers(fd);
    int status = loops_read(root, &loops) ? check_loops(&loops, &f, writers == CANNOT_ASK, e)
                                          : guard_cannot_look(path, "/sys/block", e);
    loops_free(&loops);
    if (status || check_swaps(root, &f, e))
        return -1;
    return writers == SOME_WRITERS ? err_set(e, ERR_UNSAFE,
                                             "%s: another program has it open for writing; end "
                                             "that program first; " NO_OVERRIDE,
                                             path)
                                   : 0;
}
