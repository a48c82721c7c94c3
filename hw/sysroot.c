/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rooted reads of small text files. */
#include "hw/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"

#define LINE_MOST      (16u << 10)
#define FILE_MOST      (64u << 20)
#define ATTRIBUTE_MOST 4096

int sysroot_open(struct sysroot *root, const char *folder, struct err *e)
{
    *root = (struct sysroot){0};
    if (!folder || !strcmp(folder, "/"))
        return 0;
    struct stat s;
    if (stat(folder, &s))
        return err_set(e, ERR_USAGE, "cannot read the system root %s: %s", folder, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return err_set(e, ERR_USAGE, "the system root %s is not a folder", folder);
    int length = snprintf(root->prefix, sizeof root->prefix, "%s", folder);
    if (length < 0 || (size_t)length >= sizeof root->prefix)
        return err_set(e, ERR_USAGE, "the path of the system root is longer than %zu bytes",
                       sizeof root->prefix - 1);
    return 0;
}

char *sysroot_path(const struct sysroot *root, char *to, size_t size, const char *path)
{
    struct span above = span_of(root->prefix), below = span_of(path);
    if (above.length + below.length < size) {
        span_copy(span_copy(to, above), below);
    } else if (size) {
        to[0] = '\0';
    }
    return to;
}

static enum fact_status status_of(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
    case ENODATA: /* drivers: it is switched off, or has no value now */
    case EAGAIN:
    case EINVAL:
        return FACT_ABSENT;
    case EACCES:
    case EPERM:
        return FACT_DENIED;
    default:
        return FACT_INVALID;
    }
}

void sysroot_near_open(struct sysroot *near, const struct sysroot *root, const char *folder)
{
    char full[PATH_MAX];
    *near = *root;
    sysroot_path(root, full, sizeof full, folder);
    near->near_fd = open(full, O_PATH | O_DIRECTORY);
    near->near = folder;
    near->near_length = near->near_fd < 0 ? 0 : strlen(folder);
}

void sysroot_near_close(struct sysroot *near)
{
    if (near->near_length)
        close(near->near_fd);
    near->near_length = 0;
}

static void tell(const struct sysroot *root, const char *path)
{
    if (root->watcher)
        root->watcher->saw(root->watcher->context, path);
}

/* Root may read everything: the mode tells what the machine that was captured denied. */
static bool denied_by_capture(const struct sysroot *root, const struct stat *s)
{
    return root->prefix[0] && !(s->st_mode & (S_IRUSR | S_IRGRP | S_IROTH));
}

/* Where a path leads: below the folder that is kept open when it can, else from the root on. */
struct place {
    int at;
    const char *name;
    char full[PATH_MAX];
};

static void locate(const struct sysroot *root, const char *path, struct place *place)
{
    size_t near = root->near_length;
    tell(root, path);
    if (near && !strncmp(path, root->near, near) && path[near] == '/' && path[near + 1]) {
        place->at = root->near_fd;
        place->name = path + near + 1;
    } else {
        place->at = AT_FDCWD;
        place->name = sysroot_path(root, place->full, sizeof place->full, path);
    }
}

