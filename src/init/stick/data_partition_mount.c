/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data partition's mount: read-only but for the time of a report. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/stick/data_partition.h"

/* A filesystem found damaged goes read-only by itself, which the next write reports. The character
   sets are those whose modules the image brings. */
static const char options[] =
    "utf8=0,iocharset=ascii,codepage=437,shortname=mixed,errors=remount-ro,tz=UTC";
static const unsigned long safe = MS_NODEV | MS_NOSUID | MS_NOEXEC | MS_NOATIME;

static int mount_failed(const struct data_partition *p, int error, struct err *e)
{
    if (error == ENODEV || error == EINVAL)
        return err_set(e, ERR_MACHINE,
                       "cannot mount %s: %s; the kernel needs vfat, nls_cp437 and nls_ascii",
                       p->device, strerror(error));
    return err_set(e, error == EPERM ? ERR_MACHINE : ERR_TARGET, "cannot mount %s on %s: %s",
                   p->device, p->folder, strerror(error));
}

int data_partition_mount(struct data_partition *p, struct err *e)
{
    if (!p->found)
        return err_set(e, ERR_MACHINE, "no data partition was found: is the stick plugged in?");
    if (p->mounted)
        return 0;
    if (mkdir(p->folder, 0755) && errno != EEXIST)
        return err_set(e, ERR_MACHINE, "cannot make the folder %s: %s", p->folder, strerror(errno));
    if (mount(p->device, p->folder, "vfat", safe | MS_RDONLY, options))
        return mount_failed(p, errno, e);
    p->mounted = true;
    p->writable = false;
    return 0;
}

/* Out of the kernel's memory, then out of the stick's own. */
static int flush(const char *path, int (*how)(int))
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = -1;
    if (fd < 0)
        return -1;
    status = how(fd);
    int error = errno;
    close(fd);
    errno = error;
    return status;
}

static int change_failed(const struct data_partition *p, const char *what, int error, struct err *e)
{
    const char *why = error == EROFS || error == EACCES ? "the stick is write-protected"
                      : error == EBUSY                  ? "a file there is open for writing"
                                                        : strerror(error);
    return err_set(e, ERR_TARGET, "cannot %s %s: %s", what, p->device, why);
}

static int make_writable(struct data_partition *p, struct err *e)
{
    if (mount(p->device, p->folder, "vfat", safe | MS_REMOUNT, options))
        return change_failed(p, "write to", errno, e);
    p->writable = true;
    return 0;
}

/* Whatever goes wrong with the flush, the rest is tried. */
static int make_read_only(struct data_partition *p, struct err *e)
{
    int error = flush(p->folder, syncfs) ? errno : 0;
    if (mount(p->device, p->folder, "vfat", safe | MS_REMOUNT | MS_RDONLY, options))
        return change_failed(p, "make read-only", errno, e);
    p->writable = false;
    if (flush(p->device, fsync))
        error = errno;
    return error ? change_failed(p, "finish writing to", error, e) : 0;
}

int data_partition_writable(struct data_partition *p, bool writable, struct err *e)
{
    if (!p->mounted)
        return err_set(e, ERR_MACHINE, "the data partition is not mounted: nothing can be kept");
    if (writable == p->writable)
        return 0;
    return writable ? make_writable(p, e) : make_read_only(p, e);
}

void data_partition_unmount(struct data_partition *p)
{
    if (!p->mounted)
        return;
    if (p->writable)
        make_read_only(p, NULL);
    if (umount2(p->folder, UMOUNT_NOFOLLOW))
        umount2(p->folder, MNT_DETACH | UMOUNT_NOFOLLOW);
    p->mounted = p->writable = false;
}
