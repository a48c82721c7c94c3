/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the files of blktrace, one for each processor: NAME.blktrace.0, NAME.blktrace.1 and so on.
 */
#include "source/trace/internal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENDING ".blktrace."

static bool is_file_of(const char *name, const char *beginning)
{
    size_t length = strlen(beginning);
    if (strncmp(name, beginning, length) != 0)
        return false;
    const char *ending = *beginning ? name + length : strstr(name, ENDING);
    if (!ending || strncmp(ending, ENDING, strlen(ENDING)) != 0)
        return false;
    const char *digits = ending + strlen(ENDING);
    return *digits && strspn(digits, "0123456789") == strlen(digits);
}

static int add_path(struct trace_paths *found, const char *path, struct err *e)
{
    const char *copy = pool_copy(&found->names, path, strlen(path));
    if (found->count == TRACE_FILES_MAX)
        return err_set(e, ERR_USAGE, "%s: more files than %d, which a trace can have", path,
                       TRACE_FILES_MAX);
    if (!copy)
        return err_no_memory(e, "the names of a trace");
    found->path[found->count++] = copy;
    return 0;
}

/* Lists the files of a folder whose names begin with `beginning`; "" means all. */
static int list_folder(struct trace_paths *found, const char *name, const char *beginning,
                       struct err *e)
{
    DIR *folder = opendir(name);
    if (!folder)
        return err_set(e, ERR_USAGE, "%s: it cannot be read: %s", name, strerror(errno));
    int status = 0;
    for (const struct dirent *entry; !status && (entry = readdir(folder));) {
        char path[PATH_MAX];
        if (!is_file_of(entry->d_name, beginning))
            continue;
        int length = snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        status = length < (int)sizeof path
                     ? add_path(found, path, e)
                     : err_set(e, ERR_USAGE, "%s: the path is too long", name);
    }
    closedir(folder);
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Finds the files that one path stands for. */
static int find_files(struct trace_paths *found, const char *path, struct err *e)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return add_path(found, path, e);
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode)) {
        if (list_folder(found, path, "", e))
            return -1;
        if (found->count == 0)
            return err_set(e, ERR_USAGE, "%s: a folder without files of blktrace (NAME" ENDING "0)",
                           path);
    } else if (!is_there) {
        /* The path is the beginning of files' names, or there are no such files. */
        char folder[PATH_MAX];
        const char *slash = strrchr(path, '/');
        int length = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
                              slash ? path : ".");
        if (length >= (int)sizeof folder)
            return err_set(e, ERR_USAGE, "the path of the trace is too long");
        const char *beginning = slash ? slash + 1 : path;
        struct err ignored;
        if (*beginning && list_folder(found, length ? folder : "/", beginning, &ignored))
            found->count = 0;
    }
    if (found->count > 0)
        qsort(found->path, found->count, sizeof *found->path, compare_paths);
    return found->count ? 0 : add_path(found, path, e);
}

int trace_paths_find(struct trace_paths *found, const char *const paths[], size_t count,
                     struct err *e)
{
    *found = (struct trace_paths){0};
    if (count == 0)
        return err_set(e, ERR_USAGE, "no trace is named");
    found->path = calloc(TRACE_FILES_MAX, sizeof *found->path);
    int status = found->path ? 0 : err_no_memory(e, "the names of a trace");
    if (!status && count == 1)
        status = find_files(found, paths[0], e);
    for (size_t i = 0; !status && count > 1 && i < count; i++)
        status = strcmp(paths[i], "-") == 0
                     ? err_set(e, ERR_USAGE, "-: standard input cannot be one of several files")
                     : add_path(found, paths[i], e);
    if (status)
        trace_paths_free(found);
    return status;
}

void trace_paths_free(struct trace_paths *found)
{
    free(found->path);
    pool_free(&found->names);
    *found = (struct trace_paths){0};
}

int trace_files(const char *path, int (*each)(void *context, const char *file, struct err *e),
                void *context, struct err *e)
{
    struct trace_paths found;
    int status = trace_paths_find(&found, &path, 1, e);
    for (size_t i = 0; !status && i < found.count; i++)
        status = each(context, found.path[i], e);
    trace_paths_free(&found);
    return status;
}
