/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a file or a device is, in words that hold across a restart of the machine: for work that
 * goes on later, when its name may lead to another one. Any thread.
 */
#ifndef CUPEL_IO_TARGET_IDENTITY_H
#define CUPEL_IO_TARGET_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#define TARGET_IDENTITY_BYTES 400

/*
 * Of an open file or device (O_PATH will do), without commas and line ends.
 *   a file      its filesystem, inode, and when it was made: a new file may get an old inode
 *   a device    its size, and what the kernel knows it by: wwid (EUI, NAA), serial number, UUID of
 *               device mapper or md; of a loop device the file below it; of a partition its place
 * on the disk False: nothing identifies it but its size, or it cannot be looked at; `to` is then
 * still what is known of it, or "".
 */
bool target_identity(int look, char to[TARGET_IDENTITY_BYTES]);

#endif
