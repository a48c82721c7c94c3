/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: the parts of /sys and /proc that the probers read, in one tar file, so that cupel can
 * examine them on another machine (--sysroot FILE).
 *
 * A capture has the files that the probers looked at, as the watcher of the sysroot reports them,
 * and those that libpci and libsensors read themselves. Files become regular files with the
 * contents that were read, links stay links, and a file that could not be read for lack of
 * permission becomes an empty one of mode 0. The names of the machine's PCI devices are stored as
 * usr/share/misc/pci.ids.
 *
 * Unless serial numbers are requested, serial numbers are left out, and UUIDs, WWNs, MAC addresses
 * and the host's name are replaced. On the kernel's command line addresses, users and passwords are
 * replaced as well, and so is the name of the user who built the kernel (hw/capture/private_rules.c
 * has the list). IP addresses, mount points and the names of interfaces are kept, because data
 * paths are found by them; interfaces named after a MAC address are renamed.
 */
#ifndef CUPEL_HW_CAPTURE_CAPTURE_H
#define CUPEL_HW_CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

struct capture_request {
    const char *file;
    const char *pci_ids; /* file with names of PCI devices (struct probe) */
    bool serials;
    /* the capture is given up when *stop becomes non-zero; NULL: never */
    const volatile sig_atomic_t *stop;
};

/*
 * Probes below `root` and writes the file, which must not exist. ERR_USAGE: it exists, or cannot be
 * made. ERR_TARGET: it could not be written completely. ERR_UNDECIDED: stopped. ERR_MACHINE: not
 * enough memory. After an error there is no file. If the process is killed, nothing is left on a
 * filesystem that supports files without a name (O_TMPFILE); elsewhere FILE.part-XXXXXX may be
 * left.
 */
int capture_write(const struct sysroot *root, const struct capture_request *request, struct err *e);

/* Opens the argument of --sysroot: a folder is used directly and must hold sys or proc. A capture
   is unpacked into a new folder below TMPDIR (when that is not set, below /dev/shm, then /tmp),
   which capture_close removes. ERR_USAGE: the argument is neither a folder nor a capture; or it
   cannot be read; or the tar file is damaged, has names that lead out of it, or has neither sys nor
   proc. ERR_MACHINE: the new folder cannot be made, or its filesystem is full. After an error there
   is nothing to close. Closing a struct twice, or one of zeros, does nothing. */
struct capture {
    struct sysroot root;
    char folder[128]; /* "" when there is no folder to remove */
    int fd;           /* descriptor of that folder, if there is one */
};
int capture_open(struct capture *c, const char *folder_or_file, struct err *e);
void capture_close(struct capture *c);

/*
 * Adds to the inventory of a capture what smartctl -j and nvme smart-log, id-ctrl and list -o json
 * printed on that machine. They are read from the files *.json in the capture's folder, and from
 * those beside the capture whose names begin with the capture's name ("server-sda.json" beside
 * "server.tar"). Other files are ignored; `passed_over` gets a line for each drive that the machine
 * does not have.
 */
void capture_read_health(struct inventory *v, const char *capture, struct text *passed_over);

#endif
