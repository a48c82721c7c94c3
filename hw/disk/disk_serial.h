/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The serial number of a disk, and the check that a block device is the disk with a given one.
 *
 * The kernel shows it for NVMe (`serial` of the controller or subsystem), virtio (`serial`) and
 * SCSI, which includes SATA disks: vital product data page 80h, unit serial number (SPC-4, 7.8.15).
 * Blanks at both ends are removed. The device is never asked. Any thread.
 */
#ifndef CUPEL_HW_DISK_DISK_SERIAL_H
#define CUPEL_HW_DISK_DISK_SERIAL_H

#include <sys/types.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"

#define DISK_SERIAL 320 /* bytes for a serial number */

/*
 * Reads the serial number of the disk with its files in `folder` ("/sys/class/block/sda"); *file
 * (1024 bytes) becomes the path of the file that was read. With FACT_ABSENT, FACT_DENIED and
 * FACT_INVALID, and for an empty serial number, `to` is "".
 */
enum fact_status disk_serial_read(const struct sysroot *root, const char *folder,
                                  char to[DISK_SERIAL], char file[1024]);

/*
 * The same of the USB device that the disk is behind; `folder` is the disk's real one, below
 * /sys/devices. FACT_ABSENT when it is not behind one, or that has no number. It names a stick, and
 * also a dock or an enclosure whose disk was exchanged: it permits nothing.
 */
enum fact_status disk_usb_serial_read(const struct sysroot *root, const char *folder,
                                      char to[DISK_SERIAL], char file[1024]);

/*
 * Returns 0 when the block device with this number is the disk with that serial number, or a
 * partition of it, and no other disk of the machine has the same. Otherwise ERR_UNSAFE, with both
 * numbers in the message; `path` is the device's name there.
 */
int disk_serial_check(const struct sysroot *root, dev_t device, const char *serial,
                      const char *path, struct err *e);

/* Is it one of the small hardware partitions of an eMMC? The kernel shows them as separate disks
   with the serial number of the whole. */
bool disk_is_boot_area(const char *name);

#endif
