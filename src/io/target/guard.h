/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is what is to be written in use by somebody? Devices are looked up by major:minor in sysfs, in
 * the mount tables, in the list of swap areas and among the loop devices, files by filesystem and
 * inode, so that names and links do not matter. What cannot be looked up counts as in use.
 *
 * The rule for a block device: it is refused when the same bytes are in use under any name. "Used"
 * is a mounted filesystem, swap, or anything built on it.
 *
 *   the device itself, another path to it (same wwid)    used in any way
 *   a partition of one of these                          used in any way
 *   the disk of which it is a partition                  used in any way; other partitions are not
 *                                                        looked at: their bytes are others
 *   what is built on one of these (holders, to any       always: that it is there is a use
 *   depth: dm, LVM, md, bcache; loop devices)
 *   below a loop device: the device that it lies on      used in any way, and so on downward; its
 *                                                        partitions and disk as well, because it is
 *                                                        not shown which of them it covers
 *   below a loop device: the file that it lies on        swap; other loop devices of the same file
 *                                                        whose stretch of it meets ours, used in
 *                                                        any way. The filesystem that holds the
 *                                                        file is mounted, and that is right
 *   below dm, LVM or md: the devices that it lies on     mounted, swap or with a loop device on it,
 *   (slaves, to any depth), their disks and partitions   not for what else dm or md builds on them:
 *                                                        a volume that nobody uses may be written
 *                                                        beside the volumes of the same disk
 *
 * The open with O_EXCL that follows is the kernel's own word and catches what no table shows (a
 * mount in another mount namespace, the second disk of a btrfs, the backing device of a zram), but
 * on the one device that is opened. So the guard asks the kernel in the same way for other paths,
 * for devices below a loop device, and for other loop devices of its file.
 *
 * A program that has one of these devices open for writing uses it as well, claimed or not: a
 * virtual machine, the server of a network block device, also by the generic device of an NVMe
 * namespace or of a SCSI disk, or by the file that a loop device lies on. /proc is looked through.
 *
 * A file is refused when a loop device lies on it, when it is swap, and when another program has it
 * open for writing: the kernel is asked by a lease, and where it gives none (FUSE, a file of
 * somebody else) /proc is looked through. Of a file on an overlay the file in its upper folder is
 * asked about too, where that can be reached.
 *
 * Not seen: users within the kernel that claim nothing (a target of NVMe over fabrics), what other
 * machines do, who writes the files below a container's overlay from outside of it or those that
 * a FUSE file system keeps its bytes in, process 1 where nobody may look into it, and who begins to
 * write after the look.
 */
#ifndef CUPEL_IO_TARGET_GUARD_H
#define CUPEL_IO_TARGET_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Programs cannot all be looked into without root, in a container, or where /proc hides them. */
struct guard_sight {
    bool allow_unseen; /* --allow-unseen: a target that they may have open is not refused */
    bool unseen;       /* set when that was so */
};

/*
 * 0 when nothing uses the device; -1 with ERR_UNSAFE and who does. `path` is for the message. The
 * tables are read below `root`: "" for this machine, a folder for tests, where neither the kernel
 * nor programs are looked at. `sight` may be NULL: all have to be seen.
 */
int guard_unused(const char *root, dev_t device, const char *path, struct guard_sight *sight,
                 struct err *e);

/* The same for a regular file that is open as `fd`, which was opened to read only. `ours`: this
   process has it open for writing, and was judged when it opened it; whether others have it open
   for writing as well is not seen then. */
int guard_file_unused(const char *root, int fd, const char *path, bool ours,
                      struct guard_sight *sight, struct err *e);

/*
 * Do two block devices hold the same bytes, or one of them a part of the other's: a disk and its
 * partition, a volume and what it lies on, two paths to one disk? Then `words` (128 bytes) says
 * what `other` is to `device`. Two partitions of a disk do not. What cannot be looked up is not
 * seen.
 */
bool guard_overlap(const char *root, dev_t device, dev_t other, char words[128]);

/* Does the device keep its bytes in that file of that filesystem (a loop device, its partition,
   what is built on it)? What cannot be looked up is not seen. */
bool guard_keeps_in_file(const char *root, dev_t device, dev_t filesystem, ino_t inode);

#endif
