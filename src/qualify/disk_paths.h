/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks that the kernel shows twice, because two cables lead to them. */
#ifndef CUPEL_QUALIFY_DISK_PATHS_H
#define CUPEL_QUALIFY_DISK_PATHS_H

#include <stdbool.h>

#include "base/inventory.h"
#include "hw/sysroot.h"

/* Are both nodes one disk: the same world wide name (NAA or EUI), serial number and size? What does
   not tell all three is a disk of its own. */
bool disk_is_same(const struct inventory *v, const struct sysroot *root, int node, int other);

#endif