static enum fact_status open_any(const struct sysroot *root, const char *path, int *fd)
{
    struct place place;
    locate(root, path, &place);
    /* Without O_CLOEXEC, for which musl makes a system call of its own: it is closed in a moment.
     */
    *fd = openat(place.at, place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return *fd < 0 ? status_of(errno) : FACT_OK;
}

/* `status`, unless what was opened is no regular file, or one of a capture that was denied. */
static enum fact_status judge(const struct sysroot *root, int fd, enum fact_status status)
{
    struct stat s;
    if (fstat(fd, &s) || !S_ISREG(s.st_mode))
        return FACT_INVALID;
    return denied_by_capture(root, &s) ? FACT_DENIED : status;
}

static enum fact_status open_regular(const struct sysroot *root, const char *path, int *fd)
{
    enum fact_status status = open_any(root, path, fd);
    if (status == FACT_OK)
        status = judge(root, *fd, status);
    if (status != FACT_OK && *fd >= 0)
        close(*fd);
    return status;
}

/* What the kernel shows of itself has its say after a read that gave nothing: most give something.
 */
static enum fact_status open_small(const struct sysroot *root, const char *path, int *fd)
{
    return root->prefix[0] ? open_regular(root, path, fd) : open_any(root, path, fd);
}

static enum fact_status close_small(const struct sysroot *root, int fd, enum fact_status status,
                                    size_t got)
{
    if (!root->prefix[0] && (status != FACT_OK || !got))
        status = judge(root, fd, status);
    close(fd);
    return status;
}

/* As read(), over interrupts. */
static ssize_t read_some(int fd, char *to, size_t room)
{
    ssize_t got;
    do
        got = read(fd, to, room);
    while (got < 0 && errno == EINTR);
    return got;
}

/*
 * Did a read that gave so little reach the end? Attributes of devices give all they have up to a
 * page at once; what the kernel makes up record by record (/proc, cgroups, debugfs) may give less.
 */
static bool is_end(const char *path, size_t got, size_t asked)
{
    return got < asked && got < ATTRIBUTE_MOST && !strncmp(path, "/sys/", 5) &&
           strncmp(path + 5, "fs/", 3) != 0 && strncmp(path + 5, "kernel/", 7) != 0;
}

/* What read() gives at a time, until `to` is full or the file ends. */
static enum fact_status read_whole(int fd, const char *path, char *to, size_t size, size_t *used)
{
    *used = 0;
    while (*used < size) {
        size_t room = size - *used;
        ssize_t got = read_some(fd, to + *used, room);
        if (got < 0)
            return status_of(errno);
        *used += (size_t)got;
        if (got == 0 || is_end(path, (size_t)got, room))
            break;
    }
    return FACT_OK;
}

/* The first line, of `size` bytes at most. */
static enum fact_status read_first(int fd, char *to, size_t size, size_t *used)
{
    *used = 0;
    while (*used < size) {
        ssize_t got = read_some(fd, to + *used, size - *used);
        if (got < 0)
            return status_of(errno);
        if (got == 0)
            return FACT_OK;
        char *newline = memchr(to + *used, '\n', (size_t)got);
        if (newline) {
            *used = (size_t)(newline - to);
            return FACT_OK;
        }
        *used += (size_t)got;
    }
    return FACT_OK;
}

static enum fact_status read_file(const struct sysroot *root, const char *path, char *to,
                                  size_t size, bool one_line)
{
    if (!size)
        return FACT_INVALID;
    int fd;
    size_t used = 0;
    enum fact_status status = open_small(root, path, &fd);
    if (status == FACT_OK) {
        status = one_line ? read_first(fd, to, size, &used) : read_whole(fd, path, to, size, &used);
        if (status == FACT_OK && used == size)
            status = FACT_INVALID; /* no room is left for the '\0' */
        status = close_small(root, fd, status, used);
    }
    if (status == FACT_OK && !span_is_text((struct span){to, used}))
        status = FACT_INVALID;
    if (one_line && used && to[used - 1] == '\r')
        used--;
    to[status == FACT_OK ? used : 0] = '\0';
    return status;
}

enum fact_status sysroot_line(const struct sysroot *root, const char *path, char *to, size_t size)
{
    return read_file(root, path, to, size, true);
}

enum fact_status sysroot_all(const struct sysroot *root, const char *path, char *to, size_t size)
{
    return read_file(root, path, to, size, false);
}

enum fact_status sysroot_each_line(const struct sysroot *root, const char *path,
                                   sysroot_line_function *each, void *context)
{
    int fd;
    enum fact_status status = open_regular(root, path, &fd);
    if (status != FACT_OK)
        return status;
    char line[LINE_MOST], block[4096];
    size_t length = 0, total = 0;
    ssize_t got;
    bool more = true;
    while (more && total < FILE_MOST && (got = read_some(fd, block, sizeof block)) != 0) {
        if (got < 0) {
            status = status_of(errno);
            break;
        }
        total += (size_t)got;
        for (ssize_t i = 0; more && i < got; i++) {
            if (block[i] == '\n') {
                line[length] = '\0';
                length = 0;
                more = each(context, line);
            } else if (length < sizeof line - 1) {
                line[length++] = block[i];
            }
        }
    }
    if (more && length && status == FACT_OK) {
        line[length] = '\0';
        each(context, line);
    }
    close(fd);
    return status;
}

char *sysroot_join(char *to, size_t size, const char *folder, const char *name)
{
    struct span above = span_of(folder), below = span_of(name);
    if (above.length + 1 + below.length >= size) {
        to[0] = '\0';
        return to;
    }
    char *slash = span_copy(to, above);
    *slash = '/';
    span_copy(slash + 1, below);
    return to;
}

enum fact_status sysroot_bytes(const struct sysroot *root, const char *path, void *to, size_t size,
                               size_t *got)
{
    int fd;
    *got = 0;
    enum fact_status status = open_small(root, path, &fd);
    if (status != FACT_OK)
        return status;
    status = read_whole(fd, path, to, size, got);
    return close_small(root, fd, status, *got);
}

bool sysroot_exists(const struct sysroot *root, const char *path)
{
    struct place place;
    struct stat s;
    locate(root, path, &place);
    return !fstatat(place.at, place.name, &s, 0);
}

/* ---- folders ---- */

static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return strverscmp(x, y);
}

