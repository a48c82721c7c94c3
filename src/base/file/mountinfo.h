/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). Any thread. */
#ifndef CUPEL_BASE_MOUNTINFO_H
#define CUPEL_BASE_MOUNTINFO_H

#include <stdbool.h>
#include <sys/types.h>

/* Texts lie in the line, without escapes; of a line that ends early the later ones are "". */
struct mountinfo {
    dev_t device;        /* major 0 for tmpfs, overlay, btrfs, nfs ... */
    const char *root;    /* the part of the filesystem that is mounted; "/": all of it */
    const char *point;   /* where */
    const char *options; /* of this mount */
    const char *type;
    const char *source;        /* "/dev/sda2", "tmpfs", "server:/export" */
    const char *super_options; /* of the filesystem */
};

/* Cuts the line in place. False: it has no device or no mount point. */
bool mountinfo_parse(char *line, struct mountinfo *m);

#endif
