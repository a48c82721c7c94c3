/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading many blocks of a drive with a constant depth, each given to its reader as it comes. */
#ifndef CUPEL_READBACK_SECTOR_READ_H
#define CUPEL_READBACK_SECTOR_READ_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/io.h"

struct sector_read {
    const struct io_ops *ops;
    int fd;                            /* O_DIRECT */
    bool buffered;                     /* it is not */
    const struct nvme_namespace *nvme; /* what ops for passthrough need; or NULL */
    const char *path;                  /* for messages */
    uint32_t block;                    /* bytes of the largest read */
    unsigned depth;
    double answer_seconds; /* a target that completes nothing for so long has failed */
    void *context;
    /* Where to read next, and at most `block` bytes; false: no more. */
    bool (*next)(void *context, uint64_t *offset, uint32_t *length);
    /* What came. `error` is 0, or the errno of a read that failed. -1 ends it. */
    int (*take)(void *context, const unsigned char *data, uint32_t length, uint64_t offset,
                int error, struct err *e);
    /* About five times a second, with the bytes read so far. */
    void (*watch)(void *context, uint64_t bytes);
    const volatile sig_atomic_t *stop;
};

/* ERR_TARGET: the target is gone, or does not answer; ERR_UNDECIDED: stopped; ERR_MACHINE; or what
   `take` said. A read that failed is given to `take`. */
int sector_read(const struct sector_read *r, struct err *e);

#endif
