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
    int length = snprintf(to, size, "%s%s", root->prefix, path);
    if ((length < 0 || (size_t)length >= size) && size)
        to[0] = '\0';
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
        return FACT_ABSENT;
    case EACCES:
    case EPERM:
        return FACT_DENIED;
    default:
        return FACT_INVALID;
    }
}

static enum fact_status open_regular(const struct sysroot *root, const char *path, int *fd)
{
    char full[PATH_MAX];
    *fd = open(sysroot_path(root, full, sizeof full, path),
               O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return status_of(errno);
    struct stat s;
    if (!fstat(*fd, &s) && S_ISREG(s.st_mode))
        return FACT_OK;
    close(*fd);
    *fd = -1;
    return FACT_INVALID;
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

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum fact_status sysroot_list(const struct sysroot *root, const char *path,
                              struct sysroot_names *names)
{
    char full[PATH_MAX];
    names->count = 0;
    DIR *folder = opendir(sysroot_path(root, full, sizeof full, path));
    if (!folder)
        return errno == ENOTDIR ? FACT_INVALID : status_of(errno);
    for (struct dirent *entry; names->count < SYSROOT_NAMES && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || length >= sizeof names->names[0])
            continue;
        memcpy(names->names[names->count++], entry->d_name, length + 1);
    }
    closedir(folder);
    qsort(names->names, names->count, sizeof names->names[0], compare_names);
    return FACT_OK;
}

enum fact_status sysroot_link(const struct sysroot *root, const char *path, char *to, size_t size)
{
    char full[PATH_MAX], target[PATH_MAX];
    if (!size)
        return FACT_INVALID;
    to[0] = '\0';
    ssize_t length =
        readlink(sysroot_path(root, full, sizeof full, path), target, sizeof target - 1);
    if (length < 0)
        return status_of(errno);
    target[length] = '\0';
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    if (!*name || strlen(name) >= size || !span_is_text(span_of(name)))
        return FACT_INVALID;
    memcpy(to, name, strlen(name) + 1);
    return FACT_OK;
}
