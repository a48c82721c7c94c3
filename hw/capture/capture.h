/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: the parts of /sys and /proc that the probers read, as one tar file, so that another
 * machine's cupel can look at them (--sysroot FILE).
 *
 * A capture keeps the files that the probers looked at, as the watcher of the sysroot reports them,
 * and those that libpci and libsensors read themselves. Files become regular files with the
 * contents that were read, links stay links, a file that could not be read for lack of permission
 * becomes an empty one of mode 0. The names of the PCI devices of the machine are kept as
 * usr/share/misc/pci.ids.
 *
 * Serial numbers are left out; UUIDs, WWNs, MAC addresses and the host's name replaced; on the
 * kernel's command line addresses, users and passwords too, and who built the kernel: unless asked
 * for (hw/capture/private_rules.c has the list). IP addresses, mount points and the names of
 * interfaces stay, because data paths are found by them; interfaces named after a MAC address are
 * renamed.
 */
#ifndef CUPEL_HW_CAPTURE_CAPTURE_H
#define CUPEL_HW_CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"

struct capture_request {
    const char *file;
    const char *pci_ids; /* as in struct probe */
    bool serials;
    const volatile sig_atomic_t *stop; /* not 0: no capture is wanted any more. NULL: never */
};

/*
 * Probe below `root` and write the file, which must not exist. ERR_USAGE: it does, or cannot be
 * made. ERR_TARGET: it could not be written whole. ERR_UNDECIDED: stopped. ERR_MACHINE: not enough
 * memory. After an error there is no file, and where the filesystem knows files without a name
 * (O_TMPFILE) also none when the process is killed; elsewhere FILE.part-XXXXXX may be left then.
 */
int capture_write(const struct sysroot *root, const struct capture_request *request, struct err *e);

/* --sysroot: a folder is opened as it is and must hold sys or proc; a capture is unpacked into a
   new folder below TMPDIR (/dev/shm, then /tmp, when that is not set), which capture_close
   removes. ERR_USAGE: neither; a
   damaged tar; one whose names lead out of it; nothing of a machine in it; not to be read.
   ERR_MACHINE: no folder or no room for it. After an error there is nothing to close, and closing
   it, twice too, does no harm: nor for one of zeros.
 */
struct capture {
    struct sysroot root;
    char folder[128]; /* "" when there is none to be removed */
    int fd;           /* the folder, when there is one */
};
int capture_open(struct capture *c, const char *folder_or_file, struct err *e);
void capture_close(struct capture *c);

#endif
