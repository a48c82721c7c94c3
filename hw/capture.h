/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: the parts of /sys and /proc that the probers read, as one tar file, so that another
 * machine's cupel can look at them (--sysroot FILE).
 *
 * What is kept is what the probers looked at, told by the watcher of the sysroot, and what libpci
 * and libsensors read themselves. Files become regular files with what reading gave, links stay
 * links, a file that could not be read for lack of permission becomes an empty one of mode 0.
 * Serial numbers, UUIDs, MAC addresses and host names are replaced unless asked for.
 */
#ifndef CUPEL_HW_CAPTURE_H
#define CUPEL_HW_CAPTURE_H

#include <stdbool.h>

#include "base/err.h"
#include "hw/sysroot.h"

/* Probe below `root` and write `file`, which must not exist. ERR_USAGE: it does, or cannot be made.
   ERR_TARGET: it could not be written whole; it is removed then. */
int capture_write(const struct sysroot *root, const char *file, bool serials, struct err *e);

/* --sysroot: a folder is opened as it is; a capture is unpacked into a new folder below TMPDIR that
   capture_close removes. ERR_USAGE: neither; a damaged tar; one whose names lead out of it. */
struct capture {
    struct sysroot root;
    char folder[128]; /* "" when there is none to be removed */
};
int capture_open(struct capture *c, const char *folder_or_file, struct err *e);
void capture_close(struct capture *c);

#endif
