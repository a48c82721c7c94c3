/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scratch folder, in which a workload of entries makes its files and folders. Everything below
 * the target is reached through descriptors that were opened here, one level at a time and through
 * no symbolic link. Only names that entries have are removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/file/folder_remove.h"
#include "base/units.h"
#include "io/entry_name.h"
#include "io/target/internal.h"

#define FOLDER_PREFIX ".cupel-folder-"
#define FOLDER_OPEN   (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- folders that earlier runs have left ---- */

/* Returns true if nobody holds a lock on the folder. A running cupel holds one, so the folder is
   left over from an earlier run. */
static bool is_left_behind(int parent, const char *name)
{
    int fd = openat(parent, name, FOLDER_OPEN);
    if (fd < 0)
        return false;
    bool left = !flock(fd, LOCK_EX | LOCK_NB);
    close(fd);
    return left;
}

/* Adds a note that names the folder of a run that was killed. The folder is not removed: on a
   filesystem that several hosts use, a lock may not show a cupel that runs elsewhere. */
static void note_left_behind(struct target *t, const struct opening *o)
{
    int fd = file_reopen(o->look, t->path, O_RDONLY | O_DIRECTORY);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    unsigned count = 0;
    char first[sizeof t->folder_name] = "";
    for (const struct dirent *d; folder && (d = readdir(folder));) {
        if (strncmp(d->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0 ||
            strlen(d->d_name) >= sizeof first || !is_left_behind(dirfd(folder), d->d_name))
            continue;
        if (!count++)
            snprintf(first, sizeof first, "%.39s", d->d_name);
    }
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    if (count)
        snprintf(t->note, sizeof t->note,
                 "%u scratch folder%s of runs that were killed: %s%s; remove %s when no cupel runs "
                 "here",
                 count, count == 1 ? "" : "s", first, count == 1 ? "" : " and others",
                 count == 1 ? "it" : "them");
}

/* ---- making it ---- */

/* Opens and locks the new folder, and checks that it belongs to this user. Returns -1 with errno.
 */
static int open_own(int parent, const char *name)
{
    struct stat st, named;
    int fd = openat(parent, name, FOLDER_OPEN);
    if (fd < 0)
        return -1;
    /* any other errno means that the filesystem has no locks */
    bool locked = !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
    if (locked && !fstat(fd, &st) && st.st_uid == geteuid() &&
        !fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) && file_is_same(&st, &named))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

static int check_room(const struct target *t, const struct target_request *request, struct err *e)
{
    struct statvfs v;
    char wanted[UNITS_BUFFER], there[UNITS_BUFFER];
    const uint64_t count = request->entries * request->folders;
    if (fstatvfs(t->fd, &v))
        return 0;
    if (v.f_files && count + request->folders >= v.f_favail)
        return err_set(e, ERR_TARGET,
                       "%s: %" PRIu64 " entries (--files x --numjobs) do not fit, the filesystem "
                       "has %llu inodes left; give fewer --files",
                       t->path, count, (unsigned long long)v.f_favail);
    uint64_t room = (uint64_t)v.f_bavail * v.f_frsize;
    if (!request->size || count < room / request->size)
        return 0;
    return err_set(e, ERR_TARGET,
                   "%s: %" PRIu64 " files of %s do not fit, the filesystem has %s left; give fewer "
                   "--files or a smaller --size",
                   t->path, count, format_size(wanted, sizeof wanted, (double)request->size),
                   format_size(there, sizeof there, (double)room));
}

int target_make_folder(struct target *t, const struct opening *o, struct err *e)
{
    uint64_t id;
    struct stat st;
    t->kind = TARGET_FOLDER;
    note_left_behind(t, o);
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        return err_set(e, ERR_MACHINE, "there are no random numbers: %s", strerror(errno));
    snprintf(t->folder_name, sizeof t->folder_name, FOLDER_PREFIX "%016" PRIx64, id);
    int parent = fcntl(o->look, F_DUPFD_CLOEXEC, 0);
    if (parent < 0)
        return target_refusal(t->path, errno, e);
    if (mkdirat(parent, t->folder_name, 0700)) {
        int error = errno;
        close(parent);
        return target_refusal(t->path, error, e);
    }
    t->parent_fd = parent; /* from now on target_close removes the folder */
    t->fd = open_own(parent, t->folder_name);
    if (t->fd < 0)
        return target_refusal(t->path, errno, e);
    if (!fstat(t->fd, &st))
        t->device = st.st_dev;
    t->logical_block = 1;
    t->made_by_us = true;
    return check_room(t, o->request, e);
}

int target_open_job_folder(const struct target *t, unsigned job, struct err *e)
{
    char name[ENTRY_NAME_BYTES];
    entry_name(name, job);
    int fd = mkdirat(t->fd, name, 0700) ? -1 : openat(t->fd, name, FOLDER_OPEN);
    return fd < 0 ? target_refusal(t->path, errno, e) : fd;
}

/* ---- removing it ---- */

/* Removes the scratch folder if it is empty; another folder that was put in its place stays. */
void target_remove_folder(struct target *t)
{
    struct stat own, named;
    if (t->fd < 0 || (!fstat(t->fd, &own) &&
                      !fstatat(t->parent_fd, t->folder_name, &named, AT_SYMLINK_NOFOLLOW) &&
                      file_is_same(&own, &named)))
        unlinkat(t->parent_fd, t->folder_name, AT_REMOVEDIR);
    close(t->parent_fd);
    t->parent_fd = -1;
}

static void remove_entries(int folder, int depth);

/* Removes a file, an empty folder, or the folder of a pass with its entries. */
static void remove_entry(int folder, const char *name, int depth)
{
    if (!unlinkat(folder, name, 0) || !unlinkat(folder, name, AT_REMOVEDIR) || !depth)
        return;
    int inner = folder_enter(folder, name);
    if (inner < 0)
        return;
    remove_entries(inner, depth - 1);
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_entries(int folder, int depth)
{
    int own = openat(folder, ".", FOLDER_OPEN);
    DIR *list = own < 0 ? NULL : fdopendir(own);
    for (const struct dirent *d; list && (d = readdir(list));)
        if (entry_name_is(d->d_name))
            remove_entry(folder, d->d_name, depth);
    if (list)
        closedir(list);
    else if (own >= 0)
        close(own);
}

bool target_remove_job_folder(const struct target *t, unsigned job, int fd)
{
    char name[ENTRY_NAME_BYTES];
    entry_name(name, job);
    remove_entries(fd, 1);
    return !unlinkat(t->fd, name, AT_REMOVEDIR);
}
