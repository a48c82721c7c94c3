/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writings of sectors, forward and backward: stamp.h describes the layout. */
#ifndef CUPEL_STAMP_INTERNAL_H
#define CUPEL_STAMP_INTERNAL_H

#include "stamp/stamp.h"

enum {
    STAMP_FIRST_DATA = 4, /* the words before hold the header */
    STAMP_AFTER_DATA = 3, /* so many words at the end hold no data alone */
};

/* What a sector was stamped with. */
struct stamp_writing {
    uint64_t serial_hash, salt, lba;
    uint32_t generation;
};

/* The secret of a run and a drive: what makes a key of LBA and generation. */
uint64_t stamp_secret(uint64_t serial_hash, uint64_t salt);

void stamp_sector(const struct stamp_writing *writing, unsigned char *sector, uint32_t bytes);

/* Does a sector equal the one that the run writes to this LBA, in every bit? */
bool stamp_is_written(const struct stamp_run *run, const unsigned char *sector, uint64_t lba);

/* LBA and generation that word i of the data was made with, if it is one of this secret's: of any
   other word they are random. */
struct stamp_writing stamp_of_word(uint64_t secret, uint64_t word, unsigned i);

/* Serial hash and salt in the header (or at the end) of a sector of n words; random if it has none.
 */
struct stamp_writing stamp_of_header(const unsigned char *sector);
struct stamp_writing stamp_of_end(const unsigned char *sector, unsigned n);

#endif
