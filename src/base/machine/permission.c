/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out why something was not permitted. */
#include "base/machine/permission.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The capabilities of root that cupel needs: access to any file, raw commands to drives, settings
   and tracepoints. */
static const struct {
    int bit;
    const char *name;
} needed[] = {{CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
              {CAP_SYS_RAWIO, "CAP_SYS_RAWIO"},
              {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}};

static void read_start(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, to, size - 1) : 0;
    to[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Returns true if `text`, which was read from /proc/self/uid_map, is the map of a user namespace.
   Outside of any user namespace the map is "0 0 4294967295". */
static bool maps_users(const char *text)
{
    char *end;
    unsigned long first = strtoul(text, &end, 10), outside = strtoul(end, &end, 10),
                  count = strtoul(end, &end, 10);
    return *end == '\n' && (first != 0 || outside != 0 || count != UINT32_MAX);
}

void permission_read(struct permission *p)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    char text[80];
    *p = (struct permission){.root = geteuid() == 0, .capabilities = UINT64_MAX};
    if (!syscall(SYS_capget, &head, sets))
        p->capabilities = sets[0].effective | (uint64_t)sets[1].effective << 32;
    read_start("/proc/self/uid_map", text, sizeof text);
    p->own_users = maps_users(text);
    /* The file contains, for instance, "none [integrity] confidentiality": the current mode is in
       brackets. */
    read_start("/sys/kernel/security/lockdown", text, sizeof text);
    const char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;
    if (end && strncmp(begin, "[none]", 6) != 0)
        snprintf(p->lockdown, sizeof p->lockdown, "%.*s", (int)(end - begin - 1), begin + 1);
}

const char *permission_remedy_of(const struct permission *p, bool device, char to[PERMISSION_BYTES])
{
    char missing[80] = "";
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(p->capabilities >> needed[i].bit & 1))
            snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s%s",
                     *missing ? ", " : "", needed[i].name);
    if (!p->root)
        snprintf(to, PERMISSION_BYTES, "try as root");
    else if (p->own_users)
        snprintf(to, PERMISSION_BYTES,
                 "this is root of a user namespace only: try as root of the machine");
    else if (*missing)
        snprintf(to, PERMISSION_BYTES, "root lacks %s here, as in a container", missing);
    else if (device)
        snprintf(to, PERMISSION_BYTES,
                 "a device cgroup may forbid it (containers: --device; "
                 "systemd: DeviceAllow=)");
    else if (p->lockdown[0])
        snprintf(to, PERMISSION_BYTES, "the kernel is locked down (%s)", p->lockdown);
    else
        snprintf(to, PERMISSION_BYTES, "the device or a policy of this system forbids it to root");
    return to;
}

const char *permission_remedy(const char *path, char to[PERMISSION_BYTES])
{
    struct permission p;
    struct stat s;
    bool device = path && !stat(path, &s) && (S_ISBLK(s.st_mode) || S_ISCHR(s.st_mode));
    permission_read(&p);
    return permission_remedy_of(&p, device, to);
}
