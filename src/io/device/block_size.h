/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alignment that O_DIRECT asks of offsets and lengths. */
#ifndef CUPEL_IO_DEVICE_BLOCK_SIZE_H
#define CUPEL_IO_DEVICE_BLOCK_SIZE_H

#include <stdint.h>

/*
 * Of an open regular file or block device, in bytes; 0 when the file is known not to do O_DIRECT.
 * Where the kernel does not say (before Linux 6.1), that of the device it lies on, or else 4096.
 */
uint32_t direct_block_size(int fd);

#endif
