/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partitions that may be the stick's data partition (data_partition.h): what sysfs tells of them,
   and what stands in their first sectors. */
#ifndef CUPEL_INIT_DATA_CANDIDATES_H
#define CUPEL_INIT_DATA_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
