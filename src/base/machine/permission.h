/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why something was not permitted, and what to do about it. A user who is not root may become root.
 * Root may be the root of a container only, may lack a capability, or be restricted by a device
 * cgroup, a locked-down kernel or a security module.
 *
 * permission_read examines this process and machine; any thread.
 */
#ifndef CUPEL_BASE_MACHINE_PERMISSION_H
#define CUPEL_BASE_MACHINE_PERMISSION_H

#include <stdbool.h>
#include <stdint.h>

#define PERMISSION_BYTES 160

struct permission {
    bool root; /* the effective user is root */
    /* the process is in a user namespace, whose root is not the machine's root */
    bool own_users;
    uint64_t capabilities; /* effective capabilities, one bit each */
    /* the kernel's lockdown mode, such as "integrity"; "": none, or not known */
    char lockdown[20];
};

void permission_read(struct permission *p);

/* Writes what the user can do, such as "try as root" or "root lacks CAP_SYS_ADMIN here, as in a
   container". `device` is true when a device node was refused. Returns `to`. */
const char *permission_remedy_of(const struct permission *p, bool device,
                                 char to[PERMISSION_BYTES]);

/* Like permission_remedy_of, for this process; `path` is the path that was refused, or NULL. */
const char *permission_remedy(const char *path, char to[PERMISSION_BYTES]);

#endif
