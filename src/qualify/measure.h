/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurements of one disk: a session for each test, and what is judged of it. */
#ifndef CUPEL_QUALIFY_MEASURE_H
#define CUPEL_QUALIFY_MEASURE_H

#include "qualify/disk_identity.h"
#include "qualify/qualify.h"

struct measuring {
    const struct qualify_request *request;
    struct qualification *q;
    struct result *result; /* room for one */
    struct err keep_error; /* the first thing that could not be kept; .code 0: none */
    size_t unkept;         /* how many could not */
    size_t done, count;    /* tests */
    bool failed;           /* a test of the disk that is measured now */
};

/* How many tests a disk has. */
size_t measure_count(bool writes);

/*
 * All tests of q->devices[device] at disk->path; `writes`: also those that destroy what is on it.
 * None of these begins after a test of the disk failed, nor when another disk than `disk` stands
 * there by then. -1 when no plan can be made; a disk that fails is a failed check.
 */
int measure_disk(struct measuring *m, int device, const struct disk_identity *disk, bool writes,
                 struct err *e);

#endif
