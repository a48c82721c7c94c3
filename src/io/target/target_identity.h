/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The identity of a file or device, as text that stays valid across a restart of the machine. Work
 * that is resumed later uses it, because the name may then lead to another file. Any thread may use
 * it.
 */
#ifndef CUPEL_IO_TARGET_TARGET_IDENTITY_H
#define CUPEL_IO_TARGET_TARGET_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#define TARGET_IDENTITY_BYTES 400

/*
 * Writes the identity of an open file or device (O_PATH suffices), without commas and line ends:
 *
 *   a file    its filesystem, inode, and time of creation, because a new file may get an old inode
 *   a device  its size, and the identity that the kernel shows: wwid (EUI, NAA), serial number,
 *             UUID of device mapper or md; for a loop device the file below it; for a partition its
 *             place on the disk
 *
 * Returns false if only its size identifies the file or device, or if it cannot be examined; `to`
 * then contains the part that is known, or "".
 */
bool target_identity(int look, char to[TARGET_IDENTITY_BYTES]);

#endif
