/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the list of loop devices from sysfs and the kernel. */
#include "io/target/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"
#include "io/device/block_device.h"

#define SECTOR 512u

/* Asks the kernel about a loop device. Returns false when the kernel gives no answer. */
static bool loop_ask_kernel(struct loop *l)
{
    struct loop_info64 info;
    int fd = device_number_open(l->name, false, l->device, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool ok = !syscall(SYS_ioctl, fd, LOOP_GET_STATUS64, &info);
    close(fd);
    if (!ok)
        return false;
    /* For a file, lo_rdevice is 0; older kernels set it to the filesystem's number. */
    bool on_file = !info.lo_rdevice || info.lo_rdevice == info.lo_device;
    l->kind = on_file ? LOOP_ON_FILE : LOOP_ON_DEVICE;
    l->backing = on_file ? info.lo_device : info.lo_rdevice;
    l->inode = info.lo_inode;
    return true;
}

/* Looks up the path from sysfs, which the kernel does not update when the file is renamed. */
static void loop_look_at_path(const char *root, const char *path, struct loop *l)
{
    char full[PATH_MAX];
    struct stat st;
    l->kind = LOOP_UNKNOWN;
    if (!file_path(full, "%s%s", root, path))
        return;
    if (!stat(full, &st) && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))) {
        l->kind = S_ISREG(st.st_mode) ? LOOP_ON_FILE : LOOP_ON_DEVICE;
        l->backing = S_ISREG(st.st_mode) ? st.st_dev : st.st_rdev;
        l->inode = st.st_ino;
    } else if (!strncmp(path, "/dev/", 5) &&
               file_path(full, "%s/sys/class/block/%s/dev", root, path + 5) &&
               device_number_read(full, &l->backing)) {
        l->kind = LOOP_ON_DEVICE; /* the device is not in the folder /dev */
    }
}

/* For a backing file on an overlay: finds the file that contains its bytes. */
static void loop_look_at_upper(const char *path, struct loop *l)
{
    struct stat st;
    int upper = -1, file = open(path, O_PATH | O_CLOEXEC);
    if (file >= 0 && !fstat(file, &st) && st.st_dev == l->backing && st.st_ino == l->inode)
        upper = overlay_open_upper("", file, &st);
    if (upper >= 0 && !fstat(upper, &st)) {
        l->upper = st.st_dev;
        l->upper_inode = st.st_ino;
    }
    if (upper >= 0)
        close(upper);
    if (file >= 0)
        close(file);
}

/* Reads one loop device. Returns false when it is not a loop device, or not set up. */
static bool describe_loop(const char *root, const char *name, struct loop *l)
{
    char folder[PATH_MAX], number[32], path[PATH_MAX];
    *l = (struct loop){.kind = LOOP_UNKNOWN};
    if (!file_path(folder, "%s/sys/block/%s", root, name) ||
        !sysfs_line(folder, "loop/backing_file", path, sizeof path) ||
        !sysfs_line(folder, "dev", number, sizeof number) ||
        !device_number_parse(number, &l->device))
        return false;
    snprintf(l->name, sizeof l->name, "%.31s", name);
    l->begin = sysfs_number(folder, "loop/offset");
    l->end = l->begin + sysfs_number(folder, "size") * SECTOR;
    if (*root || !loop_ask_kernel(l))
        loop_look_at_path(root, path, l);
    if (!*root && l->kind == LOOP_ON_FILE)
        loop_look_at_upper(path, l);
    return true;
}

bool loops_read(const char *root, struct loops *l)
{
    char all[PATH_MAX];
    *l = (struct loops){0};
    snprintf(all, sizeof all, "%s/sys/block", root);
    DIR *d = opendir(all);
    if (!d)
        return false;
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(d));) {
        struct loop row;
        if (strncmp(entry->d_name, "loop", 4) != 0 || !describe_loop(root, entry->d_name, &row))
            continue;
        struct loop *rows = realloc(l->rows, (l->count + 1) * sizeof *rows);
        ok = rows != NULL;
        if (ok) {
            l->rows = rows;
            l->rows[l->count++] = row;
        }
    }
    closedir(d);
    return ok;
}

void loops_free(struct loops *l)
{
    free(l->rows);
    *l = (struct loops){0};
}

bool loop_is_on_file(const struct loop *l, dev_t filesystem, ino_t inode)
{
    return l->kind == LOOP_ON_FILE &&
           ((l->backing == filesystem && l->inode == inode) ||
            (l->upper_inode && l->upper == filesystem && l->upper_inode == inode));
}
