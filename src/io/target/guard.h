/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the target that is to be written in use? Devices are looked up by major:minor in sysfs, in the
 * mount tables, in the list of swap areas and among the loop devices, files by filesystem and
 * inode, so that names and links do not matter. Anything that cannot be looked up counts as in use.
 *
 * The rule for a block device: it is refused when the same bytes are in use under any name. "Used"
 * is a mounted filesystem, swap, or anything built on it.
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
 *                                                        any way. The filesystem that holds the
 *                                                        file may be mounted
 *   below dm, LVM or md: the devices that it lies on     mounted, swap or with a loop device on it;
 *   (slaves, to any depth), their disks and partitions   other dm or md devices on them do not
 *                                                        count: a volume that nobody uses may be
 *                                                        written beside those of the same disk
 *
 * The open with O_EXCL that follows asks the kernel itself, and catches uses that no table shows (a
 * mount in another mount namespace, the second disk of a btrfs, the backing device of a zram), but
 * only on the one device that is opened. So the guard asks the kernel in the same way about other
 * paths, devices below a loop device, and other loop devices of its file.
 *
 * A program that has one of these devices open for writing uses it as well, claimed or not: a
 * virtual machine, for example, or the server of a network block device. It may also have open the
 * generic device of an NVMe namespace or of a SCSI disk, or the file that a loop device lies on.
 * The guard searches /proc for such programs.
 *
 * A file is refused when a loop device lies on it, when it is swap, and when another program has it
 * open for writing: the kernel is asked by a lease, and where it gives none (FUSE, a file of
 * another user) /proc is searched. For a file on an overlay the file in the upper folder is checked
 * too, where that can be reached.
 *
 * The guard does not see: users within the kernel that claim nothing (a target of NVMe over
 * fabrics); other machines; programs that write, from outside a container, the files below its
 * overlay, or the files in which a FUSE filesystem keeps its bytes; process 1 where nobody may look
 * into it; a descriptor that is on its way between programs (SCM_RIGHTS), or in an io_uring whose
 * own descriptor is closed; programs that have a file of an overlay open when a loop device lies on
 * the file in its upper folder; and programs that begin to write after the check. Any other process
 * that /proc does not let us look into counts as unseen: the target is refused.
 */
#ifndef CUPEL_IO_TARGET_GUARD_H
#define CUPEL_IO_TARGET_GUARD_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

/* Whether all programs can be looked into. They cannot without root, in a container, or where /proc
   hides them. */
struct guard_sight {
    bool allow_unseen; /* --allow-unseen: a target is not refused because programs that cannot be
                          looked into may have it open */
    bool unseen;       /* set when programs could not be looked into */
};

/*
 * Returns 0 when nothing uses the device; -1 with ERR_UNSAFE and the user. `path` is for the
 * message. The tables are read below `root`: "" for this machine, or a folder for tests, in which
 * case neither the kernel nor programs are asked. `sight` may be NULL: then all programs must be
 * seen.
 */
int guard_unused(const char *root, dev_t device, const char *path, struct guard_sight *sight,
                 struct err *e);

/* Like guard_unused, for a regular file that is open as `fd`, which was opened only for reading.
   `ours`: this process has it open for writing, and it was judged at that time; whether others have
   it open for writing as well is then not seen. */
int guard_file_unused(const char *root, int fd, const char *path, bool ours,
                      struct guard_sight *sight, struct err *e);

/* The block device that reads and writes the same bytes as the generic device of an NVMe namespace
   (/dev/ngXnY) or a SCSI disk (/dev/sgN). 0, or -1 with ERR_UNSAFE. */
int guard_generic_device(const char *root, dev_t device, dev_t *block, char name[64],
                         struct err *e);

/*
 * Do two block devices share bytes: a disk and its partition, a volume and what it lies on, two
 * paths to one disk? Then `words` (128 bytes) says what `other` is to `device`. Two partitions of a
 * disk share none. Relations that cannot be looked up are not seen.
 */
bool guard_overlap(const char *root, dev_t device, dev_t other, char words[128]);

/* Does the device keep its bytes in that file of that filesystem (a loop device, its partition,
   what is built on it)? Relations that cannot be looked up are not seen. */
bool guard_keeps_in_file(const char *root, dev_t device, dev_t filesystem, ino_t inode);

/*
 * Are the bytes of a folder, which need not exist yet, on that block device (`target` has its mode
 * and st_rdev), or in that file? The folder is followed through filesystems on loop devices, and
 * the filesystems of their files. What cannot be looked up, such as the upper folder of an overlay,
 * counts as on any block device that is in use, but not on one that this process has `claimed` with
 * O_EXCL after guard_unused: it holds no filesystem that anybody uses.
 */
bool guard_holds_folder(const struct stat *target, bool claimed, const char *folder);

#endif