static bool add_name(struct sysroot_names *names, size_t *capacity, const char *name)
{
    if (names->count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 32;
        const char **larger = realloc(names->names, *capacity * sizeof *larger);
        if (!larger)
            return false;
        names->names = larger;
    }
    const char *copy = pool_copy(&names->strings, name, strlen(name));
    if (copy)
        names->names[names->count++] = copy;
    return copy;
}

enum fact_status sysroot_list(const struct sysroot *root, const char *path,
                              struct sysroot_names *names)
{
    char full[PATH_MAX];
    size_t capacity = 0;
    *names = (struct sysroot_names){0};
    tell(root, path);
    DIR *folder = opendir(sysroot_path(root, full, sizeof full, path));
    if (!folder)
        return errno == ENOTDIR ? FACT_INVALID : status_of(errno);
    bool room = true;
    for (struct dirent *entry; room && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            room = add_name(names, &capacity, entry->d_name);
    closedir(folder);
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, compare_names);
    return room ? FACT_OK : FACT_INVALID;
}

void sysroot_names_free(struct sysroot_names *names)
{
    free(names->names);
    pool_free(&names->strings);
    *names = (struct sysroot_names){0};
}

/* ---- links ---- */

static enum fact_status read_link(const struct sysroot *root, const char *path,
                                  char target[PATH_MAX])
{
    struct place place;
    locate(root, path, &place);
    ssize_t length = readlinkat(place.at, place.name, target, PATH_MAX - 1);
    if (length < 0) /* EINVAL: it is no link */
        return errno == EINVAL ? FACT_INVALID : status_of(errno);
    target[length] = '\0';
    return FACT_OK;
}

enum fact_status sysroot_link(const struct sysroot *root, const char *path, char *to, size_t size)
{
    char target[PATH_MAX];
    if (!size)
        return FACT_INVALID;
    to[0] = '\0';
    enum fact_status status = read_link(root, path, target);
    if (status != FACT_OK)
        return status;
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    if (!*name || strlen(name) >= size || !span_is_text(span_of(name)))
        return FACT_INVALID;
    memcpy(to, name, strlen(name) + 1);
    return FACT_OK;
}

/* Take one part off the end of a path. */
static void leave(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Walk the parts of `target` from the folder in `to`: what the kernel makes of a link in /sys. */
static bool walk(char *to, size_t size, const char *target)
{
    while (*target) {
        size_t length = strcspn(target, "/"), used = strlen(to);
        if (length == 2 && !strncmp(target, "..", 2)) {
            leave(to);
        } else if (length && !(length == 1 && *target == '.')) {
            if (used + length + 2 > size)
                return false;
            to[used] = '/';
            span_copy(to + used + 1, (struct span){target, length});
        }
        target += length + (target[length] == '/');
    }
    return true;
}

enum fact_status sysroot_folder(const struct sysroot *root, const char *path, char *to, size_t size)
{
    char target[PATH_MAX];
    struct span whole = span_of(path);
    if (whole.length >= size)
        return FACT_INVALID;
    span_copy(to, whole);
    enum fact_status status = read_link(root, path, target);
    if (status != FACT_OK) /* EINVAL: no link */
        return sysroot_exists(root, path) ? FACT_OK : FACT_ABSENT;
    leave(to);
    if (target[0] == '/')
        to[0] = '\0';
    if (walk(to, size, target) && span_is_text(span_of(to)))
        return FACT_OK;
    to[0] = '\0';
    return FACT_INVALID;
}
