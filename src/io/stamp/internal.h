/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that make sectors, and their inverses, shared by the files of src/io/stamp. stamp.h
   describes the layout. */
#ifndef CUPEL_IO_STAMP_INTERNAL_H
#define CUPEL_IO_STAMP_INTERNAL_H

#include "io/stamp/stamp.h"

enum {
    STAMP_FIRST_DATA = 4, /* number of words before the data: the header */
    /* number of words at the end of a sector that are not, or only partly, data */
    STAMP_AFTER_DATA = 3,
};

/* A writing is one write of a sector by a run: everything that the sector's contents depend on. */
struct stamp_writing {
    uint64_t serial_hash, salt, lba;
    uint32_t generation;
};

/* Returns the secret of a run and a drive. The key of a sector is made of LBA, generation and this
   secret. */
uint64_t stamp_secret(uint64_t serial_hash, uint64_t salt);

void stamp_sector(const struct stamp_writing *writing, unsigned char *sector, uint32_t bytes);

/* Returns true if every bit of the sector is as the run writes it to this LBA. */
bool stamp_is_written(const struct stamp_run *run, const unsigned char *sector, uint64_t lba);

/* Returns the LBA and generation from which word i of the data was made. The result is random if
   the word was not made with this secret. */
struct stamp_writing stamp_of_word(uint64_t secret, uint64_t word, unsigned i);

/* Return the serial hash and salt that are in the header, or at the end, of a sector (of n words).
   The result is random if the sector is not stamped. */
struct stamp_writing stamp_of_header(const unsigned char *sector);
struct stamp_writing stamp_of_end(const unsigned char *sector, unsigned n);

#endif
