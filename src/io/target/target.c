/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a target: finds out its kind, and refuses what cannot be a target. */
#include "io/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/file/input_files.h"
#include "io/device/block_device.h"
#include "io/target/internal.h"

#define CONFIGFS_MAGIC 0x62656570 /* the number of configfs, which no header defines */

/* Refuses files of filesystems that are interfaces: writes to such files change the kernel or
   firmware, whatever size the files show. */
static int refuse_interface(const struct target *t, int look, struct err *e)
{
    static const uint32_t kinds[] = {SYSFS_MAGIC,        PROC_SUPER_MAGIC,     DEBUGFS_MAGIC,
                                     TRACEFS_MAGIC,      SECURITYFS_MAGIC,     EFIVARFS_MAGIC,
                                     CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,  BPF_FS_MAGIC,
                                     PSTOREFS_MAGIC,     RDTGROUP_SUPER_MAGIC, BINFMTFS_MAGIC,
                                     SELINUX_MAGIC,      SMACK_MAGIC,          CONFIGFS_MAGIC};
    struct statfs fs;
    if (fstatfs(look, &fs))
        return 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)fs.f_type == kinds[i])
            return err_set(e, ERR_UNSAFE,
                           "%s: it is an interface of the kernel's and no file: nothing is "
                           "measured there, and a write would change the machine",
                           t->path);
    return 0;
}

