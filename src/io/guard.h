/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a block device in use? Looked up by major:minor in sysfs, in the mount tables and in the list
 * of swap areas, so that names and links do not matter.
 *
 * What counts as in use: a mounted filesystem or swap on the device, on any of its partitions, on
 * the disk it is a partition of, or on anything built on top of those (holders: dm, LVM, md,
 * bcache, to any depth); and any holder at all. All this holds for other block devices with the
 * same identity (wwid) as well: two paths to one disk that the kernel does not join. What cannot be
 * looked up counts as in use. The open with O_EXCL that follows is the kernel's own word, and
 * catches what no table shows, but on the one device that is opened.
 */
#ifndef CUPEL_IO_GUARD_H
#define CUPEL_IO_GUARD_H

#include <sys/types.h>

#include "base/err.h"

/*
 * 0 when nothing uses the device; -1 with ERR_UNSAFE and who does. `path` is for the message. The
 * tables are read below `root`: "" for this machine, a folder for tests.
 */
int guard_unused(const char *root, dev_t device, const char *path, struct err *e);

#endif
