/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether a target that is to be written is in use. Devices are looked up by major:minor
 * in sysfs, in the mount tables, in the list of swap areas and among the loop devices, files by
 * filesystem and inode, so that names and links do not matter. Anything that cannot be looked up
 * counts as in use.
 *
 * The rule for a block device: it is refused when the same bytes are in use under any name. A use
 * is a mounted filesystem, swap, or any device built on it. The table lists the devices that
 * share bytes with the target, and the uses for which the target is then refused:
 *
 *   the device itself, another path to it (same wwid)    used in any way
 *   a partition of one of these                          used in any way
 *   the disk of which it is a partition                  used in any way; other partitions are not
 *                                                        looked at: they have different bytes
 *   devices built on one of these (holders, to any       always: their existence is a use
 *   depth: dm, LVM, md, bcache; loop devices)
 *   below a loop device: the device that it lies on      used in any way, and so on downward; its
 *                                                        partitions and disk as well, because it is
 *                                                        not known which of them it covers
 *   below a loop device: the file that it lies on        swap; other loop devices of the same file
 *                                                        whose part of it overlaps ours, used in
 *                                                        any way. The filesystem that contains the
 *                                                        file may be mounted
 *   below dm, LVM or md: the devices that it lies on     mounted, swap or with a loop device on it;
 *   (slaves, to any depth), their disks and partitions   other dm or md devices on them do not
 *                                                        count: a volume that nobody uses may be
 *                                                        written beside those of the same disk
 *
 * The open with O_EXCL that follows asks the kernel itself, and finds uses that no table shows (a
 * mount in another mount namespace, the second disk of a btrfs, the backing device of a zram),
 * but only on the one device that is opened. So the guard asks the kernel in the same way about
 * other paths, devices below a loop device, and other loop devices of its file.
 *
 * A program that has one of these devices open for writing uses it as well, claimed or not: a
 * virtual machine, for example, or the server of a network block device. It may also have open
 * the generic device of an NVMe namespace or of a SCSI disk, or the file that a loop device lies
 * on. The guard searches /proc for such programs.
 *
 * A file is refused when a loop device lies on it, when it is swap, and when another program has
 * it open for writing. Such programs are found by a lease from the kernel; where the kernel
 * grants none (FUSE, a file of another user), by a search of /proc. For a file on an overlay the
 * file in the upper folder is checked too, where that can be reached.
 *
 * The guard does not see: users within the kernel that claim nothing (a target of NVMe over
 * fabrics); other machines; programs that write, from outside a container, the files below its
 * overlay, or the files in which a FUSE filesystem stores its data; process 1 where nobody may
 * look into it; a descriptor that is being sent between programs (SCM_RIGHTS), or in an io_uring
 * whose descriptor is closed; programs that have a file of an overlay open when a loop device
 * lies on the file in its upper folder; and programs that begin to write after the check. Any
 * other process that /proc does not let us look into counts as a possible user: the target is
 * refused.
 */
#ifndef CUPEL_IO_TARGET_GUARD_H
#define CUPEL_IO_TARGET_GUARD_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/* Whether all programs can be examined. Without root, in a container, or where /proc hides
   processes, they cannot. */
struct guard_sight {
    /* a target is accepted although a program that cannot be examined may have it open
       (--allow-unseen) */
    bool allow_unseen;
    bool unseen; /* set by the check: some programs could not be examined */
};

/*
 * Returns 0 when nothing uses the device; -1 with ERR_UNSAFE, which names the user. `path` is for
 * the message. The tables are read below `root`: "" for this machine, or a folder for tests; in the
 * latter case neither the kernel nor programs are asked. If `sight` is NULL, a program that cannot
 * be examined is an error.
 */
int guard_unused(const char *root, dev_t device, const char *path, struct guard_sight *sight,
                 struct err *e);

/* Like guard_unused, for a regular file; `fd` has it open for reading only. `ours` is true if this
   process has the file open for writing and has already checked it; in that case the guard does not
   find out whether other programs have it open for writing as well. */
int guard_file_unused(const char *root, int fd, const char *path, bool ours,
                      struct guard_sight *sight, struct err *e);

/* Finds the block device that has the same bytes as the generic device of an NVMe namespace
   (/dev/ngXnY) or of a SCSI disk (/dev/sgN). Returns 0, or -1 with ERR_UNSAFE. */
int guard_generic_device(const char *root, dev_t device, dev_t *block, char name[64],
                         struct err *e);

/*
 * Returns true if two block devices share bytes: a disk and its partition, a volume and the device
 * below it, two paths to one disk. `words` (128 bytes) then describes what `other` is, seen from
 * `device`. Two partitions of a disk share no bytes. Relations that cannot be looked up are not
 * found.
 */
bool guard_overlap(const char *root, dev_t device, dev_t other, char words[128]);

/* Returns true if the device stores its bytes in that file of that filesystem (a loop device, its
   partition, a device built on it). Relations that cannot be looked up are not found. */
bool guard_keeps_in_file(const char *root, dev_t device, dev_t filesystem, ino_t inode);

/*
 * Returns true if the bytes of a folder, which need not exist yet, are on that block device
 * (`target` has its mode and st_rdev) or in that file. If the filesystem is on a loop device, the
 * search goes on with the filesystem of the file below that device. If a part cannot be looked up,
 * such as the upper folder of an overlay, the folder may be on any block device that is in use;
 * only a device that this process has `claimed` with O_EXCL after guard_unused is excluded, because
 * it contains no filesystem that anybody uses.
 */
bool guard_holds_folder(const struct stat *target, bool claimed, const char *folder);

#endif
