/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trims by a system call: one at a time, complete when the call returns. */
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "io/io.h"

ssize_t io_trim(const struct io_setup *setup, int fd, const struct io_req *request)
{
    uint64_t range[2] = {request->offset, request->length};
    int status = setup->block_device ? ioctl(fd, BLKDISCARD, range)
                                     : fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                                 (off_t)request->offset, (off_t)request->length);
    return status ? -1 : (ssize_t)request->length;
}
