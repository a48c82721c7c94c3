/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files as a whole: write all, read all, replace at once. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_identity.h"

#define TEMPORARY_NAMES 100

static int write_error(const char *path, int error, struct err *e)
{
    const char *advice = error == ENOSPC || error == EDQUOT ? "; make room and run again" : "";
    return err_set(e, ERR_TARGET, "cannot write %s: %s%s", path, strerror(error), advice);
}

bool file_path(char to[PATH_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, PATH_MAX, format, arguments);
    va_end(arguments);
    return length >= 0 && length < PATH_MAX;
}

int write_all(int fd, const void *data, size_t length, const char *path, struct err *e)
{
    const char *p = data;
    while (length) {
        ssize_t written = write(fd, p, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return write_error(path, written < 0 ? errno : EIO, e);
        p += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Reads until the end or until `room` bytes are there. Returns the count, or -1 with errno. */
static ssize_t read_up_to(int fd, char *to, size_t room)
{
    size_t used = 0;
    while (used < room) {
        ssize_t got = read(fd, to + used, room - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

/* Reads with a growing buffer: the size of a pipe or of a file of /proc is not known before. */
static int read_open_file(int fd, const char *path, const char *mark, const char *kind, size_t max,
                          char **data, size_t *length, struct err *e)
{
    size_t capacity = 0, used = 0, mark_bytes = strlen(mark);
    for (;;) {
        capacity = capacity ? capacity * 2 : (size_t)64 << 10;
        char *larger = realloc(*data, capacity + 1);
        if (!larger)
            return err_set(e, ERR_MACHINE, "cannot read %s: out of memory after %zu bytes", path,
                           used);
        *data = larger;
        ssize_t got = read_up_to(fd, larger + used, capacity - used);
        if (got < 0)
            return err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
        bool first = used == 0;
        used += (size_t)got;
        if (first && (used < mark_bytes || memcmp(larger, mark, mark_bytes) != 0))
            return err_set(e, ERR_USAGE, "%s: not %s", path, kind);
        /* Where the size is known it is compared before the rest is read. */
        struct stat s;
        bool too_long = used > max || (first && !fstat(fd, &s) && S_ISREG(s.st_mode) &&
                                       s.st_size > 0 && (uint64_t)s.st_size > max);
        if (too_long)
            return err_set(e, ERR_USAGE, "cannot read %s: it is longer than %zu bytes", path, max);
        if (used < capacity)
            break;
    }
    (*data)[used] = '\0';
    if (length)
        *length = used;
    return 0;
}

int file_read_kind(const char *path, const char *mark, const char *name, size_t max, char **data,
                   size_t *length, struct err *e)
{
    *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
    int status = read_open_file(fd, path, mark, name, max, data, length, e);
    close(fd);
    if (status) {
        free(*data);
        *data = NULL;
    }
    return status;
}

int file_read_all(const char *path, size_t max, char **data, size_t *length, struct err *e)
{
    return file_read_kind(path, "", "a file", max, data, length, e);
}

bool file_first_line(const char *path, char *line, size_t size)
{
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(line, (int)size, f);
    if (f)
        fclose(f);
    line[ok ? strcspn(line, "\n") : 0] = '\0';
    return ok;
}

int dir_make_new(const char *path, struct err *e)
{
    if (!mkdir(path, 0777))
        return 0;
    if (errno == EEXIST)
        return err_set(e, ERR_USAGE, "%s exists already and is not overwritten: choose a new name",
                       path);
    return err_set(e, ERR_USAGE, "cannot make the folder %s: %s", path, strerror(errno));
}

static int join(char *to, size_t size, const char *folder, const char *name, const char *suffix,
                struct err *e)
{
    int length = snprintf(to, size, "%s/%s%s", folder, name, suffix);
    if (length < 0 || (size_t)length >= size)
        return err_set(e, ERR_TARGET, "cannot write %.200s/%.100s: the name is too long", folder,
                       name);
    return 0;
}

/* A rename lasts once the folder is flushed. Some filesystems cannot do that and need not. */
static void flush_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* A new file beside the one that is to be replaced: what is there already is of others. */
static int open_temporary(char *path, size_t size, const char *folder, const char *name,
                          struct err *e)
{
    char suffix[16] = ".tmp";
    for (int i = 1;; i++) {
        if (join(path, size, folder, name, suffix, e))
            return -1;
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || i == TEMPORARY_NAMES)
            return fd >= 0 ? fd : write_error(path, errno, e);
        snprintf(suffix, sizeof suffix, ".tmp%d", i);
    }
}

int write_file_atomically(const char *folder, const char *name, const void *data, size_t length,
                          struct err *e)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (join(path, sizeof path, folder, name, "", e))
        return -1;
    int fd = open_temporary(temporary, sizeof temporary, folder, name, e);
    if (fd < 0)
        return -1;
    int status = write_all(fd, data, length, path, e);
    if (!status && (fsync(fd) || rename(temporary, path)))
        status = write_error(path, errno, e);
    if (status)
        file_remove(fd, AT_FDCWD, temporary);
    else
        flush_folder(folder);
    close(fd);
    return status;
}

void files_close(unsigned first, unsigned last)
{
    struct rlimit limit;
    unsigned end = 65536;
    if (first > last || !syscall(SYS_close_range, first, last, 0))
        return;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < end)
        end = (unsigned)limit.rlim_cur;
    for (unsigned fd = first; fd <= last && fd < end; fd++)
        close((int)fd);
}

void files_permit(size_t count)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)count;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}
