/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stick's data partition: where cupel.cfg and expect.txt are read from and reports go to.
 *
 * It is found by the volume identifier that the image builder gave it (DATA_PARTITION_ID in
 * tables/boot_image.h), read from the boot sector of every FAT partition (bytes 67..70 of FAT32,
 * 39..42 of FAT12 and FAT16; Microsoft's FAT specification 1.03), not by a device name. USB disks
 * are seconds late: waiting is the caller's (init/settle.h). It is mounted read-only, and writable
 * only while a report is written (data_partition_writable), so that a stick pulled at any other
 * time is whole. Nothing else is ever written to. The kernel needs the modules vfat, nls_cp437 and
 * nls_ascii; file names are ASCII. No memory of its own. One thread.
 */
#ifndef CUPEL_INIT_DATA_PARTITION_H
#define CUPEL_INIT_DATA_PARTITION_H

#include <stdbool.h>

#include "base/err.h"

#define DATA_FOLDER "/data"

struct data_partition {
    bool found, mounted, writable;
    char device[64]; /* "/dev/sda1" */
    char disk[64];   /* "sda": never a disk to be qualified, nor to be written by a test */
    char folder[64]; /* where it is mounted: DATA_FOLDER; a caller may change it before */
    char note[160];  /* for the log: "sdb1 is a data partition too ...", or "" */
};

/*
 * Looks once, at USB disks before all others (a broken disk may take half a minute to answer, and a
 * copy of the stick on a server's own disk is not meant); of several the first by name is taken.
 * False: it is not there (yet). `sys`, `dev`: "/sys", "/dev", or trees for tests.
 */
bool data_partition_find(struct data_partition *p, const char *sys, const char *dev);

/* Mount read-only at p->folder, which is made. ERR_MACHINE, ERR_TARGET. */
int data_partition_mount(struct data_partition *p, struct err *e);
/* Back to read-only, all that was written is on the stick. ERR_TARGET: it is write-protected, was
   pulled, or a file is still open for writing. */
int data_partition_writable(struct data_partition *p, bool writable, struct err *e);
void data_partition_unmount(struct data_partition *p);

#endif
