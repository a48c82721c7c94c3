/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/io/stamp share, for making sectors and for the inverse.
   stamp.h describes the layout. */
#ifndef CUPEL_IO_STAMP_INTERNAL_H
#define CUPEL_IO_STAMP_INTERNAL_H

#include "io/stamp/stamp.h"

enum {
    STAMP_FIRST_DATA = 4, /* the words before hold the header */
    STAMP_AFTER_DATA = 3, /* the words at the end that do not hold data alone */
};

/* LBA, generation and run that a sector was stamped with. */
struct stamp_writing {
    uint64_t serial_hash, salt, lba;
    uint32_t generation;
};

/* Returns the secret of a run and a drive. LBA and generation together with it make a key. */
uint64_t stamp_secret(uint64_t serial_hash, uint64_t salt);

void stamp_sector(const struct stamp_writing *writing, unsigned char *sector, uint32_t bytes);

/* Is every bit of the sector as the run writes it to this LBA? */
bool stamp_is_written(const struct stamp_run *run, const unsigned char *sector, uint64_t lba);

/* Returns the LBA and generation that word i of the data was made with. They are random if the word
   was not made with this secret. */
struct stamp_writing stamp_of_word(uint64_t secret, uint64_t word, unsigned i);

/* Returns the serial hash and salt in the header, or at the end, of a sector of n words. They are
   random if the sector has none. */
struct stamp_writing stamp_of_header(const unsigned char *sector);
struct stamp_writing stamp_of_end(const unsigned char *sector, unsigned n);

#endif
