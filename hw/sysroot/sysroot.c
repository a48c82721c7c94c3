/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The root below which everything is read; paths, folders and links there. sysroot_read.c reads
   files. */
#include "hw/sysroot/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/span.h"
#include "hw/sysroot/internal.h"

#define CLASS     "/sys/class/block"
#define BY_NUMBER "/sys/dev/block"

static bool is_below(const struct sysroot *root, const char *path)
{
    char full[PATH_MAX];
    return !access(sysroot_path(root, full, sizeof full, path), F_OK);
}

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
    root->by_number = !is_below(root, CLASS) && is_below(root, BY_NUMBER);
    return 0;
}

/* Writes the name of the device that the link "8:1" in that folder leads to. */
static bool name_of_number(int folder, const char *number, char name[NAME_MAX + 1])
{
    char target[PATH_MAX];
    const ssize_t length = readlinkat(folder, number, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    const char *slash = strrchr(target, '/'), *last = slash ? slash + 1 : target;
    if (strlen(last) > NAME_MAX)
        return false;
    span_copy(name, span_of(last));
    return true;
}

/* Writes the path of a device of /sys/class/block by its number; false: there is no such device. */
static bool path_by_number(const struct sysroot *root, const char *path, char to[PATH_MAX])
{
    char folder[sizeof root->prefix + sizeof BY_NUMBER], name[NAME_MAX + 1];
    const char *wanted = path + sizeof CLASS;
    const size_t length = strcspn(wanted, "/");
    bool found = false;
    snprintf(folder, sizeof folder, "%s" BY_NUMBER, root->prefix);
    DIR *links = opendir(folder);
    for (struct dirent *entry; links && !found && (entry = readdir(links));)
        if (name_of_number(dirfd(links), entry->d_name, name) &&
            span_is((struct span){wanted, length}, name))
            found = snprintf(to, PATH_MAX, BY_NUMBER "/%s%s", entry->d_name, wanted + length) <
                    PATH_MAX;
    if (links)
        closedir(links);
    return found;
}

char *sysroot_path(const struct sysroot *root, char *to, size_t size, const char *path)
{
    char other[PATH_MAX];
    if (root->by_number && !strncmp(path, CLASS "/", sizeof CLASS) &&
        path_by_number(root, path, other))
        path = other;
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
    case ENODATA: /* drivers return it when something is switched off, or has no value now */
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

/* Shows the path to the watcher. */
static void show_path(const struct sysroot *root, const char *path)
{
    if (root->watcher)
        root->watcher->saw(root->watcher->context, path);
}

void sysroot_locate(const struct sysroot *root, const char *path, struct sysroot_place *place)
{
    size_t length = 0;
    show_path(root, path);
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

/* ---- folders ---- */

static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return strverscmp(x, y);
}

enum fact_status sysroot_list(const struct sysroot *root, const char *path,
                              struct sysroot_names *names)
{
    char full[PATH_MAX];
    size_t capacity = 0;
    *names = (struct sysroot_names){0};
    show_path(root, path);
    const bool numbers = root->by_number && !strcmp(path, CLASS);
    DIR *folder = opendir(sysroot_path(root, full, sizeof full, numbers ? BY_NUMBER : path));
    if (!folder)
        return errno == ENOTDIR ? FACT_INVALID : sysroot_status(errno);
    bool room = true;
    for (struct dirent *entry; room && (entry = readdir(folder));) {
        char name[NAME_MAX + 1];
        if (entry->d_name[0] == '.' ||
            (numbers && !name_of_number(dirfd(folder), entry->d_name, name)))
            continue;
        if (!numbers)
            span_copy(name, span_of(entry->d_name));
        room = array_grow(&names->names, sizeof *names->names, names->count, &capacity);
        const char *copy = room ? pool_copy(&names->strings, name, strlen(name)) : NULL;
        room = copy;
        if (room)
            names->names[names->count++] = copy;
    }
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
    struct sysroot_place place;
    sysroot_locate(root, path, &place);
    ssize_t length = readlinkat(place.at, place.name, target, PATH_MAX - 1);
    if (length < 0) /* EINVAL: not a link */
        return errno == EINVAL ? FACT_INVALID : sysroot_status(errno);
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

/* Removes one part from the end of a path. */
static void leave_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Follows the parts of `target` from the folder in `to`, as the kernel does for a link in /sys. */
static bool walk_link(char *to, size_t size, const char *target)
{
    while (*target) {
        size_t length = strcspn(target, "/"), used = strlen(to);
        if (length == 2 && !strncmp(target, "..", 2)) {
            leave_folder(to);
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

enum fact_status sysroot_follow(const struct sysroot *root, const char *path, char *to, size_t size,
                                bool *absolute)
{
    char target[PATH_MAX];
    struct span whole = span_of(path);
    *absolute = false;
    if (whole.length >= size)
        return FACT_INVALID;
    span_copy(to, whole);
    if (read_link(root, path, target) != FACT_OK)
        return FACT_ABSENT;
    *absolute = target[0] == '/';
    leave_folder(to);
    if (*absolute)
        to[0] = '\0';
    if (walk_link(to, size, target) && span_is_text(span_of(to)))
        return FACT_OK;
    to[0] = '\0';
    return FACT_INVALID;
}

enum fact_status sysroot_folder(const struct sysroot *root, const char *path, char *to, size_t size)
{
    bool absolute;
    enum fact_status status = sysroot_follow(root, path, to, size, &absolute);
    if (status == FACT_ABSENT && sysroot_exists(root, path)) /* it is not a link */
        status = FACT_OK;
    return status;
}
