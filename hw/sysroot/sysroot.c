/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The root that everything is read below, and the paths there. Files are read by sysroot_read.c,
   folders and links by sysroot_folder.c. */
#include "hw/sysroot/sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "hw/sysroot/internal.h"

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

enum fact_status sysroot_status(int error)
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

void sysroot_watch(const struct sysroot *root, const char *path)
{
    if (root->watcher)
        root->watcher->saw(root->watcher->context, path);
}

void sysroot_locate(const struct sysroot *root, const char *path, struct sysroot_place *place)
{
    size_t length = 0;
    sysroot_watch(root, path);
    while (length < root->near_length && path[length] == root->near[length])
        length++;
    if (length && length == root->near_length && path[length] == '/' && path[length + 1]) {
        place->at = root->near_fd;
        place->name = path + length + 1;
    } else {
        place->at = AT_FDCWD;
        place->name = sysroot_path(root, place->full, sizeof place->full, path);
    }
}

bool sysroot_exists(const struct sysroot *root, const char *path)
{
    struct sysroot_place place;
    struct stat s;
    sysroot_locate(root, path, &place);
    return !fstatat(place.at, place.name, &s, 0);
}
