/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacks all folders and files first, then the links, so that nothing is ever written through a
   link. */
#include "hw/capture/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"

#define ANYBODY_READS (S_IRUSR | S_IRGRP | S_IROTH)

struct unpacking {
    struct tar_reader archive;
    const char *file; /* for messages */
    int at;           /* descriptor of the folder */
    size_t entries;   /* number of entries made so far */
};

static int cannot_make(const struct unpacking *u, const char *name, int error, struct err *e)
{
    if (error == EEXIST || error == ENOTDIR || error == EISDIR)
        return err_set(e, ERR_USAGE, "%s: no usable capture: %.200s is there twice", u->file, name);
    return err_set(e, ERR_MACHINE, "%s: cannot unpack %.200s: %s; TMPDIR says where to", u->file,
                   name, strerror(error));
}

static int count_entry(struct unpacking *u, struct err *e)
{
    if (++u->entries > TAR_MAX_ENTRIES)
        return err_set(e, ERR_USAGE, "%s: no usable capture: it has more than %d entries", u->file,
                       TAR_MAX_ENTRIES);
    return 0;
}

static int make_folder(struct unpacking *u, const char *name, struct err *e)
{
    struct stat s;
    if (!mkdirat(u->at, name, 0700))
        return count_entry(u, e);
    int error = errno;
    if (error == EEXIST && !fstatat(u->at, name, &s, AT_SYMLINK_NOFOLLOW) && S_ISDIR(s.st_mode))
        return 0;
    return cannot_make(u, name, error, e);
}

/* Makes the folders above a name. Most exist: the last one is tried first. */
static int make_folders_above(struct unpacking *u, const char *name, struct err *e)
{
    char above[TAR_NAME];
    struct stat s;
    const char *last = strrchr(name, '/');
    if (!last)
        return 0;
    memcpy(above, name, (size_t)(last - name));
    above[last - name] = '\0';
    if (!fstatat(u->at, above, &s, AT_SYMLINK_NOFOLLOW) && S_ISDIR(s.st_mode))
        return 0;
    for (char *slash = above; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (make_folder(u, above, e))
            return -1;
        *slash = '/';
    }
    return make_folder(u, above, e);
}

static int make_file(struct unpacking *u, const struct tar_member *m, struct err *e)
{
    bool denied = !(m->mode & ANYBODY_READS);
    int fd = openat(u->at, m->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    denied ? 0 : 0600);
    if (fd < 0)
        return cannot_make(u, m->name, errno, e);
    int status = count_entry(u, e);
    size_t length;
    for (uint64_t from = 0; !status && from < m->length; from += length) {
        const char *piece = tar_contents(&u->archive, m, from, &length, e);
        if (!piece)
            status = -1;
        else if (write_all(fd, piece, length, m->name, NULL))
            status = cannot_make(u, m->name, errno, e);
    }
    close(fd);
    return status;
}

/* Makes all members that are links, or all that are not. */
static int make_all(struct unpacking *u, bool links, struct err *e)
{
    struct tar_member m;
    int status;
    u->archive.at = 0;
    u->archive.members = 0;
    while ((status = tar_next(&u->archive, &m, e)) > 0) {
        if (links && m.kind == TAR_LINK) {
            if (symlinkat(m.target, u->at, m.name))
                return cannot_make(u, m.name, errno, e);
            if (count_entry(u, e))
                return -1;
        }
        if (links)
            continue;
        if (make_folders_above(u, m.name, e) ||
            (m.kind == TAR_FOLDER && make_folder(u, m.name, e)) ||
            (m.kind == TAR_FILE && make_file(u, &m, e)))
            return -1;
    }
    return status;
}

int tar_unpack(const char *file, int fd, const char *folder, struct err *e)
{
    struct stat s;
    if (fstat(fd, &s))
        return err_set(e, ERR_USAGE, "cannot read %s: %s", file, strerror(errno));
    if (s.st_size > (off_t)TAR_MAX_BYTES)
        return err_set(e, ERR_USAGE, "%s: no usable capture: it is larger than %zu MiB", file,
                       TAR_MAX_BYTES >> 20);
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return err_set(e, ERR_MACHINE, "cannot unpack into %s: %s", folder, strerror(errno));
    struct unpacking *u = calloc(1, sizeof *u); /* its window is too large for a small stack */
    int status = 0;
    if (!u) {
        status = err_no_memory(e, "unpacking %s", file);
    } else {
        u->file = file;
        u->at = at;
        u->archive.fd = fd;
        u->archive.length = (uint64_t)s.st_size;
        u->archive.file = file;
        status = make_all(u, false, e);
        if (!status)
            status = make_all(u, true, e);
    }
    close(at);
    free(u);
    return status;
}
