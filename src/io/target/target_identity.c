/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identities of files and devices, from device numbers, inodes and sysfs. */
#include "io/target/target_identity.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"
#include "base/file/kernel_stat.h"
#include "base/text.h"
#include "io/device/block_device.h"
#include "io/target/internal.h"

#define DEPTH_MAX 8 /* maximum depth of loop devices that lie on loop devices */

/* Adds the file's filesystem and inode. The number of the filesystem comes from the UUID of the
   filesystem if it has one, otherwise from its device. */
static bool add_file(struct text *to, int look)
{
    struct kernel_statx x = {0};
    struct statfs fs;
    uint64_t id = 0;
    if (syscall(SYS_statx, look, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &x) ||
        fstatfs(look, &fs))
        return false;
    memcpy(&id, &fs.f_fsid, sizeof id);
    if (!id)
        id = makedev(x.stx_dev_major, x.stx_dev_minor);
    text_addf(to, "file %" PRIx64 ":%" PRIu64, id, (uint64_t)x.stx_ino);
    if (x.stx_mask & STATX_BTIME)
        text_addf(to, " made %lld.%09u", (long long)x.stx_btime.tv_sec, x.stx_btime.tv_nsec);
    return true;
}

static bool add_device(struct text *to, dev_t device, int depth);

/* Adds the file that a loop device lies on, if its path still leads to it; otherwise adds its
   device and inode numbers. */
static bool add_loop(struct text *to, const char *folder, const struct loop *l, int depth)
{
    char path[PATH_MAX];
    struct stat st;
    text_addf(to, " at %" PRIu64 " of ", l->begin);
    if (l->kind == LOOP_ON_DEVICE)
        return add_device(to, l->backing, depth + 1);
    if (l->kind == LOOP_UNKNOWN)
        return false;
    sysfs_line(folder, "loop/backing_file", path, sizeof path);
    int file = *path ? open(path, O_PATH | O_CLOEXEC) : -1;
    bool added = file >= 0 && !fstat(file, &st) && st.st_dev == l->backing &&
                 st.st_ino == l->inode && add_file(to, file);
    if (file >= 0)
        close(file);
    if (!added)
        text_addf(to, "file %" PRIx64 ":%" PRIu64, (uint64_t)l->backing, (uint64_t)l->inode);
    return true;
}

static bool add_disk(struct text *to, const char *folder, dev_t device, int depth)
{
    static const char *const names[] = {"wwid",       "device/wwid", "serial", "device/serial",
                                        "device/cid", "dm/uuid",     "md/uuid"};
    char line[200];
    struct loops loops;
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        found = sysfs_line(folder, names[i], line, sizeof line) && line[strspn(line, " 0")];
        if (found)
            text_addf(to, " %s %s", names[i], line);
    }
    if (found || !loops_read("", &loops))
        return found;
    for (size_t i = 0; i < loops.count && !found; i++)
        if (loops.rows[i].device == device)
            found = add_loop(to, folder, &loops.rows[i], depth);
    loops_free(&loops);
    return found;
}

static bool add_device(struct text *to, dev_t device, int depth)
{
    char folder[PATH_MAX], file[PATH_MAX];
    dev_t disk;
    snprintf(folder, sizeof folder, "/sys/dev/block/%u:%u", major(device), minor(device));
    text_addf(to, "device of %" PRIu64 " bytes", 512 * sysfs_number(folder, "size"));
    if (depth > DEPTH_MAX)
        return false;
    if (!sysfs_number(folder, "partition"))
        return add_disk(to, folder, device, depth);
    text_addf(to, " at sector %" PRIu64 " of ", sysfs_number(folder, "start"));
    return file_path(file, "%s/../dev", folder) && device_number_read(file, &disk) &&
           add_device(to, disk, depth + 1);
}

bool target_identity(int look, char to[TARGET_IDENTITY_BYTES])
{
    struct text words = {0};
    struct stat st;
    dev_t block;
    bool found = false;
    if (!fstat(look, &st)) {
        if (S_ISBLK(st.st_mode))
            found = add_device(&words, st.st_rdev, 0);
        else if (S_ISCHR(st.st_mode))
            found = guard_block_device_of(st.st_rdev, &block) && add_device(&words, block, 0);
        else
            found = add_file(&words, look);
    }
    found &= !words.failed && words.length < TARGET_IDENTITY_BYTES;
    snprintf(to, TARGET_IDENTITY_BYTES, "%s", words.data && !words.failed ? words.data : "");
    text_free(&words);
    for (char *c = to; *c; c++)
        if (*c == ',' || (unsigned char)*c < ' ')
            *c = '_';
    return found;
}
