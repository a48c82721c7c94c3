/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the files that the program's command names or that it has open, and joins the data paths
   below them. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "program/exec/watch/internal.h"

/* Characters that may separate a file's name from other parts of a word: of=/tmp/a, --files=a:b,
   'cat <a'. */
#define WORD_ENDS " \t\n'\"=:,;|&<>()"

enum { OPEN_FILES_MAX = 512 };

/* ---- paths ---- */

static bool leads_to_storage(const struct data_path *path, const struct inventory *v)
{
    for (size_t i = 0; i < path->part_count; i++) {
        enum node_kind kind = v->nodes[path->parts[i].node].kind;
        if (kind == NODE_DISK || kind == NODE_MEMORY_DISK || kind == NODE_REMOTE)
            return true;
    }
    return false;
}

/* Adds the parts of `from` to the path. Everything after a part that both have is already known.
   Returns false if nothing is new. */
static bool merge_path(struct data_path *to, const struct data_path *from)
{
    int places[DATA_PATH_PARTS];
    bool is_new[DATA_PATH_PARTS] = {false}, any = false;
    to->full |= from->full;
    for (size_t i = 0; i < from->part_count; i++) {
        places[i] = data_path_part(to, from->parts[i].node);
        is_new[i] = places[i] < 0 && to->part_count < DATA_PATH_PARTS;
        any |= is_new[i];
        to->full |= places[i] < 0 && !is_new[i];
        if (!is_new[i])
            continue;
        places[i] = (int)to->part_count;
        to->parts[to->part_count++] = from->parts[i];
    }
    for (size_t e = 0; e < from->edge_count; e++) {
        const struct data_path_edge *edge = &from->edges[e];
        const bool has_room = to->edge_count < DATA_PATH_EDGES;
        if (!is_new[edge->from] || places[edge->to] < 0)
            continue;
        to->full |= !has_room;
        if (has_room)
            to->edges[to->edge_count++] =
                (struct data_path_edge){places[edge->from], places[edge->to], edge->writes_only};
    }
    return any;
}

static bool leaves_machine(const struct data_path *path, const struct inventory *v)
{
    for (size_t i = 0; i < path->part_count; i++)
        if (v->nodes[path->parts[i].node].kind == NODE_REMOTE)
            return true;
    return false;
}

/* Adds a file. Returns true if the path has new parts. */
static bool add_file(struct program_files *f, const char *file, const struct stat *s)
{
    dev_t device = S_ISBLK(s->st_mode) ? s->st_rdev : s->st_dev;
    struct data_path path;
    if (!S_ISBLK(s->st_mode) && !S_ISREG(s->st_mode) && !S_ISDIR(s->st_mode))
        return false;
    for (size_t i = 0; i < f->device_count; i++)
        if (f->devices[i] == device)
            return false;
    if (f->device_count == PROGRAM_DEVICES) {
        f->devices_full = true;
        return false;
    }
    f->devices[f->device_count++] = device;
    data_path_find(&path, f->root, f->inventory, device, file);
    if (f->remote && f->remote->file && !f->remote_joined && leaves_machine(&path, f->inventory)) {
        f->remote_joined = true;
        remote_end_join(f->remote, f->inventory, &path, &f->remote_fault);
    }
    return leads_to_storage(&path, f->inventory) && merge_path(&f->path, &path);
}

/* ---- the words ---- */

/* Adds a file, or the folder in which it will be created. */
static void add_named(struct program_files *f, const char *name, const char *directory)
{
    char path[PATH_MAX], full[PATH_MAX];
    struct stat s;
    bool whole = name[0] == '/' || !directory ? file_path(path, "%s", name)
                                              : file_path(path, "%s/%s", directory, name);
    if (!whole)
        return;
    if (stat(path, &s)) {
        char *slash = strrchr(path, '/');
        if (!strchr(name, '/') || slash == path) /* a word without a slash need not be a file */
            return;
        *slash = '\0';
        if (stat(path, &s))
            return;
    }
    if (realpath(path, full))
        add_file(f, full, &s);
}

void program_files_named(struct program_files *f, const char *const *words, const char *directory)
{
    for (const char *const *word = words; *word; word++)
        for (const char *at = *word; *at;) {
            char name[PATH_MAX];
            size_t length = strcspn(at, WORD_ENDS);
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            at += length + (at[length] != '\0');
            /* The program itself is not added, because it is read before it runs; nor is an option.
             */
            if (length && length < sizeof name && name[0] != '-' &&
                (word != words || *at || strpbrk(*word, WORD_ENDS)))
                add_named(f, name, directory);
        }
}

/* ---- open files ---- */

bool program_files_open(struct program_files *f, pid_t process)
{
    char folder[64];
    bool any = false;
    int seen = 0;
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)process);
    DIR *open_files = opendir(folder);
    if (!open_files)
        return false;
    for (struct dirent *entry; seen < OPEN_FILES_MAX && (entry = readdir(open_files)) != NULL;
         seen++) {
        char link[96], file[PATH_MAX];
        struct stat s;
        snprintf(link, sizeof link, "%s/%.20s", folder, entry->d_name);
        ssize_t length = entry->d_name[0] == '.' ? -1 : readlink(link, file, sizeof file - 1);
        if (length <= 0 || file[0] != '/' || stat(link, &s))
            continue;
        file[length] = '\0';
        any |= add_file(f, file, &s);
    }
    closedir(open_files);
    return any;
}
