/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The serial number of a disk, and whether a block device is the disk that somebody meant by one.
 *
 * The kernel shows it for NVMe (`serial` of the controller or subsystem), virtio (`serial`) and
 * SCSI, as which SATA disks show too: vital product data page 80h, unit serial number (SPC-4,
 * 7.8.15). Blanks at both ends are no part of it. Nothing here asks the device. Any thread.
 */
#ifndef CUPEL_HW_DISK_DISK_SERIAL_H
#define CUPEL_HW_DISK_DISK_SERIAL_H

#include <sys/types.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"

#define DISK_SERIAL 320 /* room for one */

/*
 * That of the disk whose files are in `folder` ("/sys/class/block/sda"); *file (1024 bytes) becomes
 * the path of what was read. FACT_ABSENT, FACT_DENIED and FACT_INVALID leave "" in `to`, and so
 * does a disk whose serial number is empty.
 */
enum fact_status disk_serial_read(const struct sysroot *root, const char *folder,
                                  char to[DISK_SERIAL], char file[1024]);

/*
 * 0 when the block device with this number is the disk with that serial number, or a partition of
 * it, and no other disk of the machine has the same. ERR_UNSAFE otherwise, with both numbers in the
 * message; `path` names the device there.
 */
int disk_serial_check(const struct sysroot *root, dev_t device, const char *serial,
                      const char *path, struct err *e);

/* One of the small hardware partitions of an eMMC, which the kernel shows as disks of their own
   with the serial number of the whole. */
bool disk_is_boot_area(const char *name);

#endif
