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

#define LINE_MOST (16u << 10)
#define FILE_MOST (64u << 20)

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
    size_t above = strlen(root->prefix), below = strlen(path) + 1;
    if (above + below <= size) {
        memcpy(to, root->prefix, above);
        memcpy(to + above, path, below);
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

static enum fact_status open_regular(const struct sysroot *root, const char *path, int *fd)
{
    char full[PATH_MAX];
    tell(root, path);
    /* Without O_CLOEXEC, for which musl makes a system call of its own: it is closed in a moment.
     */
    *fd = open(sysroot_path(root, full, sizeof full, path), O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return status_of(errno);
    struct stat s;
    bool regular = !fstat(*fd, &s) && S_ISREG(s.st_mode);
    if (regular && !denied_by_capture(root, &s))
        return FACT_OK;
    close(*fd);
    *fd = -1;
    return regular ? FACT_DENIED : FACT_INVALID;
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

/* Fills `to` until it is full, the file ends or, when `one_line`, a line has ended. */
static enum fact_status read_text(int fd, char *to, size_t size, bool one_line, size_t *used)
{
    ssize_t got = 1;
    *used = 0;
    while (*used < size) {
        got = read_some(fd, to + *used, size - *used);
        if (got < 0)
            return status_of(errno);
        if (got == 0)
            return FACT_OK;
        char *newline = one_line ? memchr(to + *used, '\n', (size_t)got) : NULL;
        if (newline) {
            *used = (size_t)(newline - to);
            return FACT_OK;
        }
        *used += (size_t)got;
    }
    return FACT_INVALID; /* no room was left for the '\0' */
}

static enum fact_status read_file(const struct sysroot *root, const char *path, char *to,
                                  size_t size, bool one_line)
{
    if (!size)
        return FACT_INVALID;
    int fd;
    size_t used = 0;
    enum fact_status status = open_regular(root, path, &fd);
    if (status == FACT_OK) {
        status = read_text(fd, to, size, one_line, &used);
        close(fd);
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
    size_t above = strlen(folder), below = strlen(name) + 1;
    if (above + 1 + below > size) {
        to[0] = '\0';
        return to;
    }
    memcpy(to, folder, above);
    to[above] = '/';
    memcpy(to + above + 1, name, below);
    return to;
}

enum fact_status sysroot_bytes(const struct sysroot *root, const char *path, void *to, size_t size,
                               size_t *got)
{
    int fd;
    *got = 0;
    enum fact_status status = open_regular(root, path, &fd);
    if (status != FACT_OK)
        return status;
    ssize_t n = 1;
    while (*got < size && (n = read_some(fd, (char *)to + *got, size - *got)) > 0)
        *got += (size_t)n;
    if (n < 0)
        status = status_of(errno);
    close(fd);
    return status;
}

bool sysroot_exists(const struct sysroot *root, const char *path)
{
    char full[PATH_MAX];
    struct stat s;
    tell(root, path);
    return !stat(sysroot_path(root, full, sizeof full, path), &s);
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
    char full[PATH_MAX];
    tell(root, path);
    ssize_t length = readlink(sysroot_path(root, full, sizeof full, path), target, PATH_MAX - 1);
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
            memcpy(to + used + 1, target, length);
            to[used + 1 + length] = '\0';
        }
        target += length + (target[length] == '/');
    }
    return true;
}

enum fact_status sysroot_folder(const struct sysroot *root, const char *path, char *to, size_t size)
{
    char target[PATH_MAX];
    int length = snprintf(to, size, "%s", path);
    if (length < 0 || (size_t)length >= size)
        return FACT_INVALID;
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
