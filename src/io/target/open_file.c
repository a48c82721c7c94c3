/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that some process has open, examined by its link in /proc. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/kernel_stat.h"
#include "io/target/internal.h"

/* Nothing waits for a filesystem that does not answer: type, inode and numbers do not change. */
bool open_file_look(int folder, const char *name, struct stat *st)
{
    struct kernel_statx x = {0};
    if (syscall(SYS_statx, folder, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
                STATX_TYPE | STATX_INO, &x))
        return false;
    *st = (struct stat){.st_mode = x.stx_mode,
                        .st_ino = x.stx_ino,
                        .st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
                        .st_rdev = makedev(x.stx_rdev_major, x.stx_rdev_minor)};
    return true;
}

bool open_file_is_written(int folder, const char *name)
{
    struct stat link; /* the mode of the link shows how the file was opened */
    return !fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) && (link.st_mode & S_IWUSR);
}
