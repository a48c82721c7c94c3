/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds whether a drive holds as much as it claims, by samples, within minutes, like f3probe:
 * blocks that are stamped with their place are written, the drive's cache is overwhelmed, and the
 * blocks are read in random order. Data on the whole drive are overwritten.
 *
 *   1. A stretch at the beginning, `dense` sectors long, is filled. Whoever wraps around at C shows
 *      it at C: one read in every such stretch of the rest cannot miss it. What is found there is
 *      written again with another stamp, and must change there as well.
 *   2. Samples of the rest, the last block among them, are written, the stretch is filled again,
 *      and all are read back. Between the last good sample and the first bad one this is done
 *      again, until the edge is known.
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
    /* Called often, with the share that is done. ERR_UNDECIDED ends the work. */
    int (*watch)(void *context, double share, struct err *e);
};

struct capacity_found {
    uint64_t real;           /* in sectors: the edge, or where it wraps; 0: as many as claimed */
    uint64_t known;          /* in sectors: the drive was good up to here, when `real` is an edge */
    bool wraps;              /* at `real`, and that was proven */
    unsigned samples, wrong; /* of the first round; wrong: not what was written */
    unsigned failed;         /* of the wrong: could not be read */
    bool scattered;          /* the wrong samples are not all at the end: damage, not a fake */
};

/* 0, or -1 with what the functions said. */
int capacity_probe(struct capacity_probe *p, struct capacity_found *found, struct err *e);

#endif
