/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads many blocks of a drive at a constant queue depth, and passes the data of each to the
   caller. */
#ifndef CUPEL_IO_READBACK_SECTOR_READ_H
#define CUPEL_IO_READBACK_SECTOR_READ_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/io.h"

struct sector_read {
    const struct io_ops *ops;
    int fd;                            /* the drive, opened with O_DIRECT unless `buffered` */
    bool buffered;                     /* fd was opened without O_DIRECT */
    const struct nvme_namespace *nvme; /* the namespace, for reads by passthrough; else NULL */
    const struct scsi_unit *scsi;      /* the disk, for reads by SCSI commands; else NULL */
    const char *path;                  /* path of the target, for messages */
    uint32_t block;                    /* bytes of the largest read */
    unsigned depth;
    /* if the target completes nothing for this number of seconds, it counts as failed */
    double answer_seconds;
    void *context;
    /* Sets the next offset, and a length of at most `block` bytes. Returns false at the end. */
    bool (*next)(void *context, uint64_t *offset, uint32_t *length);
    /* Receives the data of one read. `error` is 0, or the errno of a failed read. Returning -1 ends
       the reading. */
    int (*take)(void *context, const unsigned char *data, uint32_t length, uint64_t offset,
                int error, struct err *e);
    /* Called about five times a second with the number of bytes read so far. */
    void (*watch)(void *context, uint64_t bytes);
    const volatile sig_atomic_t *stop;
};

/* Reads all blocks and passes each to `take`, failed reads as well. ERR_TARGET: the target is gone
   or does not answer. ERR_UNDECIDED: `stop` became nonzero. ERR_MACHINE: there is no memory. Any
   other error comes from `take`. */
int sector_read(const struct sector_read *r, struct err *e);

#endif
