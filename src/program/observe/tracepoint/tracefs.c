/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds tracefs, or mounts it without a place in the file tree, and reads its format files. */
#include "program/observe/tracepoint/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static int tracefs_not_permitted(struct err *e)
{
    return err_set(e, ERR_MACHINE,
                   "the kernel's tracepoints may not be read: %s; " TRACEPOINT_PERMISSION,
                   strerror(errno));
}

/* Since Linux 5.2: a mount without a place in the file tree; it ends with its descriptor. */
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

/* Any user may open the top folder, but only root its contents. */
static int check_events(int fd, struct err *e)
{
    if (faccessat(fd, "events/header_page", R_OK, AT_EACCESS) == 0)
        return fd;
    tracefs_not_permitted(e);
    close(fd);
    return -1;
}

int tracefs_open(const char *folder, struct err *e)
{
    int fd = open(folder ? folder : "/sys/kernel/tracing", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder && fd < 0)
        return err_set(e, ERR_MACHINE, "%s: %s", folder, strerror(errno));
    struct statfs s;
    if (fd >= 0 && (folder || (!fstatfs(fd, &s) && (unsigned long)s.f_type == TRACEFS_MAGIC)))
        return check_events(fd, e);
    if (fd >= 0)
        close(fd);
    fd = mount_detached();
    if (fd >= 0)
        return check_events(fd, e);
    if (errno == EPERM || errno == EACCES)
        return tracefs_not_permitted(e);
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
        return tracefs_not_permitted(e);
    text[length] = '\0';
    return 0;
}

/* ---- format files ---- */

/* The number after `key` in the text before `end`; -1: no number. */
static long number_after(const char *text, const char *end, const char *key)
{
    const char *at = strstr(text, key);
    if (!at || at >= end)
        return -1;
    at += strlen(key);
    char *stop;
    long value = strtol(at, &stop, 10);
    return stop == at || value < 0 || value > UINT16_MAX ? -1 : value;
}

int format_number(const char *text)
{
    return (int)number_after(text, text + strlen(text), "ID:");
}

struct tracepoint_field format_field(const char *text, const char *name)
{
    struct tracepoint_field field = {0};
    size_t length = strlen(name);
    for (const char *at = strstr(text, "field:"); at; at = strstr(at + 1, "field:")) {
        const char *end = strchr(at, ';'), *line = strchr(at, '\n');
        if (!end || !line || end > line)
            continue;
        /* The declaration [at, end) ends with the name: "char rwbs[10]", "unsigned int bytes". */
        const char *last = end;
        while (last > at && last[-1] != ' ')
            last--;
        if ((size_t)(end - last) < length || strncmp(last, name, length) != 0 ||
            (last + length != end && last[length] != '['))
            continue;
        long offset = number_after(end, line, "offset:");
        long size = number_after(end, line, "size:");
        if (offset < 0 || size < 0)
            break;
        field.offset = (uint16_t)offset;
        field.size = (uint16_t)size;
        field.is_signed = number_after(end, line, "signed:") == 1;
        break;
    }
    return field;
}
