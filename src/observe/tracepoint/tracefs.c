/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding tracefs, or mounting it without a place in the tree of files. */
#include "observe/tracepoint/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static int not_permitted(struct err *e)
{
    return err_set(e, ERR_MACHINE,
                   "the kernel's tracepoints may not be read: %s; " TRACEPOINT_PERMISSION,
                   strerror(errno));
}

static bool is_tracefs(int fd)
{
    struct statfs s;
    return fstatfs(fd, &s) == 0 && (unsigned long)s.f_type == TRACEFS_MAGIC;
}

/* Linux 5.2: a mount that is in no tree; it ends with its descriptor. */
static int mount_detached(void)
{
    int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return -1;
    int fd = -1;
    if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
    int saved = errno;
    close(context);
    errno = saved;
    return fd;
}

/* Anybody may open the folder's top, only root what is in it. */
static int check_events(int fd, struct err *e)
{
    if (faccessat(fd, "events/header_page", R_OK, AT_EACCESS) == 0)
        return fd;
    not_permitted(e);
    close(fd);
    return -1;
}

int tracefs_open(const char *folder, struct err *e)
{
    int fd = open(folder ? folder : "/sys/kernel/tracing", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder && fd < 0)
        return err_set(e, ERR_MACHINE, "%s: %s", folder, strerror(errno));
    if (fd >= 0 && (folder || is_tracefs(fd)))
        return check_events(fd, e);
    if (fd >= 0)
        close(fd);
    fd = mount_detached();
    if (fd >= 0)
        return check_events(fd, e);
    if (errno == EPERM || errno == EACCES)
        return not_permitted(e);
    return err_set(e, ERR_MACHINE,
                   "this kernel has no tracefs (%s): its tracepoints cannot be used",
                   strerror(errno));
}

int tracefs_read_format(int tracefs, const char *system, const char *name, char *text, size_t size,
                        struct err *e)
{
    char path[128];
    snprintf(path, sizeof path, "events/%s/%s/format", system, name);
    int fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (length < 0 && errno == ENOENT)
        return err_set(e, ERR_MACHINE, "this kernel has no tracepoint %s:%s", system, name);
    if (length < 0)
        return not_permitted(e);
    text[length] = '\0';
    return 0;
}
