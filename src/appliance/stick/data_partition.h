/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stick's data partition, from which cupel.cfg and expect.txt are read, and to which reports
 * are written.
 *
 * It is the first partition of a USB disk with an MBR whose signature (bytes 440..443), and a FAT
 * whose volume identifier (bytes 67..70 of FAT32, 39..42 of FAT12 and FAT16; Microsoft's FAT
 * specification 1.03), are DATA_PARTITION_ID (tables/boot_image.h), as the image builder made it;
 * device names do not matter. It must belong to the image that the machine was started from: its
 * sector DATA_IMAGE_SECTOR has the same identifier after the words DATA_IMAGE_WORDS. A partition of
 * another image is left alone, and its disk is not measured either. Other disks are not even
 * opened, unless the caller names them (`others`): one may be broken and never answer, and a copy
 * of the stick on a server's own disk is not wanted. A disk is opened in a child process, for at
 * most 4 s and only once: the answer is kept until the disk is removed.
 *
 * USB disks appear seconds late: the caller waits for them (appliance/stick/device_wait.h). The
 * partition is mounted read-only, and made writable only while a report is written
 * (data_partition_writable), so that a stick which is pulled at any other time stays consistent.
 * Nothing else is ever written to. The kernel needs the modules vfat, nls_cp437 and nls_ascii; file
 * names are ASCII. A struct of zeros knows no disk; it owns no memory. One thread.
 */
#ifndef CUPEL_APPLIANCE_STICK_DATA_PARTITION_H
#define CUPEL_APPLIANCE_STICK_DATA_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A first partition that may be the stick's data partition, as sysfs describes it, and the result
   of reading its first sectors. */

#define DATA_NAME  64
#define DATA_IMAGE 33

struct data_candidate {
    char name[DATA_NAME], disk[DATA_NAME]; /* "sda1", "sda" */
    /* the disk's sequence number, which no other disk has had since the machine started (Linux
       5.15); 0 if the kernel has none */
    uint64_t sequence;
    bool usb;
};

enum data_look {
    DATA_UNREADABLE, /* cannot be read now; another attempt may succeed */
    DATA_OTHER,
    DATA_PARTITION,
    DATA_SILENT, /* the disk does not answer, and must not be asked again */
};

/* Returns true if the disk DEV/NAME has the partition table of one of our images, in whatever state
   its partitions are. Also returns true if the disk cannot be read, because it may have one. Reads
   in a child process. */
bool data_disk_is_image(const char *dev, const char *name);

#define DATA_DISKS 32 /* number of disks that are remembered; further disks are not examined */

/* A disk that was examined. */
struct data_disk {
    /* must be the first member: data_candidate_order also sorts these */
    struct data_candidate candidate;
    enum data_look is;
    char image[DATA_IMAGE]; /* image to which the disk belongs, or "" */
};

struct data_partition {
    bool found, mounted, writable;
    char device[512];   /* "/dev/sda1" */
    char disk[64];      /* "sda" */
    char folder[64];    /* mount point: DATA_FOLDER; a caller may change it before mounting */
    char note[160];     /* note for the log: "sdb1 is a data partition too ...", or "" */
    const char *others; /* set by the caller: the name of a disk that is not a USB disk and may have
                           the partition ("vda"), "any" for all of them, NULL for none. It is used
                           only when no USB disk has one */
    const char *image;  /* set by the caller: the image that the machine was started from; NULL or
                           "": it has no identifier, and no partition belongs to it */
    bool any;           /* set by the caller: partitions of other images are used as well */
    bool several;       /* more than one partition may be used */
    char foreign[DATA_NAME];        /* a partition that may not be used ("sdb1"); "" when there is
                                       none */
    char foreign_image[DATA_IMAGE]; /* the image to which that partition belongs */
    struct data_disk disks[DATA_DISKS];
    size_t disk_count;
    struct data_candidate chosen; /* valid when found */
};

/* Examines the disks that came since the last call, and forgets those that were removed. `sys`,
   `dev`: "/sys", "/dev", or trees for tests. */
void data_partition_look(struct data_partition *p, const char *sys, const char *dev);

/* Examines the disks like data_partition_look, and chooses again: the first usable partition by
   name, USB disks before others. Returns false if there is none (yet). Must not be called while the
   partition is mounted. */
bool data_partition_find(struct data_partition *p, const char *sys, const char *dev);

/* Returns true if the partition was found, and its disk was gone when data_partition_look was last
   called. */
bool data_partition_has_gone(const struct data_partition *p);

/* Lists all disks that have a data partition, the used one and others: they must never be
   qualified, nor written by a test. The names are those in `p`, ended by NULL; returns their
   number. */
size_t data_partition_disks(const struct data_partition *p, const char *names[DATA_DISKS + 1]);
bool data_partition_is_on(const struct data_partition *p, const char *disk);

/* Mounts the partition read-only at p->folder, which is made. Errors: ERR_MACHINE, ERR_TARGET. */
int data_partition_mount(struct data_partition *p, struct err *e);
/* Makes the partition writable, or read-only again; all written data are then on the stick.
   ERR_TARGET: it is write-protected, was pulled, or a file is still open for writing. */
int data_partition_writable(struct data_partition *p, bool writable, struct err *e);
void data_partition_unmount(struct data_partition *p);

#endif
