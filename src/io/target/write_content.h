/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of writes that are not only noise of write_data_fill: data that can be compressed,
 * and data that repeat.
 *
 * Data are made in units; a unit is repeated completely or not at all. A unit consists of chunks; a
 * chunk is noise, followed by fixed bytes, which can be compressed. Units of the same number are
 * equal; units of different numbers have no noise in common. A worker makes new units and, by
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
    unsigned fixed_percent; /* percentage of each chunk that is fixed bytes */
    /* bytes of a chunk; 0, or more than a unit: the whole unit is one chunk */
    uint32_t chunk;
    uint32_t unit;         /* bytes of a unit; 0: each write is one unit */
    unsigned copy_percent; /* percentage of the units that are copies */
    /* copies are made of the first `working_set` units; 0: copies are made of the previous unit */
    uint64_t working_set;
    uint64_t salt; /* seed of the noise: another salt gives other noise */
    unsigned workers;
    /* number of bytes of fixed[] that are used, again and again; 0: fixed bytes are zeros */
    unsigned fixed_bytes;
    unsigned char fixed[WRITE_FIXED_BYTES];
};

/* The state of one worker, used by one thread. */
struct write_maker {
    const struct write_content *content; /* must outlive this state */
    unsigned worker;
    struct random random;
    uint64_t made; /* number of new units that this worker has made; number of its newest unit */
    uint64_t last;
};

/* Sets the fixed bytes to `count` bytes, at most WRITE_FIXED_BYTES. */
void write_content_set_fixed(struct write_content *c, const unsigned char bytes[], unsigned count);

void write_maker_init(struct write_maker *m, const struct write_content *content, unsigned worker);

/* Makes the data of the next write. */
void write_maker_fill(struct write_maker *m, unsigned char *buffer, size_t length);

#endif
