/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the serial number of a disk, and checks that a block device is the disk with a given serial
 * number.
 *
 * The kernel shows the number for NVMe (`serial` of the controller or subsystem), virtio (`serial`)
 * and SCSI, which includes SATA disks: vital product data page 80h, unit serial number
 * (SPC-4, 7.8.15). Blanks at both ends are removed. No command is sent to the device. Any thread.
 */
#ifndef CUPEL_HW_DISK_DISK_SERIAL_H
#define CUPEL_HW_DISK_DISK_SERIAL_H

#include <sys/types.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"

#define DISK_SERIAL 320 /* size of a buffer for a serial number */

/*
 * Reads the serial number of the disk whose files are in `folder` ("/sys/class/block/sda"). Sets
 * *file (1024 bytes) to the path of the file that was read. With FACT_ABSENT, FACT_DENIED and
 * FACT_INVALID, and for an empty serial number, `to` is "".
 */
enum fact_status disk_serial_read(const struct sysroot *root, const char *folder,
                                  char to[DISK_SERIAL], char file[1024]);

/*
 * Reads the serial number of the USB device that the disk is behind; `folder` is the disk's real
 * folder, below /sys/devices. FACT_ABSENT when the disk is not behind a USB device, or that device
 * has no number. The number may be that of a stick, but also that of a dock or an enclosure whose
 * disk was exchanged, so disk_serial_check accepts no disk because of this number.
 */
enum fact_status disk_usb_serial_read(const struct sysroot *root, const char *folder,
                                      char to[DISK_SERIAL], char file[1024]);

/*
 * Returns 0 when the block device with this number is the disk with that serial number, or a
 * partition of it, and no other disk of the machine has the same one. Otherwise ERR_UNSAFE, with
 * both serial numbers in the message; `path` is the device's name for the message.
 */
int disk_serial_check(const struct sysroot *root, dev_t device, const char *serial,
                      const char *path, struct err *e);

/* Returns true for one of the small hardware partitions of an eMMC, which the kernel shows as
   separate disks with the serial number of the whole eMMC. */
bool disk_is_boot_area(const char *name);

#endif
