/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sectors that identify themselves, for comparing the data that a drive returns with what was
 * written.
 *
 * A stamped sector is a function of (serial number, salt of the run, LBA, generation) and of
 * nothing else, so nothing has to be remembered to check it. All its words look random: a drive
 * that compresses or deduplicates gains nothing. In words of 8 bytes, little-endian, n per sector:
 *
 *   0       magic, version, log2 of the sector's size      )
 *   1       hash of the serial number                      ) each XORed with word 4, rotated by
 *   2       salt of the run                                ) a different amount
 *   3       LBA (48 bits), generation (16 bits)            )
 *   4...    data
 *   n-3     hash of the serial number, XORed with word n-4, rotated
 *   n-2     salt of the run, XORed with word n-4, rotated
 *   n-1     data (32 bits), CRC-32C of all bytes before the CRC (32 bits)
 *
 * Word i of the data is scramble(key + i * step), key = mix(LBA, generation, serial, salt). Both
 * functions can be inverted: from any intact word of data follow the LBA and generation with which
 * it was written. So the parts of a sector that comes from several writings are recognised word by
 * word, and a misdirected sector is recognised even if parts of it are damaged.
 *
 * Pure: no state, no allocation, no I/O; any thread may call it.
 */
#ifndef CUPEL_IO_STAMP_STAMP_H
#define CUPEL_IO_STAMP_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_MAX_SECTOR     4096
#define STAMP_MAX_LBA        (UINT64_C(1) << 48)
#define STAMP_MAX_GENERATION 65535

/* One pass of writing to one drive. */
struct stamp_run {
    uint64_t serial_hash;  /* hash of the drive's serial number, from stamp_serial_hash */
    uint64_t salt;         /* random number, different in each run */
    uint32_t generation;   /* number of the pass, 1 .. STAMP_MAX_GENERATION */
    uint32_t sector_bytes; /* size of a logical sector: 512 or 4096 */
    /* number of sectors after which the drive wraps around (stamp_wrap); 0: not known */
    uint64_t wrap_sectors;
};

enum stamp_verdict {
    STAMP_GOOD,
    STAMP_CORRUPT,     /* bits are wrong, and no write of this run explains them */
    STAMP_MISDIRECTED, /* this run wrote the sector to another LBA */
    STAMP_STALE,       /* the sector has an older generation of this LBA */
    STAMP_TORN,        /* parts of the sector come from different writes */
    STAMP_WRAPPED,     /* the sector is misdirected by a multiple of wrap_sectors */
    STAMP_FOREIGN,     /* the sector was stamped by another run, or for another drive */
    STAMP_ZEROS,       /* all bytes are 0, or all 0xff: never written, or trimmed */
    STAMP_VERDICTS
};

/* The result of a check. All members are zero for a good sector. */
struct stamp_found {
    /* everything that is wrong with the sector, with bit 1 << verdict for each verdict */
    unsigned kinds;
    bool unrecognised;    /* for a corrupt sector: nothing in it was written by this program */
    unsigned char filler; /* for STAMP_ZEROS: the byte that fills the sector */
    /* for a corrupt sector: number of bits that differ from the most similar write */
    unsigned bits_flipped;
    /* for a corrupt sector: index of the first byte that differs from that write */
    unsigned first_byte;
    /* for a corrupt sector: index of the last byte that differs from that write */
    unsigned last_byte;
    /* for a torn sector: index of the first byte that comes from another write than the sector's
       beginning */
    unsigned torn_at;
    /* for a torn sector: number of contiguous pieces that come from different writes */
    unsigned pieces;
    /* The write, other than the expected one, from which the largest part of the sector comes. */
    uint64_t lba;
    uint32_t generation;
    uint64_t serial_hash, salt;
};

/* Returns the name of a verdict, such as "misdirected". */
const char *stamp_verdict_name(enum stamp_verdict verdict);

uint64_t stamp_serial_hash(const char *serial);

/* Stamps length / sector_bytes sectors from first_lba on. `data` may have any alignment. */
void stamp_fill(const struct stamp_run *run, unsigned char *data, size_t length,
                uint64_t first_lba);

/*
 * Checks the sector that was read from lba. If several verdicts apply, it returns the first of them
 * in the order torn, foreign, wrapped, misdirected, stale, corrupt; found->kinds contains all of
 * them. A good sector equals the written one in every bit. run->generation is the newest generation
 * that was written; a sector with a newer one does not belong to this run. found may be NULL.
 */
enum stamp_verdict stamp_check(const struct stamp_run *run, const unsigned char *sector,
                               uint64_t lba, struct stamp_found *found);

/*
 * Returns the number of sectors after which a drive wraps around. `distances` contains found->lba -
 * lba of misdirected sectors: the result is the largest number that divides most of them. Returns 0
 * if there is no such number (fewer than 4 distances, or a common divisor that chance would
 * explain).
 */
uint64_t stamp_wrap(const int64_t *distances, size_t count);

#endif
