/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which disk has the data partition, what was found on the others, and its mount, which is
   read-only except for the time of a report. */
#include "appliance/stick/data_partition.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- disks that were examined ---- */

static void forget_gone(struct data_partition *p, const struct data_candidate *there, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < p->disk_count; i++) {
        size_t k = 0;
        while (k < count && !data_candidate_is_same(&there[k], &p->disks[i].candidate))
            k++;
        if (k < count)
            p->disks[left++] = p->disks[i];
    }
    p->disk_count = left;
}

static bool is_known(const struct data_partition *p, const struct data_candidate *c)
{
    for (size_t i = 0; i < p->disk_count; i++)
        if (data_candidate_is_same(&p->disks[i].candidate, c))
            return true;
    return false;
}

static void partition_look_at(struct data_partition *p, const struct data_candidate *c,
                              const char *dev)
{
    bool permitted =
        c->usb || (p->others && (!strcmp(p->others, "any") || !strcmp(p->others, c->disk)));
    if (p->disk_count == DATA_DISKS || is_known(p, c) || !permitted)
        return;
    struct data_disk disk = {.candidate = *c};
    disk.is = data_candidate_look(c, dev, disk.image);
    if (disk.is != DATA_UNREADABLE)
        p->disks[p->disk_count++] = disk;
    if (disk.is == DATA_SILENT)
        snprintf(p->note, sizeof p->note, "%.63s does not answer: it is not asked again", c->disk);
}

static bool may_be_used(const struct data_partition *p, const struct data_disk *d)
{
    bool own = p->image && p->image[0] && !strcmp(d->image, p->image);
    return own || p->any;
}

void data_partition_look(struct data_partition *p, const char *sys, const char *dev)
{
    struct data_candidate *there;
    size_t count = data_candidates(sys, &there);
    p->note[0] = '\0';
    forget_gone(p, there, count);
    for (size_t i = 0; i < count; i++)
        partition_look_at(p, &there[i], dev);
    free(there);
    /* Counts the usable partitions, and notes one that is not usable. */
    unsigned usable = 0;
    p->foreign[0] = p->foreign_image[0] = '\0';
    for (size_t i = 0; i < p->disk_count; i++) {
        const struct data_disk *d = &p->disks[i];
        if (d->is != DATA_PARTITION)
            continue;
        if (may_be_used(p, d)) {
            usable++;
            continue;
        }
        snprintf(p->foreign, sizeof p->foreign, "%s", d->candidate.name);
        snprintf(p->foreign_image, sizeof p->foreign_image, "%s", d->image);
    }
    p->several = usable > 1;
}

/* ---- the chosen partition ---- */

bool data_partition_find(struct data_partition *p, const char *sys, const char *dev)
{
    data_partition_look(p, sys, dev);
    qsort(p->disks, p->disk_count, sizeof *p->disks, data_candidate_order);
    p->found = false;
    p->device[0] = p->disk[0] = '\0';
    if (!p->folder[0])
        snprintf(p->folder, sizeof p->folder, "%s", DATA_FOLDER);
    for (size_t i = 0; i < p->disk_count; i++) {
        const struct data_candidate *c = &p->disks[i].candidate;
        if (p->disks[i].is != DATA_PARTITION || !may_be_used(p, &p->disks[i]))
            continue;
        if (p->found && c->usb)
            snprintf(p->note, sizeof p->note,
                     "%.63s is a data partition too and is not used: only one stick should be "
                     "plugged",
                     c->name);
        if (p->found)
            break;
        int length = snprintf(p->device, sizeof p->device, "%s/%s", dev, c->name);
        p->found = length > 0 && (size_t)length < sizeof p->device;
        snprintf(p->disk, sizeof p->disk, "%s", c->disk);
        p->chosen = *c;
    }
    return p->found;
}

bool data_partition_has_gone(const struct data_partition *p)
{
    return p->found && !is_known(p, &p->chosen);
}

size_t data_partition_disks(const struct data_partition *p, const char *names[DATA_DISKS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < p->disk_count; i++)
        if (p->disks[i].is == DATA_PARTITION)
            names[count++] = p->disks[i].candidate.disk;
    names[count] = NULL;
    return count;
}

bool data_partition_is_on(const struct data_partition *p, const char *disk)
{
    for (size_t i = 0; i < p->disk_count; i++)
        if (p->disks[i].is == DATA_PARTITION && !strcmp(p->disks[i].candidate.disk, disk))
            return true;
    return false;
}

/* ---- its mount ---- */

/* A damaged filesystem becomes read-only by itself, which the next write reports. The image brings
   the modules of these character sets. */
static const char options[] =
    "utf8=0,iocharset=ascii,codepage=437,shortname=mixed,errors=remount-ro,tz=UTC";
static const unsigned long safe = MS_NODEV | MS_NOSUID | MS_NOEXEC | MS_NOATIME;

int data_partition_mount(struct data_partition *p, struct err *e)
{
    if (!p->found)
        return err_set(e, ERR_MACHINE, "no data partition was found: is the stick plugged in?");
    if (p->mounted)
        return 0;
    if (mkdir(p->folder, 0755) && errno != EEXIST)
        return err_set(e, ERR_MACHINE, "cannot make the folder %s: %s", p->folder, strerror(errno));
    if (!mount(p->device, p->folder, "vfat", safe | MS_RDONLY, options)) {
        p->mounted = true;
        p->writable = false;
        return 0;
    }
    if (errno == ENODEV || errno == EINVAL)
        return err_set(e, ERR_MACHINE,
                       "cannot mount %s: %s; the kernel needs vfat, nls_cp437 and nls_ascii",
                       p->device, strerror(errno));
    return err_set(e, errno == EPERM ? ERR_MACHINE : ERR_TARGET, "cannot mount %s on %s: %s",
                   p->device, p->folder, strerror(errno));
}

/* Flushes the kernel's memory, then the stick's own. */
static int flush_file(const char *path, int (*how)(int))
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

/* If the flush fails, the rest is still done. */
static int make_read_only(struct data_partition *p, struct err *e)
{
    int error = flush_file(p->folder, syncfs) ? errno : 0;
    if (mount(p->device, p->folder, "vfat", safe | MS_REMOUNT | MS_RDONLY, options))
        return change_failed(p, "make read-only", errno, e);
    p->writable = false;
    if (flush_file(p->device, fsync))
        error = errno;
    return error ? change_failed(p, "finish writing to", error, e) : 0;
}

int data_partition_writable(struct data_partition *p, bool writable, struct err *e)
{
    if (!p->mounted)
        return err_set(e, ERR_MACHINE, "the data partition is not mounted: nothing can be kept");
    if (writable == p->writable)
        return 0;
    if (!writable)
        return make_read_only(p, e);
    if (mount(p->device, p->folder, "vfat", safe | MS_REMOUNT, options))
        return change_failed(p, "write to", errno, e);
    p->writable = true;
    return 0;
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