/* Opens a scratch file in the folder of the file `path`, which need not exist. */
static int open_beside(struct target *t, const char *path, const struct opening *o, struct err *e)
{
    char folder[PATH_MAX];
    struct opening beside = *o;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    beside.look = open(slash ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (beside.look < 0)
        return errno == ENOENT ? err_set(e, ERR_USAGE, "%s: the folder does not exist", t->path)
                               : target_refusal(t->path, errno, e);
    int status = target_make_scratch(t, &beside, e);
    close(beside.look);
    return status;
}

/* Returns the size of a new file for which none is requested: the measurable bytes of the file
   beside it. */
static uint64_t size_beside(const struct target *t, const struct stat *st, const struct opening *o)
{
    uint64_t whole = (uint64_t)st->st_size, measured = whole;
    int fd = file_reopen(o->look, t->path, O_RDONLY);
    if (fd < 0)
        return 0;
    if (!scratch_marked(fd, whole, &measured))
        measured = whole;
    close(fd);
    return measured - measured % SCRATCH_ALIGNMENT;
}

static int open_fresh(struct target *t, const struct stat *st, const struct opening *o,
                      struct err *e)
{
    char real[PATH_MAX];
    if (S_ISDIR(st->st_mode))
        return target_make_scratch(t, o, e);
    if (!S_ISREG(st->st_mode))
        return err_set(
            e, ERR_USAGE,
            "%s: it is no file, and a first write begins with a new one: name a file or a "
            "folder; nothing was written",
            t->path);
    struct target_request request = *o->request;
    struct opening beside = *o;
    if (!request.size)
        request.size = size_beside(t, st, o);
    beside.request = &request;
    return open_beside(t, realpath(t->path, real) ? real : t->path, &beside, e);
}

static int open_folder(struct target *t, const struct stat *st, const struct opening *o,
                       struct err *e)
{
    if (S_ISDIR(st->st_mode))
        return target_make_folder(t, o, e);
    return err_set(e, ERR_USAGE,
                   "%s: it is no folder, and files and folders are made in one: name a folder; "
                   "nothing was written",
                   t->path);
}

/* Refuses to write a target that is an input of this command, under any name, or a device whose
   bytes are stored in an input file. */
static int refuse_input(const struct target *t, const struct stat *st, struct err *e)
{
    struct stat input;
    bool found = input_files_has(st);
    for (size_t i = 0; S_ISBLK(st->st_mode) && !found && input_files_at(i, &input); i++)
        found = S_ISREG(input.st_mode)
                    ? guard_keeps_in_file("", st->st_rdev, input.st_dev, input.st_ino)
                    : input.st_rdev == st->st_rdev;
    return found ? err_set(e, ERR_UNSAFE,
                           "%s: this command reads it as its input (a trace, a plan, a job file), "
                           "and so it is not written",
                           t->path)
                 : 0;
}

/* Returns true if sysfs shows this character device, whatever its kind. */
static bool target_is_shown(dev_t device)
{
    struct nvme_place place;
    return nvme_place_of("", true, device, &place) != NVME_PLACE_UNSEEN;
}

static int open_existing(struct target *t, const struct stat *st, const struct opening *o,
                         struct err *e)
{
    if (o->request->write && refuse_input(t, st, e))
        return -1;
    if (o->request->entries)
        return refuse_interface(t, o->look, e) ? -1 : open_folder(t, st, o, e);
    if (o->request->fresh)
        return refuse_interface(t, o->look, e) ? -1 : open_fresh(t, st, o, e);
    switch (st->st_mode & S_IFMT) {
    case S_IFREG:
        return refuse_interface(t, o->look, e) ? -1 : target_open_file(t, o, e);
    case S_IFDIR:
        return target_make_scratch(t, o, e);
    case S_IFBLK:
        t->device = st->st_rdev;
        return target_open_device(t, o, e);
    case S_IFCHR:
        if (target_is_generic(st->st_rdev))
            return target_open_generic(t, st->st_rdev, o, e);
        if (!target_is_shown(st->st_rdev))
            return err_set(
                e, ERR_MACHINE,
                "%s: sysfs does not show this character device, so its kind is not known "
                "(is /sys mounted?)",
                t->path);
        /* fall through */
    default:
        return err_set(e, ERR_USAGE,
                       "%s: it is a %s; give a regular file, a block device, an NVMe namespace "
                       "(/dev/nvmeXnY, /dev/ngXnY), a SCSI disk (/dev/sdX, /dev/sgN) or a folder",
                       t->path,
                       S_ISCHR(st->st_mode)    ? "character device"
                       : S_ISFIFO(st->st_mode) ? "pipe"
                                               : "socket");
    }
}

/* For a name that does not exist: makes a file, or reports why it cannot. */
static int open_missing(struct target *t, const struct opening *o, struct err *e)
{
    char folder[sizeof t->path], resolved[PATH_MAX], whole[PATH_MAX + 1];
    struct stat st, dev;
    if (!lstat(t->path, &st) && S_ISLNK(st.st_mode))
        return err_set(e, ERR_USAGE, "%s: it is a symbolic link to something that does not exist",
                       t->path);
    /* Below /dev, /proc and /sys no file can be made, except on separate filesystems such as
       /dev/shm. */
    snprintf(folder, sizeof folder, "%s", t->path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    const char *real = realpath(slash ? folder : ".", resolved);
    snprintf(whole, sizeof whole, "%s/", real ? real : folder);
    bool kernel = !strncmp(whole, "/proc/", 6) || !strncmp(whole, "/sys/", 5);
    if (kernel || (!strncmp(whole, "/dev/", 5) &&
                   (stat("/dev", &dev) || stat(whole, &st) || dev.st_dev == st.st_dev)))
        return err_set(e, ERR_USAGE, "%s: no such device", t->path);
    if (o->request->fresh)
        return open_beside(t, t->path, o, e);
    if (o->request->entries)
        return err_set(e, ERR_USAGE, "%s: there is no such folder", t->path);
    return o->request->size ? target_make_file(t, o, e) : target_refusal(t->path, ENOENT, e);
}

/* Adds a note for a file in memory: it accepts O_DIRECT although there is no device below it. */
static void note_memory(struct target *t)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } kinds[] = {{TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"}, {HUGETLBFS_MAGIC, "hugetlbfs"}};
    struct statfs fs;
    if (t->kind == TARGET_BLOCK_DEVICE || t->kind == TARGET_GENERIC || fstatfs(t->fd, &fs))
        return;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)fs.f_type == kinds[i].magic) {
            size_t used = strlen(t->note);
            t->in_memory = true;
            snprintf(t->note + used, sizeof t->note - used,
                     "%sit lies in memory (%s): this measures memory, not a device",
                     used ? "; " : "", kinds[i].name);
        }
}

static void note_unseen(struct target *t)
{
    size_t used = strlen(t->note);
    if (t->unseen)
        snprintf(t->note + used, sizeof t->note - used,
                 "%sother programs may have had it open for writing, which could not be seen",
                 used ? "; " : "");
}

/*
 * Opens the target, which is checked, made and filled by now, again with O_SYNC or O_DSYNC: the
 * flag cannot be set later, and would have slowed down the fill. The first descriptor of a block
 * device stays open, because it holds the claim.
 */
