/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The content of writes that are not only noise of write_data_fill: data that compress, and data
 * that repeat.
 *
 * Data are made in units; each unit is repeated as a whole or not at all. A unit consists of
 * chunks; a chunk is noise, followed by fixed bytes, which compress. Units of the same number are
 * alike; units of different numbers have no noise in common. A worker makes new units and, by
 * chance, copies of earlier ones.
 *
 * write_data_is_noise does not accept data that have fixed bytes.
 */
#ifndef CUPEL_IO_TARGET_WRITE_CONTENT_H
#define CUPEL_IO_TARGET_WRITE_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

#define WRITE_FIXED_BYTES 512

/* The settings, which are the same for all workers of a session. */
struct write_content {
    unsigned fixed_percent; /* share of each chunk */
    uint32_t chunk;         /* bytes; 0, or more than a unit: a whole unit */
    uint32_t unit;          /* bytes; 0: each write is one unit */
    unsigned copy_percent;  /* share of the units that are copies */
    uint64_t working_set;   /* copies are of the first units, this many; 0: of the unit before */
    uint64_t salt;          /* noise with another salt is different noise */
    unsigned workers;
    unsigned fixed_bytes; /* used bytes of fixed[], which are repeated; 0: zeros */
    unsigned char fixed[WRITE_FIXED_BYTES];
};

/* The state of one worker; for one thread only. */
struct write_maker {
    const struct write_content *content; /* outlives the worker's part */
    unsigned worker;
    struct random random;
    uint64_t made; /* new units so far, and the number of the last one */
    uint64_t last;
};

/* Set the fixed bytes: `count` of them, at most WRITE_FIXED_BYTES. */
void write_content_set_fixed(struct write_content *c, const unsigned char bytes[], unsigned count);

void write_maker_init(struct write_maker *m, const struct write_content *content, unsigned worker);

/* Make the data of the next write. */
void write_maker_fill(struct write_maker *m, unsigned char *buffer, size_t length);

#endif
