/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks that are on their way: the driver has the device, and there is no block device yet. */
#ifndef CUPEL_INIT_DISKS_AWAITED_H
#define CUPEL_INIT_DISKS_AWAITED_H

#include <stdbool.h>

/*
 * Is one of these so, below `sys` ("/sys", or a tree for tests)?
 * - a USB storage device that is not scanned yet: its SCSI host has no target (usb-storage waits a
 *   second before it looks);
 * - a SCSI disk that its driver is at (it reads sizes, it spins the disk up), without a block
 *   device;
 * - an NVMe controller that is being started: its state is new, resetting or connecting.
 * Some never come: the caller has a limit.
 */
bool disks_awaited(const char *sys);

#endif
