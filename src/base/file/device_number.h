/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device numbers as the kernel writes them, "259:1", and the devices they lead to. Any thread. */
#ifndef CUPEL_BASE_DEVICE_NUMBER_H
#define CUPEL_BASE_DEVICE_NUMBER_H

#include <stdbool.h>
#include <sys/types.h>

/* The whole of a text, with or without a line end. False, and *device as it was, for any other. */
bool device_number_parse(const char *text, dev_t *device);

/* The whole of a file's first line, as sysfs has them. */
bool device_number_read(const char *file, dev_t *device);

/*
 * Open /dev/NAME with `flags` (O_CLOEXEC is added) if it is the character or block device of this
 * number: names in /dev are the system's, numbers the kernel's. The caller closes it. -1 with
 * errno; ENODEV when it is something else.
 */
int device_number_open(const char *name, bool character, dev_t device, int flags);

#endif
