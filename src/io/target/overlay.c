/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds, for a file on an overlay, the file in the upper folder that contains its bytes. */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/mountinfo.h"
#include "io/target/internal.h"

/* Returns the value of an option in "lowerdir=/a,upperdir=/b,workdir=/c", ended by '\0'; or
   NULL. */
static const char *option_value(const char *options, const char *name, char to[PATH_MAX])
{
    const size_t length = strlen(name);
    for (const char *at = options; at; at = strchr(at, ','), at += at != NULL) {
        if (strncmp(at, name, length) != 0)
            continue;
        snprintf(to, PATH_MAX, "%.*s", (int)strcspn(at + length, ","), at + length);
        return to;
    }
    return NULL;
}

struct overlay_look {
    dev_t device;
    const char *file; /* path of the file that is searched for */
    char upper[PATH_MAX];
};

/* The file's mount is the one with the longest path of all mounts that contain the file; its
   options name the upper folder. */
static int check_overlay_mount(void *context, char *line, struct err *e)
{
    struct overlay_look *o = context;
    struct mountinfo mount;
    char folder[PATH_MAX];
    (void)e;
    if (!mountinfo_parse(line, &mount) || mount.device != o->device ||
        strcmp(mount.type, "overlay") != 0 ||
        !option_value(mount.super_options, "upperdir=", folder))
        return 0;
    size_t point = strcmp(mount.point, "/") ? strlen(mount.point) : 0;
    if (!strncmp(o->file, mount.point, point) && o->file[point] == '/' &&
        !file_path(o->upper, "%s%s%s", folder, strcmp(mount.root, "/") ? mount.root : "",
                   o->file + point))
        *o->upper = '\0';
    return 0;
}

int overlay_open_upper(const char *root, int fd, const struct stat *st)
{
    struct overlay_look o = {.device = st->st_dev};
    struct err ignored = {0};
    char link[40], file[PATH_MAX];
    struct statfs fs;
    struct stat upper;
    if (fstatfs(fd, &fs) || (uint32_t)fs.f_type != OVERLAYFS_SUPER_MAGIC)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, file, sizeof file - 1);
    if (length <= 0)
        return -1;
    file[length] = '\0';
    o.file = file;
    guard_check_table(root, "/proc/self/mountinfo", false, file, check_overlay_mount, &o, &ignored);
    int found = *o.upper ? open(o.upper, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (found >= 0 && (fstat(found, &upper) || !S_ISREG(upper.st_mode))) {
        close(found);
        found = -1;
    }
    return found;
}
