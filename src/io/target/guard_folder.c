/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the devices and files in which a folder stores its bytes. */
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"
#include "base/file/mountinfo.h"
#include "io/target/internal.h"

#define DEPTH_MAX 8 /* maximum depth of filesystems that lie in files of other filesystems */

struct folder_search {
    const struct stat *target;
    dev_t filesystem; /* device number that is searched for in the mount table */
    unsigned depth;
    bool listed;  /* the mount table has the filesystem */
    bool holds;   /* the target contains the folder, or a part of it */
    bool unknown; /* a device or file that may store the folder could not be looked up */
};

static void look_at_filesystem(struct folder_search *f, dev_t filesystem);

/* Looks at all devices that share bytes with this device, and at the files below loop devices among
   them. */
static void look_at_device(struct folder_search *f, dev_t device)
{
    struct err ignored = {0};
    char words[128];
    struct guard_search *s = guard_search_around("", device, &ignored);
    f->unknown |= !s || ignored.code;
    if (S_ISBLK(f->target->st_mode))
        f->holds |= (s && guard_find(s, f->target->st_rdev)) ||
                    guard_overlap("", f->target->st_rdev, device, words);
    for (unsigned i = 0; s && i < s->count && !f->holds; i++) {
        const struct loop *l = s->related[i].loop;
        if (!l)
            continue;
        f->unknown |= l->kind == LOOP_UNKNOWN;
        f->holds |=
            S_ISREG(f->target->st_mode) && loop_is_on_file(l, f->target->st_dev, f->target->st_ino);
        if (l->kind == LOOP_ON_FILE)
            look_at_filesystem(f, l->backing);
        if (l->kind == LOOP_ON_FILE && l->upper_inode)
            look_at_filesystem(f, l->upper);
    }
    if (s)
        guard_search_end(s);
}

/* Returns true if the btrfs has a single device. If it has several, the mount table shows only one
   of them. */
static bool is_of_one_device(const char *point)
{
    struct btrfs_ioctl_fs_info_args info = {0};
    const int fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool known = fd >= 0 && !syscall(SYS_ioctl, fd, BTRFS_IOC_FS_INFO, &info);
    if (fd >= 0)
        close(fd);
    return known && info.num_devices == 1;
}

static bool is_on_no_device(const char *type)
{
    static const char *const types[] = {"tmpfs", "ramfs", "nfs",  "nfs4",
                                        "cifs",  "smb3",  "ceph", "9p"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i]))
            return true;
    return false;
}

/* Checks one line of the mount table; the search ends at the first mount of the filesystem. */
static int check_line(void *context, char *line, struct err *e)
{
    struct folder_search *f = context;
    struct mountinfo m;
    struct stat source;
    (void)e;
    if (!mountinfo_parse(line, &m) || m.device != f->filesystem)
        return 0;
    f->listed = true;
    if (m.source[0] == '/' && !stat(m.source, &source) && S_ISBLK(source.st_mode)) {
        f->unknown |= strcmp(m.type, "btrfs") != 0 || !is_of_one_device(m.point);
        look_at_device(f, source.st_rdev);
    } else {
        /* the devices below a filesystem such as an overlay, ZFS or FUSE cannot be found */
        f->unknown |= !is_on_no_device(m.type);
    }
    return -1;
}

static void look_at_filesystem(struct folder_search *f, dev_t filesystem)
{
    struct err ignored = {0};
    struct folder_search below = {
        .target = f->target, .filesystem = filesystem, .depth = f->depth + 1};
    if (f->depth == DEPTH_MAX) {
        f->unknown = true;
        return;
    }
    if (major(filesystem)) {
        look_at_device(&below, filesystem);
    } else {
        guard_check_table("", "/proc/self/mountinfo", false, "", check_line, &below, &ignored);
        below.unknown |= !below.listed;
    }
    f->holds |= below.holds;
    f->unknown |= below.unknown;
}

/* Returns true if the kernel refuses to open the device with O_EXCL, because somebody has claimed
   it. */
static bool is_claimed(dev_t device)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device), minor(device));
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    const int fd =
        slash ? device_number_open(slash + 1, false, device, O_RDONLY | O_EXCL | O_NONBLOCK) : -1;
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

/* Returns true if the device is in use, or if that cannot be found out. */
static bool may_be_in_use(dev_t device)
{
    struct guard_sight sight = {.allow_unseen = true};
    struct err ignored = {0};
    return guard_unused("", device, "", &sight, &ignored) || is_claimed(device);
}

bool guard_holds_folder(const struct stat *target, bool claimed, const char *folder)
{
    char path[PATH_MAX];
    struct stat st;
    struct folder_search f = {.target = target};
    snprintf(path, sizeof path, "%s", folder);
    while (stat(path, &st)) { /* finds the existing folder in which the folder would be made */
        char *slash = strrchr(path, '/');
        if (!slash || !path[1])
            return true;
        slash[slash == path] = '\0';
    }
    look_at_filesystem(&f, st.st_dev);
    return f.holds ||
           (f.unknown && S_ISBLK(target->st_mode) && !claimed && may_be_in_use(target->st_rdev));
}
