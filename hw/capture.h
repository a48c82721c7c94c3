/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: the parts of /sys and /proc that the probers read, as one tar file, so that another
 * machine's cupel can look at them (--sysroot FILE).
 *
 * What is kept is what the probers looked at, told by the watcher of the sysroot, and what libpci
 * and libsensors read themselves. Files become regular files with what reading gave, links stay
 * links, a file that could not be read for lack of permission becomes an empty one of mode 0.
 * Serial numbers are left out, UUIDs, WWNs, MAC addresses and host names replaced, unless asked for
 * (hw/capture_private.c has the list).
 */
#ifndef CUPEL_HW_CAPTURE_H
#define CUPEL_HW_CAPTURE_H

#include <stdbool.h>

#include "base/err.h"
#include "hw/sysroot.h"

/* Probe below `root` and write `file`, which must not exist. ERR_USAGE: it does, or cannot be made.
   ERR_TARGET: it could not be written whole. ERR_MACHINE: not enough memory. After an error there
   is no file. */
int capture_write(const struct sysroot *root, const char *file, bool serials, struct err *e);

/* --sysroot: a folder is opened as it is; a capture is unpacked into a new folder below TMPDIR
   (/dev/shm, then /tmp, when that is not set) that capture_close removes. ERR_USAGE: neither; a
   damaged tar; one whose names lead out of it. ERR_MACHINE: no folder or no room for it. After an
   error there is nothing to close, and closing it, twice too, does no harm: nor for one of zeros.
 */
struct capture {
    struct sysroot root;
    char folder[128]; /* "" when there is none to be removed */
};
int capture_open(struct capture *c, const char *folder_or_file, struct err *e);
void capture_close(struct capture *c);

#endif
