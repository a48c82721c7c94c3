/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the reports in a folder of collected ones, and keeps the newest of each machine. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "machine/qualify/fleet.h"

#define REPORT_NAME      "qualification.json"
#define REPORT_BYTES_MAX (64u << 20)
#define DEPTH_MAX        6
#define FOLDERS_MAX      32768

/* the folders that the search has visited, because a link may lead back to one of them */
struct search {
    struct fleet *fleet;
    size_t root; /* length of the fleet folder's path, which begins every path */
    struct stat *seen;
    size_t count, capacity;
};

static const char *shown(const struct search *s, const char *path)
{
    const char *below = path + s->root, *name = strrchr(path, '/');
    return *below == '/' && below[1] ? below + 1 : name && name[1] ? name + 1 : path;
}

/* Returns true the first time that a folder is seen. Returns false later, without memory, and after
   more folders than anybody collects. */
static bool is_new(struct search *s, const struct stat *st)
{
    for (size_t i = 0; i < s->count; i++)
        if (file_is_same(&s->seen[i], st))
            return false;
    if (s->count >= FOLDERS_MAX || !array_grow(&s->seen, sizeof *s->seen, s->count, &s->capacity)) {
        s->fleet->failed = true;
        return false;
    }
    s->seen[s->count++] = *st;
    return true;
}

