/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measurements of one disk: a session for each test, and what is judged of it. */
#ifndef CUPEL_QUALIFY_MEASURE_H
#define CUPEL_QUALIFY_MEASURE_H

#include "qualify/qualify.h"

struct measuring {
    const struct qualify_request *request;
    struct qualification *q;
    struct result *result; /* room for one */
    size_t done, count;    /* tests */
};

/* How many tests a disk has. */
size_t measure_count(bool writes);

/*
 * All tests of q->devices[device] at `path`; `writes`: also those that destroy what is on it. -1
 * when the qualification cannot go on (a folder that cannot be written, the caller's keep); a disk
 * that fails is a failed check.
 */
int measure_disk(struct measuring *m, int device, const char *path, bool writes, struct err *e);

#endif
