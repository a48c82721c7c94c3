/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a target: which kind it is, block devices, and the rules that all kinds share. */
#include "io/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_identity.h"
#include "io/device/block_device.h"
#include "io/target/guard.h"
#include "io/target/internal.h"
#include "io/target/never_written_blocks.h"

#define CONFIGFS_MAGIC 0x62656570 /* fs/configfs/mount.c of the kernel; in no header */

/* More zeros than this among the sampled blocks, and a device counts as never written. */
#define DEVICE_ZEROS_LIMIT 0.5

int target_refusal(const char *path, int error, struct err *e)
{
    static const struct {
        int error;
        enum err_code code;
        const char *text;
    } reasons[] = {
        {ENOENT, ERR_USAGE, "no such file; --size makes one"},
        {ENOTDIR, ERR_USAGE, "no such file: a part of the path is not a folder"},
        {ENAMETOOLONG, ERR_USAGE, "the name is too long"},
        {ELOOP, ERR_USAGE, "too many symbolic links"},
        {EISDIR, ERR_USAGE, "it is a folder"},
        {EACCES, ERR_MACHINE, "permission denied; try as root"},
        {EPERM, ERR_MACHINE, "not permitted, by the device or by a policy of this system"},
        {EROFS, ERR_MACHINE, "the filesystem is read-only"},
        {ETXTBSY, ERR_UNSAFE, "it is in use as a program or as swap"},
        {EBUSY, ERR_UNSAFE,
         "the kernel says it is in use (a mount, md, LVM, swap or another program); --destroy will "
         "not override this"},
        {ENOMEDIUM, ERR_TARGET, "there is no medium in it"},
        {ENXIO, ERR_TARGET, "there is no such device any more"},
        {ENODEV, ERR_TARGET, "there is no such device any more"},
        {ESTALE, ERR_UNSAFE, "something else took its place while it was being opened"},
        {ENOSPC, ERR_TARGET, "the filesystem is full"},
        {EDQUOT, ERR_TARGET, "the disk quota is used up"},
    };
    for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].error == error)
            return err_set(e, reasons[i].code, "%s: %s", path, reasons[i].text);
    return err_set(e, ERR_TARGET, "%s: cannot be opened: %s", path, strerror(error));
}

int target_opened(struct target *t, const struct target_request *request, int error, struct err *e)
{
    if (t->fd < 0 && !(error == EINVAL && request->direct))
        return target_refusal(t->path, error, e);
    t->direct = request->direct;
    t->logical_block = t->fd < 0 ? 0 : direct_block_size(t->fd);
    if (t->logical_block)
        return 0;
    if (request->direct)
        return err_set(
            e, ERR_MACHINE,
            "%s: O_DIRECT does not work here; --direct 0 measures through the page cache", t->path);
    t->logical_block = 1;
    return 0;
}

int target_open_fd(struct target *t, const struct opening *o, int flags, struct err *e)
{
    const struct target_request *request = o->request;
    flags |= (request->write ? O_RDWR : O_RDONLY) | (request->direct ? O_DIRECT : 0);
    t->fd = file_reopen(o->look, t->path, flags);
    return target_opened(t, request, errno, e);
}

int target_judge_unwritten(struct target *t, const struct target_request *request, double limit,
                           const char *remedy, struct err *e)
{
    if (t->unwritten_share <= 0)
        return 0;
    bool reads = request->read || !request->write;
    if (reads && t->unwritten_share > limit && !request->allow_unwritten)
        return err_set(
            e, ERR_UNSAFE,
            "%s: %.3g %% of it was never written, and reading that measures nothing; %s, "
            "or measure it all the same with --allow-unwritten",
            t->path, 100 * t->unwritten_share, remedy);
    snprintf(t->note, sizeof t->note, "%.3g %% of the target was never written: %s",
             100 * t->unwritten_share,
             reads ? "reads of that do not reach the medium" : "first writes there also allocate");
    return 0;
}

/* The device can be written if need be; how large it is. */
static int examine_device(struct target *t, const struct target_request *request, struct err *e)
{
    int read_only = 0;
    if (request->write && !syscall(SYS_ioctl, t->fd, BLKROGET, &read_only) && read_only)
        return err_set(e, ERR_MACHINE, "%s: the device is read-only", t->path);
    if (syscall(SYS_ioctl, t->fd, BLKGETSIZE64, &t->size))
        return target_refusal(t->path, errno, e);
    if (!t->size)
        return err_set(e, ERR_TARGET, "%s: it has no capacity (no medium, or not set up)", t->path);
    return 0;
}