static int open_synchronous(struct target *t, int flag, struct err *e)
{
    const int flags = fcntl(t->fd, F_GETFL);
    const int fd = flags < 0 ? -1 : file_reopen(t->fd, "", (flags & (O_ACCMODE | O_DIRECT)) | flag);
    if (fd < 0)
        return err_set(e, ERR_TARGET, "%s: it cannot be opened for synchronous writes: %s", t->path,
                       errno == ENOENT ? "is /proc mounted?" : strerror(errno));
    if (t->kind == TARGET_BLOCK_DEVICE)
        t->exclusive_fd = t->fd;
    else
        close(t->fd);
    t->fd = fd;
    return 0;
}

static int open_path(struct target *t, const struct target_request *request,
                     target_fill_progress *progress, void *context, const volatile int *stop,
                     struct err *e)
{
    *t = TARGET_NONE;
    if (strlen(request->path) >= sizeof t->path)
        return err_set(e, ERR_USAGE, "the target's path of %zu characters is too long",
                       strlen(request->path));
    snprintf(t->path, sizeof t->path, "%s", request->path);
    struct opening o = {.request = request,
                        .look = open(t->path, O_PATH | O_CLOEXEC),
                        .watch = {.progress = progress, .context = context, .stop = stop}};
    struct stat st;
    int status;
    if (o.look >= 0 && !fstat(o.look, &st))
        status = open_existing(t, &st, &o, e);
    else if (errno == ENOENT)
        status = open_missing(t, &o, e);
    else
        status = target_refusal(t->path, errno, e);
    if (o.look >= 0)
        close(o.look);
    if (!status && request->synchronous)
        status = open_synchronous(t, request->synchronous, e);
    if (status) {
        target_close(t);
        return status;
    }
    note_memory(t);
    note_unseen(t);
    return 0;
}

int target_open(struct target *t, const struct target_request *request,
                target_fill_progress *progress, void *context, const volatile int *stop,
                struct err *e)
{
    /* Sessions that run at the same time may write the same file. They open it one after the other,
       so that the first one makes it and the others find it. */
    static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
    struct stat st;
    if (!request->shared)
        return open_path(t, request, progress, context, stop, e);
    pthread_mutex_lock(&opening);
    int status = open_path(t, request, progress, context, stop, e);
    if (!status && t->kind == TARGET_FILE && request->write && !fstat(t->fd, &st))
        shared_file_add(t->fd, &st);
    pthread_mutex_unlock(&opening);
    return status;
}

int target_may_write(const struct target_request *request, dev_t *device, struct err *e)
{
    struct target t = TARGET_NONE;
    struct guard_sight sight = {.allow_unseen = request->allow_unseen};
    struct stat st;
    char name[64];
    int look = open(request->path, O_PATH | O_CLOEXEC), status = 0;
    *device = 0;
    if (look < 0)
        return 0;
    snprintf(t.path, sizeof t.path, "%s", request->path);
    if (fstat(look, &st))
        status = target_refusal(t.path, errno, e);
    else if (S_ISREG(st.st_mode)) {
        t.fd = file_reopen(look, t.path, O_RDONLY);
        status = refuse_input(&t, &st, e) ? -1
                 : t.fd < 0               ? target_refusal(t.path, errno, e)
                 : target_judge_file(&t, request, t.fd, &st, e) ||
                         guard_file_unused("", t.fd, t.path, false, &sight, e)
                     ? -1
                     : 0;
        if (t.fd >= 0)
            close(t.fd);
    } else if (S_ISBLK(st.st_mode) || (S_ISCHR(st.st_mode) && target_is_generic(st.st_rdev))) {
        t.device = st.st_rdev;
        if (S_ISCHR(st.st_mode))
            status = guard_generic_device("", st.st_rdev, &t.device, name, e);
        status = status ? err_context(e, "%s", t.path) : target_judge_device(&t, request, e);
        *device = t.device;
    }
    close(look);
    return status;
}

void target_close(struct target *t)
{
    shared_file_remove(t->fd);
    nvme_namespace_close(&t->nvme);
    if (t->parent_fd >= 0)
        target_remove_folder(t);
    if (t->fd >= 0)
        close(t->fd);
    if (t->exclusive_fd >= 0)
        close(t->exclusive_fd);
    t->fd = t->exclusive_fd = -1;
}
