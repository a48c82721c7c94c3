/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders and symbolic links below the root. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/span.h"
#include "hw/sysroot/internal.h"

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
    sysroot_watch(root, path);
    DIR *folder = opendir(sysroot_path(root, full, sizeof full, path));
    if (!folder)
        return errno == ENOTDIR ? FACT_INVALID : sysroot_status(errno);
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
    struct sysroot_place place;
    sysroot_locate(root, path, &place);
    ssize_t length = readlinkat(place.at, place.name, target, PATH_MAX - 1);
    if (length < 0) /* EINVAL: it is no link */
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

/* Take one part off the end of a path. */
static void leave_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Walk the parts of `target` from the folder in `to`: what the kernel makes of a link in /sys. */
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
    leave_folder(to);
    if (target[0] == '/')
        to[0] = '\0';
    if (walk_link(to, size, target) && span_is_text(span_of(to)))
        return FACT_OK;
    to[0] = '\0';
    return FACT_INVALID;
}
