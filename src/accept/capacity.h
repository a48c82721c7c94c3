/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a drive hold as much as it says? By samples, within minutes, as f3probe does it: blocks that
 * are stamped with their place are written, the drive's own cache is overwhelmed, and they are read
 * in a random order. All of it is written over.
 *
 *   1. A stretch at the beginning, `dense` sectors long, is filled. Whoever wraps around at C shows
 *      it at C: one read in every such stretch of the rest cannot miss it. What is found there is
 *      written again with another stamp, and must change there as well.
 *   2. Samples of the rest, the last block among them, are written; the stretch is filled again;
 * all are read back. Between the last good one and the first bad one it is done again, until the
 *      edge is known.
 */
#ifndef CUPEL_ACCEPT_CAPACITY_H
#define CUPEL_ACCEPT_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "stamp/stamp.h"

#define CAPACITY_BLOCK   4096 /* bytes of a sample */
#define CAPACITY_BUFFER  (1u << 20)
#define CAPACITY_SAMPLES 1024
#define CAPACITY_DENSE   (UINT64_C(1) << 30) /* bytes: as much as drives were seen to cache */

struct capacity_probe {
    struct stamp_run run;  /* with a salt of its own */
    uint64_t sectors;      /* that the drive says it has */
    uint64_t dense;        /* sectors, a multiple of CAPACITY_BUFFER */
    unsigned char *buffer; /* CAPACITY_BUFFER bytes, aligned for the target */
    struct random random;
    void *context;
    /* 0, or -1: it cannot go on. A read that failed is *failed, and no reason to end. */
    int (*write)(void *context, const unsigned char *data, uint32_t length, uint64_t lba,
                 struct err *e);
    int (*read)(void *context, unsigned char *data, uint32_t length, uint64_t lba, bool *failed,
                struct err *e);
    int (*flush)(void *context, struct err *e);
    /* ERR_UNDECIDED ends it: called often, with the share that is done. */
    int (*watch)(void *context, double share, struct err *e);
};

struct capacity_found {
    uint64_t real;           /* sectors: the edge, or where it wraps; 0: as many as it says */
    uint64_t known;          /* sectors: up to here it was good, when `real` is an edge */
    bool wraps;              /* at `real`, and that was proven */
    unsigned samples, wrong; /* of the first round; wrong: not what was written */
    unsigned failed;         /* of the wrong: could not be read */
    bool scattered;          /* the wrong ones are not all at the end: damage, no fake */
};

/* 0, or -1 with what the functions said. */
int capacity_probe(struct capacity_probe *p, struct capacity_found *found, struct err *e);

#endif
