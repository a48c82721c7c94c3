/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurements of one disk: a session for each test, and what is judged of it. */
#ifndef CUPEL_MACHINE_QUALIFY_MEASURE_H
#define CUPEL_MACHINE_QUALIFY_MEASURE_H

#include <stdbool.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"
#include "machine/qualify/qualify.h"
#include "machine/qualify/time_left.h"

/* Whether what stands at a path is still the disk that it was: names are given again to others. */

struct disk_identity {
    char path[256];    /* what is opened */
    char sequence[24]; /* the kernel's number of this disk, which no other gets until the machine is
                          switched off; "": it does not say (before Linux 5.15) */
};

/* `path` and what the kernel says of it now. */
void disk_identity_take(struct disk_identity *d, const struct sysroot *root, const char *path);

/* 0: the same disk still, with that serial number ("": it has none). ERR_UNSAFE: another one, or
   none. The machine is looked at anew. */
int disk_identity_check(const struct disk_identity *d, const struct sysroot *root,
                        const char *serial, struct err *e);

struct measuring {
    const struct qualify_request *request;
    struct qualification *q;
    struct result *result; /* room for one */
    struct err keep_error; /* the first thing that could not be kept; .code 0: none */
    size_t unkept;         /* how many could not */
    size_t done, count;    /* tests */
    struct time_left time; /* `planned`, `disks` and the limit are set by measure_plan */
    bool failed;           /* a test of the disk that is measured now */
};

/* How many tests a disk has. */
size_t measure_count(bool writes);

/* Before the first disk: these disks will be measured, each with the tests of writing or without.
   Sets m->count and m->time. */
void measure_plan(struct measuring *m, const bool writes[], size_t count);

/* What a session of a test is observed by (measure_progress.c): the request's observer, and before
   it what is left in all. */
struct session_observer measure_observer(struct measuring *m);

/* How many clauses of a test, as a session takes them, are estimated. */
size_t measure_clauses(const char *sla);

/*
 * All tests of q->devices[device] at disk->path; `writes`: also those that destroy what is on it.
 * None of these begins after a test of the disk failed, nor when another disk than `disk` stands
 * there by then. -1 when no plan can be made; a disk that fails is a failed check.
 */
int measure_disk(struct measuring *m, int device, const struct disk_identity *disk, bool writes,
                 struct err *e);

/*
 * measure_shared.c: in place of measure_disk, all disks of q->devices alone and together, and what
 * is judged of it; disks[i] is that of device i. Fills q->sharing's `s`. ERR_USAGE: too many disks.
 */
int measure_shared(struct qualification *q, struct inventory *v, struct sharing *s,
                   const struct disk_identity disks[], const struct qualify_request *request,
                   struct err *e);

#endif
