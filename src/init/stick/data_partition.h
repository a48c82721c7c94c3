/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stick's data partition: where cupel.cfg and expect.txt are read from and reports go to.
 *
 * It is the first partition of a USB disk with an MBR whose signature (bytes 440..443), and a FAT
 * whose volume identifier (bytes 67..70 of FAT32, 39..42 of FAT12 and FAT16; Microsoft's FAT
 * specification 1.03), are DATA_PARTITION_ID (tables/boot_image.h), as the image builder made it;
 * not a device name. It must be of the image that the machine was started from: after the words
 * DATA_IMAGE_WORDS its sector DATA_IMAGE_SECTOR has the same identifier. One of another image is
 * left alone; it is no disk to be measured either. Other disks are not even opened, unless the
 * caller names them (`others`): one may be broken and never answer, and a copy of the stick on a
 * server's own disk is not meant. A disk is opened in a child process, for at most 4 s and only
 * once: the answer is kept until the disk goes.
 *
 * USB disks are seconds late: waiting is the caller's (init/stick/device_wait.h). It is mounted
 * read-only, and writable only while a report is written (data_partition_writable), so that a stick
 * pulled at any other time is whole. Nothing else is ever written to. The kernel needs the modules
 * vfat, nls_cp437 and nls_ascii; file names are ASCII. A struct of zeros knows no disk; it owns no
 * memory. One thread.
 */
#ifndef CUPEL_INIT_STICK_DATA_PARTITION_H
#define CUPEL_INIT_STICK_DATA_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Partitions that may be the stick's data partition: their entries in sysfs, and the contents of
   their first sectors. */

#define DATA_NAME  64
#define DATA_IMAGE 33

struct data_candidate {
    char name[DATA_NAME], disk[DATA_NAME]; /* "sda1", "sda" */
    uint64_t sequence; /* the disk's, which no other disk has since the machine started (Linux
                          5.15); 0 where the kernel has none */
    bool usb;
};

/* The first partitions of all disks, USB disks before others and by name; how many. *candidates is
   freed by the caller. Nothing is opened but sysfs. */
size_t data_candidates(const char *sys, struct data_candidate **candidates);

/* For qsort: USB disks before others, and by name. */
int data_candidate_order(const void *a, const void *b);

/* The same disk, and not one that came in its place. */
bool data_candidate_is_same(const struct data_candidate *a, const struct data_candidate *b);

enum data_look {
    DATA_UNREADABLE, /* now: it may be worth another look */
    DATA_OTHER,
    DATA_PARTITION,
    DATA_SILENT, /* it does not answer, and is not to be asked again */
};

/* Reads the first sectors of disk and partition, in a child process. `image`: the identifier of the
   image that a data partition is of, or "". */
enum data_look data_candidate_look(const struct data_candidate *c, const char *dev,
                                   char image[DATA_IMAGE]);

/* The disk DEV/NAME has the partition table of an image of ours, whatever became of its partitions;
   so does one that cannot be read, for all that is known. In a child process likewise. */
bool data_disk_is_image(const char *dev, const char *name);

#define DATA_FOLDER "/data"
#define DATA_DISKS  32 /* that are remembered; of more, the first are looked at */

/* A disk that was looked at. */
struct data_disk {
    struct data_candidate candidate; /* first: data_candidate_order sorts these as well */
    enum data_look is;
    char image[DATA_IMAGE]; /* which it is of; "" */
};

struct data_partition {
    bool found, mounted, writable;
    char device[512]; /* "/dev/sda1" */
    char disk[64];    /* "sda" */
    char folder[64];  /* where it is mounted: DATA_FOLDER; a caller may change it before */
    char note[160];   /* for the log: "sdb1 is a data partition too ...", or "" */
    const char
        *others;       /* of the caller: the disk that is no USB disk and may have it ("vda"),
                          "any" for all of them, NULL for none. It counts when no USB disk has it */
    const char *image; /* of the caller: the image that the machine was started from; NULL or "":
                          it has no identifier, and no partition is of it */
    bool any;          /* of the caller: partitions of other images are used as well */
    bool several;      /* more than one may be used */
    char foreign[DATA_NAME];        /* one that may not ("sdb1"); "" when there is none */
    char foreign_image[DATA_IMAGE]; /* of which image that is */
    struct data_disk disks[DATA_DISKS];
    size_t disk_count;
    struct data_candidate chosen; /* when found */
};

/* Looks at the disks that came since the last time, and forgets those that went. `sys`, `dev`:
   "/sys", "/dev", or trees for tests. */
void data_partition_look(struct data_partition *p, const char *sys, const char *dev);

/* The same, and chooses anew: of several that may be used the first by name, USB disks before
   others. False: it is not there (yet). Not while it is mounted. */
bool data_partition_find(struct data_partition *p, const char *sys, const char *dev);

/* It was found, and at the last look its disk was not there any more. */
bool data_partition_has_gone(const struct data_partition *p);

/* All disks that have such a partition, the one in use and others: never to be qualified, nor to be
   written by a test. The names are those of `p`, ended by NULL; returns how many. */
size_t data_partition_disks(const struct data_partition *p, const char *names[DATA_DISKS + 1]);
bool data_partition_is_on(const struct data_partition *p, const char *disk);

/* Mount read-only at p->folder, which is made. ERR_MACHINE, ERR_TARGET. */
int data_partition_mount(struct data_partition *p, struct err *e);
/* Back to read-only, all that was written is on the stick. ERR_TARGET: it is write-protected, was
   pulled, or a file is still open for writing. */
int data_partition_writable(struct data_partition *p, bool writable, struct err *e);
void data_partition_unmount(struct data_partition *p);

#endif
