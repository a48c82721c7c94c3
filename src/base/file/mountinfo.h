/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses one line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). Any thread may call it. */
#ifndef CUPEL_BASE_FILE_MOUNTINFO_H
#define CUPEL_BASE_FILE_MOUNTINFO_H

#include <stdbool.h>
#include <sys/types.h>

/* The fields of a line. Texts point into the line, without escapes; if the line ends early, the
   missing fields are "". */
struct mountinfo {
    dev_t device;        /* the filesystem; major 0: tmpfs, overlay, btrfs, nfs ... */
    const char *root;    /* the part of the filesystem that is mounted; "/": the whole one */
    const char *point;   /* the mount point */
    const char *options; /* options of the mount */
    const char *type;
    const char *source;        /* what is mounted: "/dev/sda2", "tmpfs", "server:/export" */
    const char *super_options; /* options of the filesystem */
};

/* Takes the line apart in place. Returns false if the line has no device or no mount point. */
bool mountinfo_parse(char *line, struct mountinfo *m);

#endif
