/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A new file that has no name, or a temporary one, until it is complete. */
#include "hw/capture/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file.h"

/* RENAME_NOREPLACE of linux/fs.h, which clashes with the C library's headers. */
#define RENAME_NO_OTHER 1u

#define OWN_FILE_FORMAT "/proc/self/fd/%d"
#define OWN_FILE        32

static int exists_already(const char *name, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s exists already and is not overwritten: choose a new name",
                   name);
}

static int cannot_make(const char *name, int error, struct err *e)
{
    return err_set(e, ERR_USAGE, "cannot make %.300s: %s", name, strerror(error));
}

static int cannot_write(const char *name, struct err *e)
{
    return err_set(e, ERR_TARGET, "cannot write %.300s: %s", name, strerror(errno));
}

/* Opens the file before there is anything to write, so that a wrong name is reported at once. */
int capture_file_open(struct capture_file *f, const char *name, struct err *e)
{
    struct stat s;
    *f = (struct capture_file){.name = name};
    if (!lstat(name, &s))
        return exists_already(name, e);
    if (errno != ENOENT)
        return cannot_make(name, errno, e);
    /* A nameless file can only be named later through /proc. */
    char folder[PATH_MAX], own[OWN_FILE];
    const char *slash = strrchr(name, '/');
    int length = slash == name ? 1 : (int)(slash ? slash - name : 0);
    snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? name : ".");
    f->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (f->fd >= 0) {
        snprintf(own, sizeof own, OWN_FILE_FORMAT, f->fd);
        if (!access(own, F_OK))
            return 0;
        close(f->fd);
    }
    if (snprintf(f->part, sizeof f->part, "%s.part-XXXXXX", name) >= (int)sizeof f->part)
        return cannot_make(name, ENAMETOOLONG, e);
    f->fd = mkostemp(f->part, O_CLOEXEC);
    return f->fd < 0 ? cannot_make(name, errno, e) : 0;
}

int capture_file_keep(struct capture_file *f, const void *data, size_t length, struct err *e)
{
    if (write_all(f->fd, data, length, f->name, e))
        return -1;
    if (fsync(f->fd))
        return cannot_write(f->name, e);
    if (!f->part[0]) {
        char own[OWN_FILE];
        snprintf(own, sizeof own, OWN_FILE_FORMAT, f->fd);
        if (!linkat(AT_FDCWD, own, AT_FDCWD, f->name, AT_SYMLINK_FOLLOW))
            return 0;
        return errno == EEXIST ? exists_already(f->name, e) : cannot_write(f->name, e);
    }
    /* Some filesystems do not support such a rename and refuse it: there the name is checked
       first. */
    struct stat s;
    if (syscall(SYS_renameat2, AT_FDCWD, f->part, AT_FDCWD, f->name, RENAME_NO_OTHER)) {
        if (errno == EEXIST || !lstat(f->name, &s))
            return exists_already(f->name, e);
        if (rename(f->part, f->name))
            return cannot_write(f->name, e);
    }
    f->part[0] = '\0';
    return 0;
}

void capture_file_close(struct capture_file *f)
{
    if (f->part[0])
        unlink(f->part);
    close(f->fd);
}
