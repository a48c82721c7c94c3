/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a folder durably, and walks folders. */
#include "appliance/menu/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder_remove.h"
#include "base/glob.h"

enum { DEPTH_MAX = 8, CHUNK = 256 << 10 };

static int failed(const char *what, const char *path, struct err *e)
{
    const char *advice = errno == ENOSPC ? "; it is full: make room" : "";
    return err_set(e, ERR_TARGET, "cannot %s %s: %s%s", what, path, strerror(errno), advice);
}

static int join(char to[PATH_MAX], const char *folder, const char *name, const char *suffix,
                struct err *e)
{
    if (snprintf(to, PATH_MAX, "%s/%s%s", folder, name, suffix) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return failed("reach", name, e);
}

/* ---- walking ---- */

static int no_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* The functions that a walk calls for each folder and each file. */
struct walk {
    int (*folder)(struct walk *w, const char *path, const char *below, struct err *e);
    int (*file)(struct walk *w, const char *path, const char *below, struct err *e);
    const char *to; /* for copying: the destination folder */
    char *chunk;    /* for copying: CHUNK bytes */
    each_file_function *each;
    void *context;
    unsigned depth;
};

static int walk_entry(struct walk *w, const char *path, const char *below, struct err *e);

/* Walks a folder; `below` is "" for the one where the walk began. */
static int walk_folder(struct walk *w, const char *path, const char *below, struct err *e)
{
    struct dirent **entries;
    int count = scandir(path, &entries, no_dots, alphasort), status = 0;
    if (count < 0)
        return failed("read", path, e);
    for (int i = 0; i < count; i++) {
        char inner[PATH_MAX], inner_below[PATH_MAX];
        const char *name = entries[i]->d_name;
        if (!status)
            status = join(inner, path, name, "", e);
        if (!status && *below)
            status = join(inner_below, below, name, "", e);
        else if (!status)
            snprintf(inner_below, sizeof inner_below, "%s", name);
        if (!status)
            status = walk_entry(w, inner, inner_below, e);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int walk_entry(struct walk *w, const char *path, const char *below, struct err *e)
{
    struct stat s;
    if (lstat(path, &s))
        return failed("read", path, e);
    if (S_ISREG(s.st_mode))
        return w->file(w, path, below, e);
    if (!S_ISDIR(s.st_mode) || w->depth == DEPTH_MAX)
        return 0;
    w->depth++;
    int status = w->folder(w, path, below, e);
    w->depth--;
    return status;
}

static int call_each(struct walk *w, const char *path, const char *below, struct err *e)
{
    return w->each(w->context, path, below, e);
}

int each_file(const char *folder, each_file_function *each, void *context, struct err *e)
{
    struct walk w = {.folder = walk_folder, .file = call_each, .each = each, .context = context};
    return walk_folder(&w, folder, "", e);
}

/* ---- copying ---- */

static int flush(const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed("flush", path, e);
    int status = fsync(fd) ? failed("flush", path, e) : 0;
    close(fd);
    return status;
}

static int copy_bytes(const struct walk *w, int in, int out, const char *path, const char *to,
                      struct err *e)
{
    for (;;) {
        ssize_t got = read(in, w->chunk, CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed("read", path, e);
        if (got == 0)
            return fsync(out) ? failed("write", to, e) : 0;
        if (write_all(out, w->chunk, (size_t)got, to, e))
            return -1;
    }
}

static int copy_file(struct walk *w, const char *path, const char *below, struct err *e)
{
    char to[PATH_MAX];
    if (join(to, w->to, below, "", e))
        return -1;
    int in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return failed("read", path, e);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int status = out < 0 ? failed("make", to, e) : copy_bytes(w, in, out, path, to, e);
    close(in);
    if (out >= 0 && close(out) && !status)
        status = failed("write", to, e);
    return status;
}

static int copy_folder(struct walk *w, const char *path, const char *below, struct err *e)
{
    char to[PATH_MAX];
    if (join(to, w->to, below, "", e))
        return -1;
    if (mkdir(to, 0777))
        return failed("make", to, e);
    return walk_folder(w, path, below, e) || flush(to, e) ? -1 : 0;
}

int keep_folder(const char *from, const char *parent, const char *name, struct err *e)
{
    char part[PATH_MAX], whole[PATH_MAX];
    if (join(whole, parent, name, "", e) || join(part, parent, name, ".part", e))
        return -1;
    if (access(whole, F_OK) == 0)
        return err_set(e, ERR_TARGET, "%s exists already", whole);
    remove_folder(part);
    struct walk w = {.folder = copy_folder, .file = copy_file, .to = part, .chunk = malloc(CHUNK)};
    if (!w.chunk)
        return err_no_memory(e, "copying %s", from);
    int status = mkdir(part, 0777) ? failed("make", part, e) : walk_folder(&w, from, "", e);
    free(w.chunk);
    if (!status)
        status = flush(part, e);
    if (!status && rename(part, whole))
        status = failed("make", whole, e);
    if (status)
        remove_folder(part);
    return status ? status : flush(parent, e);
}

void remove_folder(const char *path)
{
    int fd = folder_open(path);
    if (fd >= 0)
        folder_remove(fd, path, NULL);
}

static int is_unfinished(const struct dirent *entry)
{
    return glob_matches("20[0-9][0-9]-[01][0-9]-[0-3][0-9]-*.part", entry->d_name);
}

void remove_unfinished_folders(const char *parent)
{
    struct dirent **entries;
    int count = scandir(parent, &entries, is_unfinished, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        struct stat s;
        if (!join(path, parent, entries[i]->d_name, "", NULL) && !lstat(path, &s) &&
            S_ISDIR(s.st_mode))
            remove_folder(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}
