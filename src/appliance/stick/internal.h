/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/appliance/stick. */
#ifndef CUPEL_APPLIANCE_STICK_INTERNAL_H
#define CUPEL_APPLIANCE_STICK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* ---- incomplete disks: the driver has the device, but there is no block device yet ---- */

/*
 * Returns whether one of these exists below `sys` ("/sys", or a tree for tests):
 * - a USB storage device that is not scanned yet: its SCSI host has no target (usb-storage waits a
 *   second before it looks);
 * - a SCSI disk that its driver is examining (it reads sizes, it spins the disk up), without a
 *   block device;
 * - an NVMe controller that is being started: its state is new, resetting or connecting.
 * Some of them never become complete, so the caller has a limit.
 */
bool disks_awaited(const char *sys);

/* ---- the kernel's uevents ---- */

/*
 * The kernel's uevents, which report devices as they come and go (NETLINK_KOBJECT_UEVENT). A
 * message is "ACTION@PATH" and then KEY=VALUE strings, each ended by '\0'. One thread.
 */

#define UEVENT_BYTES 8192 /* the kernel sends at most 2 KiB and the path */

struct uevent { /* fields that the message does not have are "" */
    const char *action, *path, *subsystem, *modalias;
    char message[UEVENT_BYTES + 1];
};

/* Opens a socket that does not block; the caller closes it. Returns -1 with ERR_MACHINE on
   failure. */
int uevent_open(struct err *e);

enum uevent_status {
    UEVENT_RECEIVED,
    UEVENT_NONE, /* no message is waiting to be read */
    UEVENT_LOST, /* there were more than the socket could hold: some were lost */
};

/* Gets the next message. Messages that do not have the form of the kernel's uevents are skipped. */
enum uevent_status uevent_receive(int fd, struct uevent *event);

#endif
