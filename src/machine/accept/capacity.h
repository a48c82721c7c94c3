/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds out by samples, within minutes, whether a drive holds as much as it claims, like f3probe:
 * blocks stamped with their place are written, the drive's cache is overwhelmed, and the blocks are
 * read in random order. Data on the whole drive are overwritten.
 *
 * 1. A stretch of `dense` sectors at the beginning is filled. A drive that wraps around at sector C
 * shows the stretch again at C, so one read in each further stretch of this length cannot miss it.
 * The sector that is found there is written again with another stamp, and must change there as
 * well.
 *
 * 2. Samples of the rest, the last block among them, are written, the stretch is filled again, and
 * all samples are read back. This is repeated between the last good sample and the first bad one
 * until the edge is known.
 */
#ifndef CUPEL_MACHINE_ACCEPT_CAPACITY_H
#define CUPEL_MACHINE_ACCEPT_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "io/stamp/stamp.h"

#define CAPACITY_BLOCK   4096 /* bytes of a sample */
#define CAPACITY_BUFFER  (1u << 20)
#define CAPACITY_SAMPLES 1024
#define CAPACITY_DENSE   (UINT64_C(1) << 30) /* bytes: as much as drives were seen to cache */

struct capacity_probe {
    struct stamp_run run;  /* with a salt of its own */
    uint64_t sectors;      /* capacity that the drive claims */
    uint64_t dense;        /* sectors, a multiple of CAPACITY_BUFFER */
    unsigned char *buffer; /* CAPACITY_BUFFER bytes, aligned for the target */
    struct random random;
    void *context;
    /* Return 0, or -1: the work cannot continue. A failed read sets *failed and does not end the
       work. */
    int (*write)(void *context, const unsigned char *data, uint32_t length, uint64_t lba,
                 struct err *e);
    int (*read)(void *context, unsigned char *data, uint32_t length, uint64_t lba, bool *failed,
                struct err *e);
    int (*flush)(void *context, struct err *e);
    /* Called often with the share of the work that is done. ERR_UNDECIDED ends the work. */
    int (*watch)(void *context, double share, struct err *e);
};

struct capacity_found {
    uint64_t real;           /* in sectors: the edge, or where the drive wraps around; 0: the
                                claimed capacity */
    uint64_t known;          /* in sectors: the drive was good up to here, if `real` is an edge */
    bool wraps;              /* it was proven that the drive wraps around at `real` */
    unsigned samples, wrong; /* samples of the first round, and those that did not hold what was
                                written */
    unsigned failed;         /* wrong samples that could not be read */
    bool scattered;          /* the wrong samples are not all at the end: damage, not a fake */
};

/* Returns 0, or -1 with the error of the caller's functions. */
int capacity_probe(struct capacity_probe *p, struct capacity_found *found, struct err *e);

#endif
