/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes, reads and atomically replaces whole files. */
#include "base/file/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/file/input_files.h"

const char *file_remedy(int error)
{
    return error == ENOSPC || error == EDQUOT ? "; make room and run again"
           : error == EROFS  ? "; choose a folder on another filesystem, /dev/shm for a try"
           : error == EACCES ? "; choose a folder that you may write to"
           : error == ENOENT ? "; the folder above it does not exist"
                             : "";
}

static int write_error(const char *path, int error, struct err *e)
{
    return err_set(e, ERR_TARGET, "cannot write %s: %s%s", path, strerror(error),
                   file_remedy(error));
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

bool send_message(int socket, const void *data, size_t length)
{
    ssize_t sent;
    do
        sent = send(socket, data, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

bool receive_message(int socket, void *data, size_t length)
{
    ssize_t got;
    do
        got = recv(socket, data, length, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)length;
}

int flush_data(int fd, const char *path, struct err *e)
{
    return fdatasync(fd) ? write_error(path, errno, e) : 0;
}

/* Reads until the end or until `room` bytes were read. Returns their number, or -1 with errno. */
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

/* Reads into a growing buffer, because the size of a pipe or of a file in /proc is not known
   before. */
static int read_open_file(int fd, const char *path, const char *mark, const char *kind, size_t max,
                          char **data, size_t *length, struct err *e)
{
    size_t capacity = 0, used = 0, mark_bytes = strlen(mark);
    for (;;) {
        capacity = capacity ? capacity * 2 : (size_t)64 << 10;
        char *larger = realloc(*data, capacity + 1);
        if (!larger)
            return err_no_memory(e, "more than %zu bytes of %s", used, path);
        *data = larger;
        ssize_t got = read_up_to(fd, larger + used, capacity - used);
        if (got < 0)
            return err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
        bool first = used == 0;
        used += (size_t)got;
        if (first && (used < mark_bytes || memcmp(larger, mark, mark_bytes) != 0))
            return err_set(e, ERR_USAGE, "%s: not %s", path, kind);
        /* A regular file that is too long is refused before the rest is read. */
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
    if (!status)
        input_files_add(fd);
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

bool file_has_mark(const char *path, const char *mark)
{
    char head[FILE_MARK_MAX];
    const size_t length = strlen(mark);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool has = fd >= 0 && length <= sizeof head &&
               read_up_to(fd, head, length) == (ssize_t)length && !memcmp(head, mark, length);
    if (fd >= 0)
        close(fd);
    return has;
}

bool dir_exists(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
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

/* Returns true for an empty folder. Returns false for anything else, also for a link to a
   folder. */
static bool is_empty_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    size_t entries = 0;
    if (!list) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while (entries <= 2 && readdir(list))
        entries++;
    closedir(list);
    return entries <= 2; /* "." and ".." */
}

int dir_make_or_empty(const char *path, struct err *e)
{
    return is_empty_folder(path) ? 0 : dir_make_new(path, e);
}

int dir_make_new(const char *path, struct err *e)
{
    if (!mkdir(path, 0777))
        return 0;
    if (errno == EEXIST)
        return err_set(e, ERR_USAGE, "%s exists already and is not overwritten: choose a new name",
                       path);
    return err_set(e, ERR_USAGE, "cannot make the folder %s: %s%s", path, strerror(errno),
                   file_remedy(errno));
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

int dir_flush(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool flushed = fd >= 0 && (!fsync(fd) || errno == EINVAL);
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return flushed ? 0 : -1;
}

/* Opens a new file beside the one to be replaced, under an unpredictable name. */
static int open_temporary(char *path, size_t size, const char *folder, const char *name,
                          struct err *e)
{
    char suffix[32];
    uint64_t id;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        return write_error(name, errno, e);
    snprintf(suffix, sizeof suffix, ".tmp-%016" PRIx64, id);
    if (join(path, size, folder, name, suffix, e))
        return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        int error = errno;
        path[strlen(path) - strlen(suffix)] = '\0';
        write_error(path, error, e);
    }
    return fd;
}

static int exists_already(const char *path, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s exists already and is not overwritten", path);
}

/* Gives the file its name only if no other file has that name. On filesystems without such a rename
   a hard link is made, or at least the name is checked first. */
static int name_new(const char *temporary, const char *path, struct err *e)
{
    struct stat st;
    if (!syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
        return 0;
    if (errno == EEXIST)
        return exists_already(path, e);
    if (errno != EINVAL && errno != ENOSYS)
        return write_error(path, errno, e);
    if (!link(temporary, path))
        return unlink(temporary) ? write_error(temporary, errno, e) : 0;
    if (errno == EEXIST || !lstat(path, &st))
        return exists_already(path, e);
    return rename(temporary, path) ? write_error(path, errno, e) : 0;
}

/* Checks whether the present file may be replaced. *there becomes the file's stat; st_mode is 0 if
   there is no file. */
static int look_at_old(const char *path, const char *mark, struct stat *there, struct err *e)
{
    char head[FILE_MARK_MAX];
    const size_t length = strlen(mark);
    *there = (struct stat){0};
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    bool is_file = fd >= 0 && !fstat(fd, there) && S_ISREG(there->st_mode);
    bool is_ours = is_file && length <= sizeof head &&
                   read_up_to(fd, head, length) == (ssize_t)length && !memcmp(head, mark, length);
    if (fd >= 0)
        close(fd);
    return is_ours ? 0
                   : err_set(e, ERR_USAGE, "%s is not cupel's own and is not overwritten: %s", path,
                             is_file ? "name another file, or remove it"
                                     : "it is no regular file that can be read");
}

/* Replaces exactly the file that was checked: the two names are exchanged first. If another file
   was put there since the check, that file gets its name back. */
static int replace_old(const char *temporary, const char *path, const struct stat *there,
                       struct err *e)
{
    struct stat old;
    if (syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE)) {
        if (errno == ENOENT) /* the old file was removed meanwhile */
            return name_new(temporary, path, e);
        if (errno != EINVAL && errno != ENOSYS)
            return write_error(path, errno, e);
        if (lstat(path, &old) || !file_is_same(&old, there))
            return exists_already(path, e);
        return rename(temporary, path) ? write_error(path, errno, e) : 0;
    }
    if (!lstat(temporary, &old) && file_is_same(&old, there))
        return unlink(temporary) ? write_error(temporary, errno, e) : 0;
    syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE);
    return exists_already(path, e);
}

/* Gives the new file the permissions of the old one, so that nobody else may read it. */
static int keep_permissions(int fd, const char *path, const struct stat *there, struct err *e)
{
    const bool given = !fchown(fd, there->st_uid, there->st_gid);
    /* Without the old group, permissions of the group would go to another group, so they are
       dropped. */
    const mode_t mode = there->st_mode & (given ? 0777 : 0707);
    struct stat st;
    if (!fchmod(fd, mode))
        return 0;
    const int error = errno; /* a filesystem without permissions gives all files the same mode */
    return fstat(fd, &st) || (st.st_mode & 0777 & ~mode) ? write_error(path, error, e) : 0;
}

/* `mark`: the mark of a file that may be replaced; NULL when the name must be new. */
static int put_file(const char *folder, const char *name, const char *mark, const void *data,
                    size_t length, struct err *e)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    struct stat there = {0};
    if (join(path, sizeof path, folder, name, "", e) ||
        (mark && look_at_old(path, mark, &there, e)))
        return -1;
    int fd = open_temporary(temporary, sizeof temporary, folder, name, e);
    if (fd < 0)
        return -1;
    int status = there.st_mode ? keep_permissions(fd, path, &there, e) : 0;
    if (!status)
        status = write_all(fd, data, length, path, e);
    if (!status && fsync(fd))
        status = write_error(path, errno, e);
    if (!status)
        status =
            there.st_mode ? replace_old(temporary, path, &there, e) : name_new(temporary, path, e);
    if (status)
        file_remove(fd, AT_FDCWD, temporary);
    else
        (void)dir_flush(folder);
    close(fd);
    return status;
}

int write_file_new(const char *folder, const char *name, const void *data, size_t length,
                   struct err *e)
{
    return put_file(folder, name, NULL, data, length, e);
}

int write_file_over(const char *folder, const char *name, const char *mark, const void *data,
                    size_t length, struct err *e)
{
    return put_file(folder, name, mark, data, length, e);
}

int file_may_be_written_over(const char *path, const char *mark, struct err *e)
{
    struct stat there;
    return look_at_old(path, mark, &there, e);
}

const char *file_missing_null(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return "; there is no /dev/null here that can be opened, which a program gets as its "
               "standard input";
    close(fd);
    return "";
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