static void read_report(struct search *s, const char *path, const char *folder)
{
    struct err e = {0};
    struct stat st;
    char *text;
    size_t length;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) {
        fleet_note(s->fleet, true, shown(s, folder), "%s",
                   errno == ELOOP ? "its report is a link to itself" : "its report is no file");
        return;
    }
    if (!is_new(s, &st))
        return;
    if (file_read_all(path, REPORT_BYTES_MAX, &text, &length, &e)) {
        fleet_note(s->fleet, true, shown(s, folder), "%s", e.msg);
        return;
    }
    fleet_read_report(s->fleet, text, length, shown(s, folder));
    free(text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the sorted names in a folder, so that a fleet is the same each time. The caller frees the
   names and the list. */
static char **names_in(struct search *s, const char *path, size_t *count)
{
    char **names = NULL;
    size_t room = 0;
    DIR *dir = opendir(path);
    *count = 0;
    for (const struct dirent *entry; dir && (errno = 0, entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        if (!array_grow(&names, sizeof *names, *count, &room)) {
            s->fleet->failed = true;
            break;
        }
        if ((names[*count] = strdup(entry->d_name)))
            ++*count;
        else
            s->fleet->failed = true;
    }
    if (errno)
        fleet_note(s->fleet, true, shown(s, path), "%s", strerror(errno));
    if (dir)
        closedir(dir);
    if (names)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

static void search_folder(struct search *s, const char *path,
                          int depth) // NOLINT(misc-no-recursion)
{
    struct stat st;
    char below[PATH_MAX];
    size_t count;
    if (s->fleet->failed)
        return;
    if (stat(path, &st)) {
        fleet_note(s->fleet, true, shown(s, path), "%s", strerror(errno));
        return;
    }
    if (!S_ISDIR(st.st_mode) || !is_new(s, &st))
        return;
    if (depth > DEPTH_MAX) {
        fleet_note(s->fleet, true, shown(s, path), "it lies deeper than %d folders", DEPTH_MAX);
        return;
    }
    /* A folder with a report contains only the folders of its own measurements. */
    if (file_path(below, "%s/%s", path, REPORT_NAME) && !lstat(below, &st)) {
        read_report(s, below, path);
        return;
    }
    char **names = names_in(s, path, &count);
    for (size_t i = 0; names && i < count; i++) {
        if (file_path(below, "%s/%s", path, names[i]))
            search_folder(s, below, depth + 1);
        else
            fleet_note(s->fleet, true, shown(s, path), "a name below it is too long");
        free(names[i]);
    }
    free(names);
}

/* ---- only the newest report of each machine counts ---- */

static void drop_disk(struct fleet *f, size_t disk)
{
    memmove(&f->disks[disk], &f->disks[disk + 1], (--f->disk_count - disk) * sizeof *f->disks);
}

static void drop_machine(struct fleet *f, size_t machine)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->disk_count; i++)
        if (f->disks[i].machine != machine) {
            f->disks[kept] = f->disks[i];
            f->disks[kept++].machine -= f->disks[i].machine > machine;
        }
    f->disk_count = kept;
    memmove(&f->machines[machine], &f->machines[machine + 1],
            (--f->machine_count - machine) * sizeof *f->machines);
}

/* Returns the older of two machines; if their dates are equal, the second. */
static size_t older(const struct fleet *f, size_t a, size_t b)
{
    return strcmp(f->machines[a].date, f->machines[b].date) < 0 ? a : b;
}

static void keep_newest_machines(struct fleet *f)
{
    for (size_t a = 0; a < f->machine_count; a++)
        for (size_t b = a + 1; b < f->machine_count;) {
            struct fleet_machine *m = f->machines;
            if (!m[a].serial[0] || strcmp(m[a].serial, m[b].serial) != 0 ||
                strcmp(m[a].product, m[b].product) != 0) {
                b++;
                continue;
            }
            size_t old = older(f, a, b), new = old == a ? b : a;
            fleet_note(f, false, m[old].folder, "left out: %.64s has a newer report, %.100s",
                       m[old].serial, m[new].folder);
            drop_machine(f, old);
            if (old == a)
                b = a + 1;
        }
}

/* Counts the reports of other machines that list the same drive. *first: none of them comes before
   this one. */
static size_t count_claims(const struct fleet *f, size_t disk, bool *first)
{
    const struct fleet_disk *own = &f->disks[disk];
    size_t claims = 0;
    *first = true;
    for (size_t i = 0; i < f->disk_count; i++)
        if (f->disks[i].machine != own->machine && !strcmp(f->disks[i].serial, own->serial) &&
            !strcmp(f->disks[i].model, own->model)) {
            claims++;
            *first &= i > disk;
        }
    return claims;
}

/* Keeps the newer of two reports of one drive: it was moved, or its machines have no serial number.
   A serial number that three or more drives have identifies nothing. */
static void keep_newest_disks(struct fleet *f)
{
    for (size_t a = 0; a < f->disk_count; a++) {
        bool first_of_all;
        if (f->disks[a].serial[0] && count_claims(f, a, &first_of_all) >= 2) {
            if (first_of_all)
                fleet_note(f, false, f->machines[f->disks[a].machine].folder,
                           "three drives or more have the serial number %.64s: all are kept",
                           f->disks[a].serial);
            continue;
        }
        for (size_t b = a + 1; b < f->disk_count;) {
            const struct fleet_disk *d = f->disks;
            if (!d[a].serial[0] || d[a].machine == d[b].machine ||
                strcmp(d[a].serial, d[b].serial) != 0 || strcmp(d[a].model, d[b].model) != 0) {
                b++;
                continue;
            }
            bool first = older(f, d[a].machine, d[b].machine) == d[a].machine;
            size_t old = first ? a : b, new = first ? b : a;
            fleet_note(f, false, f->machines[d[old].machine].folder,
                       "drive %.64s is left out: a newer report has it, %.100s", d[old].serial,
                       f->machines[d[new].machine].folder);
            drop_disk(f, old);
            if (first)
                b = a + 1;
        }
    }
}

int fleet_read(struct fleet *f, const char *folder, struct err *e)
{
    struct stat st;
    struct search s = {.fleet = f, .root = strlen(folder)};
    if (stat(folder, &st))
        return err_set(e, ERR_USAGE, "--fleet %.200s: %s", folder, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return err_set(e, ERR_USAGE, "--fleet %.200s: it is no folder", folder);
    snprintf(f->folder, sizeof f->folder, "%s", folder);
    search_folder(&s, folder, 0);
    free(s.seen);
    keep_newest_machines(f);
    keep_newest_disks(f);
    if (f->failed)
        return err_set(e, ERR_MACHINE, "--fleet %.200s: it has too many folders, or memory ran out",
                       folder);
    if (!f->machine_count && !f->unread)
        return err_set(e, ERR_USAGE,
                       "--fleet %.200s: no report in it: it takes the folders that -o made",
                       folder);
    return 0;
}