int target_needs_destroy(const struct target *t, struct err *e)
{
    return err_set(e, ERR_UNSAFE,
                   "%s: writing destroys what is on this device; --destroy says that you mean it",
                   t->path);
}

int target_judge_device(struct target *t, const struct target_request *request, struct err *e)
{
    return target_judge_unwritten(t, request, DEVICE_ZEROS_LIMIT,
                                  "write it once from end to end (--rw write --bs 1m --destroy)",
                                  e);
}

int target_open_device(struct target *t, const struct opening *o, struct err *e)
{
    const struct target_request *request = o->request;
    t->kind = TARGET_BLOCK_DEVICE;
    if (request->write) {
        if (guard_unused("", t->device, t->path, e))
            return -1;
        if (!request->destroy)
            return target_needs_destroy(t, e);
    }
    if (target_open_fd(t, o, request->write ? O_EXCL : 0, e) || examine_device(t, request, e))
        return -1;
    if (unwritten_share_of_device(t->fd, t->size, request->seed, &t->unwritten_share, e))
        return err_context(e, "%s", t->path);
    if (target_judge_device(t, request, e))
        return -1;
    nvme_namespace_open(&t->nvme, t->fd);
    t->nvme.writable = t->nvme.usable && request->write;
    return 0;
}

/* What is written to such a file goes to the kernel or to firmware, whatever its size says. */
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

static int open_existing(struct target *t, const struct stat *st, const struct opening *o,
                         struct err *e)
{
    switch (st->st_mode & S_IFMT) {
    case S_IFREG:
        return refuse_interface(t, o->look, e) ? -1 : target_open_file(t, o, e);
    case S_IFDIR:
        return target_make_scratch(t, o, e);
    case S_IFBLK:
        t->device = st->st_rdev;
        return target_open_device(t, o, e);
    case S_IFCHR:
        if (target_is_nvme_generic(st->st_rdev))
            return target_open_nvme(t, st->st_rdev, o, e);
        if (!target_is_shown(st->st_rdev))
            return err_set(e, ERR_MACHINE,
                           "%s: sysfs does not show this character device, so what it is cannot be "
                           "told (is /sys mounted?)",
                           t->path);
        /* fall through */
    default:
        return err_set(e, ERR_USAGE,
                       "%s: it is a %s; give a regular file, a block device, an NVMe namespace "
                       "(/dev/nvmeXnY, /dev/ngXnY) or a folder",
                       t->path,
                       S_ISCHR(st->st_mode)    ? "character device"
                       : S_ISFIFO(st->st_mode) ? "pipe"
                                               : "socket");
    }
}

/* True for what can only be a device: below /dev (but for file systems of their own there, as
 * /dev/shm), /proc or /sys. */
static bool names_device(const char *path)
{
    char folder[sizeof(((struct target *)0)->path)], resolved[PATH_MAX];
    struct stat dev, parent;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    const char *real = realpath(slash ? folder : ".", resolved);
    char whole[PATH_MAX + 1];
    snprintf(whole, sizeof whole, "%s/", real ? real : folder);
    if (!strncmp(whole, "/proc/", 6) || !strncmp(whole, "/sys/", 5))
        return true;
    if (strncmp(whole, "/dev/", 5) != 0)
        return false;
    return stat("/dev", &dev) || stat(whole, &parent) || dev.st_dev == parent.st_dev;
}

/* There is nothing of that name: make a file, or say why not. */
static int open_missing(struct target *t, const struct opening *o, struct err *e)
{
    struct stat st;
    if (!lstat(t->path, &st) && S_ISLNK(st.st_mode))
        return err_set(e, ERR_USAGE, "%s: it is a symbolic link to something that does not exist",
                       t->path);
    if (names_device(t->path))
        return err_set(e, ERR_USAGE, "%s: no such device", t->path);
    return o->request->size ? target_make_file(t, o, e) : target_refusal(t->path, ENOENT, e);
}

/* A file in memory takes O_DIRECT and has no device behind it: say so. */
static void look_for_memory(struct target *t)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } kinds[] = {{TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"}, {HUGETLBFS_MAGIC, "hugetlbfs"}};
    struct statfs fs;
    if (t->kind == TARGET_BLOCK_DEVICE || t->kind == TARGET_NVME_GENERIC || fstatfs(t->fd, &fs))
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

int target_open(struct target *t, const struct target_request *request,
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
    if (status)
        target_close(t);
    else
        look_for_memory(t);
    return status;
}

void target_close(struct target *t)
{
    nvme_namespace_close(&t->nvme);
    if (t->fd >= 0)
        close(t->fd);
    if (t->exclusive_fd >= 0)
        close(t->exclusive_fd);
    t->fd = t->exclusive_fd = -1;
}
