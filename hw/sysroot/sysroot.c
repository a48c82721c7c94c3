/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the root folder below which everything is read, and reads its paths, folders, links and
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

#define CLASS     "/sys/class/block"
#define BY_NUMBER "/sys/dev/block"

/* How to open a path: from the folder that is kept open if possible, otherwise from the root. */
struct sysroot_place {
    int at;
    const char *name;
    char full[PATH_MAX];
};

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

/* Reads the name of the device that the link "8:1" in the folder leads to. */
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

/* Writes the path by number of a device of /sys/class/block. Returns false if there is no such
   device. */
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

/* Returns the fact status for an errno of open, read and the like. */
static enum fact_status status_of(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
    /* drivers return this error when something is switched off, or has no value at present */
    case ENODATA:
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

/* Finds the descriptor and the name by which a path is opened, and shows the path to the watcher.
   `full` stays valid as long as `place`. */
static void locate(const struct sysroot *root, const char *path, struct sysroot_place *place)
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
    locate(root, path, &place);
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
        return errno == ENOTDIR ? FACT_INVALID : status_of(errno);
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
    locate(root, path, &place);
    ssize_t length = readlinkat(place.at, place.name, target, PATH_MAX - 1);
    if (length < 0) /* EINVAL: not a link */
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

/* ---- the contents of files ---- */

#define LINE_BYTES     (16u << 10)
#define FILE_MAX_BYTES (64u << 20)
#define ATTRIBUTE_MAX  4096

static enum fact_status open_any(const struct sysroot *root, const char *path, int *fd)
{
    struct sysroot_place place;
    locate(root, path, &place);
    /* Opens without O_CLOEXEC, for which musl makes an extra system call: the file is closed soon
       after. */
    *fd = openat(place.at, place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return *fd < 0 ? status_of(errno) : FACT_OK;
}

/* Returns `status`, or the status for an opened file that is not a regular one, or that was denied
   when it was captured. */
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

/* Opens a small file. For a file of the running kernel, close_small checks that it is a regular
   file, and only if reading failed or gave no data, which is rare. */
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
    /* Attributes of devices give all their data, up to a page, in one read. Files that the kernel
       makes record by record (/proc, cgroups, debugfs) may give less. */
    bool at_once = !strncmp(path, "/sys/", 5) && strncmp(path + 5, "fs/", 3) != 0 &&
                   strncmp(path + 5, "kernel/", 7) != 0;
    *used = 0;
    while (*used < size) {
        size_t room = size - *used;
        ssize_t got = read_some(fd, to + *used, room);
        if (got < 0)
            return status_of(errno);
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
            status = FACT_INVALID; /* the text fills the buffer, without its '\0' */
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
