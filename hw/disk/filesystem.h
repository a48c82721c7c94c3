/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mounted filesystem that a file lies on, as a node of the inventory. */
#ifndef CUPEL_HW_DISK_FILESYSTEM_H
#define CUPEL_HW_DISK_FILESYSTEM_H

#include <stddef.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/*
 * Returns the NODE_FILESYSTEM of the mount that `path` lies on: the existing one if the inventory
 * has it, otherwise a new one below the machine. Its name is the mount point; its facts are type,
 * device (the mount's source: "/dev/sda2", "server:/export"), mount_point, mount_options,
 * filesystem_options, and members ("sda, sdb") for a btrfs with several devices. Call it after the
 * block prober has run.
 *
 * `path` may be relative on this machine; in a captured tree it must be absolute and without
 * symbolic links. *device is the number of the device that the file lies on (st_dev), or 0:0 when
 * that is not known. Where its major is 0 (btrfs, overlay, not known) and the mount names the real
 * block device, *device becomes the number of that device.
 *
 * Returns INVENTORY_NONE when the path is a block device itself (then *device is its number) or one
 * of the device files of a captured tree. Where no mount is known, the node has the path as its
 * name and its type is absent.
 */
int filesystem_add(const struct sysroot *root, struct inventory *v, dev_t *device,
                   const char *path);

/* Copies the value of `key` ("addr=") in a list such as "rw,addr=192.0.2.1,hard"; "" when it is
   missing, or too long. */
void mount_option(const char *list, const char *key, char *to, size_t size);

#endif
