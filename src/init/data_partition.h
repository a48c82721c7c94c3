/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stick's data partition: where cupel.cfg and expect.txt are read from and reports go to.
 *
 * It is found by the volume identifier that the image builder gave it (DATA_PARTITION_ID in
 * tables/boot_image.h), read from the boot sector of every FAT partition (bytes 67..70 of FAT32,
 * Microsoft's FAT specification 1.03), not by a device name. USB disks are seconds late: waiting is
 * the caller's (init/settle.h). It is mounted read-only, and writable only while a report is
 * written (data_partition_writable), so that a stick pulled at any other time is whole.
 */
#ifndef CUPEL_INIT_DATA_PARTITION_H
#define CUPEL_INIT_DATA_PARTITION_H

#include <stdbool.h>

#include "base/err.h"

struct data_partition {
    bool found, mounted;
    char device[64]; /* "/dev/sda1" */
    char disk[64];   /* "sda": never a disk to be qualified, nor to be written by a test */
    char folder[64]; /* where it is mounted: "/data" */
};

/* Looks once. False: it is not there (yet). `sys`, `dev`: "/sys", "/dev", or trees for tests. */
bool data_partition_find(struct data_partition *p, const char *sys, const char *dev);

/* Mount read-only at p->folder, which is made. ERR_MACHINE, ERR_TARGET. */
int data_partition_mount(struct data_partition *p, struct err *e);
int data_partition_writable(struct data_partition *p, bool writable, struct err *e);
void data_partition_unmount(struct data_partition *p);

#endif
