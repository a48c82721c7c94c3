/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What writes hold where it is more than the noise of write_data_fill: data that compress, and data
 * that repeat.
 *
 * Data are made in units, each repeated as a whole or not at all. A unit consists of chunks: noise,
 * and then a part of fixed bytes, which compress. Units of the same number are alike; no two other
 * ones have their noise in common. A worker makes new units and, by chance, copies of earlier ones.
 *
 * write_data_is_noise takes none of it for noise that has fixed bytes in it.
 */
#ifndef CUPEL_IO_TARGET_WRITE_CONTENT_H
#define CUPEL_IO_TARGET_WRITE_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

#define WRITE_FIXED_BYTES 512

/* The same for all workers of a session. */
struct write_content {
    unsigned fixed_percent; /* of each chunk */
    uint32_t chunk;         /* bytes; 0, or more than a unit: a whole unit */
    uint32_t unit;          /* bytes; 0: each write is one */
    unsigned copy_percent;  /* of the units */
    uint64_t working_set;   /* copies are of the first so many units; 0: of the one before */
    uint64_t salt;          /* noise of another salt is other noise */
    unsigned workers;
    unsigned fixed_bytes; /* that fixed[] has: they are repeated; 0: zeros */
    unsigned char fixed[WRITE_FIXED_BYTES];
};

/* One worker's part; no two threads. */
struct write_maker {
    const struct write_content *content; /* outlives it */
    unsigned worker;
    struct random random;
    uint64_t made; /* new units so far, and the number of the last one */
    uint64_t last;
};

/* The fixed bytes, `count` of them, at most WRITE_FIXED_BYTES. */
void write_content_set_fixed(struct write_content *c, const unsigned char bytes[], unsigned count);

void write_maker_init(struct write_maker *m, const struct write_content *content, unsigned worker);

/* The data of the next write. */
void write_maker_fill(struct write_maker *m, unsigned char *buffer, size_t length);

#endif
