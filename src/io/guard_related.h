/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every device that has bytes in common with a target, and how it is related. Private to guard*.c.
 * The rule behind the table of relations stands in guard.h.
 */
#ifndef CUPEL_IO_GUARD_RELATED_H
#define CUPEL_IO_GUARD_RELATED_H

#include <stdbool.h>

#include "base/err.h"
#include "io/loops.h"

#define GUARD_RELATED_MAX 256

/* GUARD_BELOW is under a loop device: the same bytes. GUARD_SLAVE is under dm or md, which may use
 * a part. */
enum guard_relation {
    GUARD_ITSELF,
    GUARD_PARTITION,
    GUARD_WHOLE_DISK,
    GUARD_OTHER_PATH,
    GUARD_HOLDER,
    GUARD_LOOP_ABOVE,
    GUARD_SAME_FILE,
    GUARD_BELOW,
    GUARD_BELOW_PART,
    GUARD_SLAVE,
    GUARD_SLAVE_PART,
};

/* Where the walk goes on from a related device. */
enum {
    GUARD_PARTITIONS = 1, /* its own */
    GUARD_DISK = 2,       /* the one that it is a partition of */
    GUARD_PATHS = 4,      /* disks of the same wwid */
    GUARD_HOLDERS = 8,    /* built on it by dm, md, bcache */
    GUARD_LOOPS = 16,     /* loop devices on it */
    GUARD_LOWER = 32,     /* what it is built on */
    GUARD_CLAIM = 64,     /* the kernel is asked whether somebody has claimed it */
};

struct guard_related {
    dev_t device;
    char name[64];
    enum guard_relation relation;
    unsigned follow, followed;
    const struct loop *loop; /* it is one of these, or NULL */
};

/* One look at a target. Large: it is allocated. Owns the list of loop devices. */
struct guard_search {
    const char *root;
    const char *path;
    struct err *e;
    struct loops loops;
    unsigned count;
    struct guard_related related[GUARD_RELATED_MAX];
};

/*
 * List the device itself and all that is related to it. 0, or -1 with ERR_UNSAFE: what cannot be
 * looked at may be in use. `s` has its root, path and e; loops_free(&s->loops) afterwards, always.
 */
int guard_relate(struct guard_search *s, dev_t device);

struct guard_related *guard_find(struct guard_search *s, dev_t device); /* or NULL */

/* "its partition sdb1", as the subject of a message. */
const char *guard_subject(const struct guard_related *r, char text[128]);

#endif
