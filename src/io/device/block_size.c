/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alignment of direct I/O. The kernel's own statx, because the C library's is older than its
 * news. */
#include "io/device/block_size.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASSUMED_BLOCK 4096

static bool block_device_size(int fd, uint32_t *size)
{
    int bytes = 0;
    if (syscall(SYS_ioctl, fd, BLKSSZGET, &bytes) || bytes <= 0)
        return false;
    *size = (uint32_t)bytes;
    return true;
}

/* From sysfs; a partition has its queue in the disk's folder above. */
static bool queue_block_size(unsigned major_number, unsigned minor_number, uint32_t *size)
{
    for (int partition = 0; partition < 2; partition++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%squeue/logical_block_size", major_number,
                 minor_number, partition ? "../" : "");
        FILE *f = fopen(path, "re");
        if (!f)
            continue;
        char line[32] = "";
        bool ok = fgets(line, sizeof line, f) != NULL;
        fclose(f);
        *size = (uint32_t)strtoul(line, NULL, 10);
        return ok && *size > 0;
    }
    return false;
}

uint32_t direct_block_size(int fd)
{
    uint32_t size;
    if (block_device_size(fd, &size))
        return size;
    struct statx s = {0};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_DIOALIGN, &s))
        return ASSUMED_BLOCK;
    if (s.stx_mask & STATX_DIOALIGN)
        return s.stx_dio_offset_align;
    return queue_block_size(s.stx_dev_major, s.stx_dev_minor, &size) ? size : ASSUMED_BLOCK;
}
