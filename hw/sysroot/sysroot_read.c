/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rooted reads of files: small text whole or its first line, large text line by line, and bytes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "hw/sysroot/internal.h"

#define LINE_BYTES     (16u << 10)
#define FILE_MAX_BYTES (64u << 20)
#define ATTRIBUTE_MAX  4096

static enum fact_status open_any(const struct sysroot *root, const char *path, int *fd)
{
    struct sysroot_place place;
    sysroot_locate(root, path, &place);
    /* Without O_CLOEXEC, for which musl makes an extra system call: the file is closed in a
       moment. */
    *fd = openat(place.at, place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return *fd < 0 ? sysroot_status(errno) : FACT_OK;
}

/* Returns `status`, unless the opened file is not a regular one, or was denied in a capture. */
static enum fact_status judge_file(const struct sysroot *root, int fd, enum fact_status status)
{
    struct stat s;
    if (fstat(fd, &s) || !S_ISREG(s.st_mode))
        return FACT_INVALID;
    /* Root may read everything, so the mode shows what was denied on the captured machine. */
    bool denied = root->prefix[0] && !(s.st_mode & (S_IRUSR | S_IRGRP | S_IROTH));
    return denied ? FACT_DENIED : status;
}

static enum fact_status open_regular(const struct sysroot *root, const char *path, int *fd)
{
    enum fact_status status = open_any(root, path, fd);
    if (status == FACT_OK)
        status = judge_file(root, *fd, status);
    if (status != FACT_OK && *fd >= 0)
        close(*fd);
    return status;
}

/* A file of the running kernel is only judged after a read without data, which is rare. */
static enum fact_status open_small(const struct sysroot *root, const char *path, int *fd)
{
    return root->prefix[0] ? open_regular(root, path, fd) : open_any(root, path, fd);
}

static enum fact_status close_small(const struct sysroot *root, int fd, enum fact_status status,
                                    size_t got)
{
    if (!root->prefix[0] && (status != FACT_OK || !got))
        status = judge_file(root, fd, status);
    close(fd);
    return status;
}

/* Like read(), but repeated after interrupts. */
static ssize_t read_some(int fd, char *to, size_t room)
{
    ssize_t got;
    do
        got = read(fd, to, room);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Reads until `to` is full or the file ends. */
static enum fact_status read_whole(int fd, const char *path, char *to, size_t size, size_t *used)
{
    /* Attributes of devices give all their data, up to a page, at once. Files that the kernel makes
       record by record (/proc, cgroups, debugfs) may give less. */
    bool at_once = !strncmp(path, "/sys/", 5) && strncmp(path + 5, "fs/", 3) != 0 &&
                   strncmp(path + 5, "kernel/", 7) != 0;
    *used = 0;
    while (*used < size) {
        size_t room = size - *used;
        ssize_t got = read_some(fd, to + *used, room);
        if (got < 0)
            return sysroot_status(errno);
        *used += (size_t)got;
        if (got == 0 || (at_once && (size_t)got < room && got < ATTRIBUTE_MAX))
            break;
    }
    return FACT_OK;
}

/* Reads the first line, at most `size` bytes of it. */
static enum fact_status read_first(int fd, char *to, size_t size, size_t *used)
{
    *used = 0;
    while (*used < size) {
        ssize_t got = read_some(fd, to + *used, size - *used);
        if (got < 0)
            return sysroot_status(errno);
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
            status = FACT_INVALID; /* there is no room for the '\0' */
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
    char line[LINE_BYTES], block[4096];
    size_t length = 0, total = 0;
    ssize_t got;
    bool more = true;
    while (more && total < FILE_MAX_BYTES && (got = read_some(fd, block, sizeof block)) != 0) {
        if (got < 0) {
            status = sysroot_status(errno);
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
