/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device numbers in the kernel's form, "259:1", and the devices that they identify. Any thread. */
#ifndef CUPEL_BASE_FILE_DEVICE_NUMBER_H
#define CUPEL_BASE_FILE_DEVICE_NUMBER_H

#include <stdbool.h>
#include <sys/types.h>

/* Reads a device number that is the whole text, with or without a line end. Returns false for any
   other text; *device is then unchanged. */
bool device_number_parse(const char *text, dev_t *device);

/* Reads a device number that is the whole first line of a file, as in sysfs. */
bool device_number_read(const char *file, dev_t *device);

/*
 * Opens /dev/NAME with `flags` (O_CLOEXEC is added) if it is the character or block device of this
 * number; the check is needed because the system chooses the names in /dev, but the kernel the
 * numbers. The caller closes the descriptor. Returns -1 with errno; ENODEV: it is another device.
 */
int device_number_open(const char *name, bool character, dev_t device, int flags);

#endif
