/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A SCSI disk (a logical unit) to which commands can be sent without the kernel's block layer.
 *
 * sysfs shows all that a backend must know before its first command, because the kernel found it
 * out when it attached the disk. So cupel sends no command for that. A disk has a block device
 * (/dev/sdX) and, where the driver sg is loaded, a generic character device (/dev/sgN). A disk
 * without a block device is not used: there would be no way to find out whether somebody else
 * uses it.
 *
 * A struct scsi_unit is filled by scsi_unit_open and then only read, by any thread. It owns
 * nothing; `fd` belongs to the target.
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
    char why_not[160]; /* such as "it is no SCSI disk" */
    /* scsi_build may build writes; the code that opened the target for writing sets this */
    bool writable;

    /* descriptor of the target: the block device, or the generic device if `generic` */
    int fd;
    bool generic; /* the target is the generic device */
    /* "sda", "sg0"; "": there is no such device */
    char block_name[SCSI_NAME_BYTES], generic_name[SCSI_NAME_BYTES];
    dev_t block_device, generic_device;

    uint64_t blocks;
    uint32_t block_size;     /* bytes */
    uint32_t transfer_max;   /* bytes of the largest command, by the limits of adapter and kernel */
    uint32_t unmap_max;      /* blocks of the largest UNMAP; 0: the disk has no UNMAP */
    uint32_t write_same_max; /* blocks of the largest WRITE SAME; 0: the disk has no WRITE SAME */
    bool write_cache;        /* the cache is on, or not known to be off, so writes need a flush */
    bool forced_writes;      /* the disk supports FUA in writes */
    unsigned timeout_ms;     /* time after which the kernel aborts a command */
    /* such as "sda, block 512 B, at most 504 KiB per command, write cache on" */
    char description[160];
};

/* Finds out what the target `fd` is. This never fails: `usable` is false for anything but a whole
   SCSI disk. */
void scsi_unit_open(struct scsi_unit *u, int fd);

/* Like scsi_unit_open, for a block device or a character device whose sysfs is below `root`. Does
   not change u->fd. */
void scsi_unit_find(struct scsi_unit *u, const char *root, bool character, dev_t device);

/* Returns 0 when commands may be sent to the disk. Otherwise -1 with ERR_USAGE; the message gives
   the reason. `u` may be NULL. */
int scsi_unit_check(const struct scsi_unit *u, struct err *e);

/* Returns true if the character device is a generic SCSI device; the SCSI device need not be a
   disk. */
bool scsi_is_generic(const char *root, dev_t device);

/* Finds the block device of the disk to which the generic device belongs. Returns 0, or -1 with
   ERR_UNSAFE. */
int scsi_block_device_of(const char *root, dev_t device, dev_t *block, char name[SCSI_NAME_BYTES],
                         struct err *e);

/* Returns true if both descriptors, of block or generic devices, lead to the same logical unit. */
bool scsi_is_same_unit(int a, int b);

/* An empty unit. */
#define SCSI_UNIT_NONE                                                                             \
    (struct scsi_unit)                                                                             \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

#endif
