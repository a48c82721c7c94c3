/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine's state around a measurement: what stands beside every result.
 *
 * Everything is read through one root handle, so that a captured tree can stand in for this machine
 * (--sysroot). Values that are absent or may not be read are facts as well.
 */
#ifndef CUPEL_HW_CONTEXT_H
#define CUPEL_HW_CONTEXT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/fact.h"
#include "hw/sysroot.h"

/*
 * Nodes and keys; a key that this machine does not tell is there as an absent fact.
 *   machine: kernel, kernel_version, kernel_command_line, clocksource, memory (bytes), product,
 *     hypervisor ("none", "yes" or its name);
 *   cpu: model, online, smt_active (yes, no), governor ("powersave", or "performance on 3 of 4
 *     processors"), frequency_driver, frequency_min, frequency_max, frequency (Hz, the mean now);
 *   mitigations: one fact per vulnerability that affects this processor, named as in sysfs, and the
 *     number not_affected; or vulnerabilities as one absent fact.
 */
void context_machine(const struct sysroot *root, struct facts *facts);

/*
 * Of the block device `device` (a partition's disk is found) and, when `path` is not NULL and lies
 * on a filesystem, of that. `device` is the block device itself or the one the file lies on
 * (st_dev); where that is an anonymous number (btrfs) the mount's source is taken. `path` may be
 * relative on this machine; in a captured tree it must be absolute and without symbolic links.
 *   storage: device, the name of the disk and of the node with its facts; absent on tmpfs, nfs ...;
 *   DISK: model, vendor, firmware, size (bytes), rotational (yes, no), scheduler, nr_requests,
 *     queue_depth, write_cache, io_poll (yes, no), logical_block_size, physical_block_size,
 *     max_transfer (bytes), zoned, bus; composition of dm, md, loop and zram devices in one line;
 *     partition, partition_start and partition_size (bytes) when it is one;
 *   filesystem: type, device, mount_point, mount_options, filesystem_options.
 */
void context_storage(const struct sysroot *root, dev_t device, const char *path,
                     struct facts *facts);

#endif
