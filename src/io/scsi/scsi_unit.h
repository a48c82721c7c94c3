/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A SCSI disk (a logical unit) that commands can be sent to without the kernel's block layer.
 *
 * All that a backend must know before its first command is what the kernel found out when it
 * attached the disk, and sysfs shows: no command is sent for it. A disk has a block device
 * (/dev/sdX) and, where the driver sg is loaded, a generic character device (/dev/sgN). One without
 * a block device is not used: nothing could show whether somebody uses it.
 *
 * A struct scsi_unit is filled by scsi_unit_open and then only read, by any thread. It owns
 * nothing: `fd` stays the target's.
 */
#ifndef CUPEL_IO_SCSI_SCSI_UNIT_H
#define CUPEL_IO_SCSI_SCSI_UNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define SCSI_NAME_BYTES 64

struct scsi_unit {
    bool usable;       /* commands may be sent; if not, `why_not` gives the reason */
    char why_not[160]; /* "it is no SCSI disk" */
    bool writable; /* writes may be built. The code that opened the target for writing sets it */

    int fd;       /* the target: the block device, or the generic one if `generic` */
    bool generic; /* the target is the generic device */
    char block_name[SCSI_NAME_BYTES], generic_name[SCSI_NAME_BYTES]; /* "sda", "sg0"; "": no such */
    dev_t block_device, generic_device;

    uint64_t blocks;
    uint32_t block_size;     /* bytes */
    uint32_t transfer_max;   /* the most bytes of one command, by the adapter and the kernel */
    uint32_t unmap_max;      /* the most blocks of one UNMAP; 0: the disk has no UNMAP */
    uint32_t write_same_max; /* the most blocks of one WRITE SAME; 0: the disk has none */
    bool write_cache;        /* it is on, or not known to be off: writes need a flush */
    bool forced_writes;      /* writes may have FUA */
    unsigned timeout_ms;     /* after it the kernel takes a command back */
    char description[160];   /* "sda, block 512 B, at most 504 KiB per command, write cache on" */
};

/* Find out what the target `fd` is. This never fails: `usable` is false for anything but a whole
   SCSI disk. */
void scsi_unit_open(struct scsi_unit *u, int fd);

/* The same for a block device, or a character device, of a machine whose sysfs lies below `root`.
   `fd` is left as it is. */
void scsi_unit_find(struct scsi_unit *u, const char *root, bool character, dev_t device);

/* 0 when commands may be sent to it. ERR_USAGE: the message says why not. `u` may be NULL. */
int scsi_unit_check(const struct scsi_unit *u, struct err *e);

/* Is the character device a generic one of SCSI, of whatever kind of device? */
bool scsi_is_generic(const char *root, dev_t device);

/* The block device of the disk that the generic device belongs to. 0, or -1 with ERR_UNSAFE. */
int scsi_block_device_of(const char *root, dev_t device, dev_t *block, char name[SCSI_NAME_BYTES],
                         struct err *e);

/* Do both descriptors, of block or generic devices, lead to the same logical unit? */
bool scsi_is_same_unit(int a, int b);

/* An empty unit. */
#define SCSI_UNIT_NONE                                                                             \
    (struct scsi_unit)                                                                             \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

#endif
