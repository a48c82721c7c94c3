/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sectors that identify themselves: the data that a drive returns are compared with what was
 * written.
 *
 * A stamped sector is a function of (serial number, salt of the run, LBA, generation) and of
 * nothing else, so nothing has to be remembered to check it. All its words look random: a drive
 * that compresses or deduplicates gains nothing. In words of 8 bytes, little-endian, n per sector:
 *
 *   0       magic, version, log2 of the sector's size      )
 *   1       hash of the serial number                      ) each XORed with word 4, rotated by
 *   2       salt of the run                                ) another amount
 *   3       LBA (48 bits), generation (16 bits)            )
 *   4...    data
 *   n-3     hash of the serial number, XORed with word n-4, rotated
 *   n-2     salt of the run, the same
 *   n-1     data (32 bits), CRC-32C of all bytes before the CRC (32 bits)
 *
 * Word i of the data is scramble(key + i * step), key = mix(LBA, generation, serial, salt). Both
 * can be inverted: any intact word of data gives the LBA and generation it was written with. So a
 * sector that is made up of several writings is taken apart word by word, and a misdirected sector
 * is recognised even if parts of it are damaged.
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
    uint64_t serial_hash;  /* made by stamp_serial_hash */
    uint64_t salt;         /* a random number of the run */
    uint32_t generation;   /* number of the pass, 1 .. STAMP_MAX_GENERATION */
    uint32_t sector_bytes; /* 512 or 4096: the logical sector */
    uint64_t wrap_sectors; /* the LBA at which the drive is known to wrap around (stamp_wrap); 0:
                              not known */
};

enum stamp_verdict {
    STAMP_GOOD,
    STAMP_CORRUPT,     /* bits differ, and no writing of this run explains them */
    STAMP_MISDIRECTED, /* this run wrote it to another LBA */
    STAMP_STALE,       /* it has an older generation of this LBA */
    STAMP_TORN,        /* its parts come from different writes */
    STAMP_WRAPPED,     /* it is misdirected by a multiple of wrap_sectors */
    STAMP_FOREIGN,     /* it was stamped by another run, or for another drive */
    STAMP_ZEROS,       /* all bytes are 0, or all 0xff: never written, or trimmed */
    STAMP_VERDICTS
};

/* The result of a check. All fields are zero for a good sector. */
struct stamp_found {
    unsigned kinds;        /* bit 1 << verdict for everything that is wrong with the sector */
    bool unrecognised;     /* corrupt, and no writing of this program is left in it */
    unsigned char filler;  /* zeros: the byte that fills it */
    unsigned bits_flipped; /* corrupt: bits that differ from the nearest writing */
    unsigned first_byte;   /* corrupt: the first byte that differs */
    unsigned last_byte;    /* corrupt: the last byte that differs */
    unsigned torn_at; /* torn: the first byte that is not from the writing at the sector's begin */
    unsigned pieces;  /* torn: number of contiguous pieces */
    /* The unexpected writing that explains the largest part of the sector. */
    uint64_t lba;
    uint32_t generation;
    uint64_t serial_hash, salt;
};

/* Returns the name of a verdict: "misdirected". */
const char *stamp_verdict_name(enum stamp_verdict verdict);

uint64_t stamp_serial_hash(const char *serial);

/* Stamps length / sector_bytes sectors from first_lba on. `data` may have any alignment. */
void stamp_fill(const struct stamp_run *run, unsigned char *data, size_t length,
                uint64_t first_lba);

/*
 * Checks the sector that was read from lba. Returns the first of several verdicts in the order
 * torn, foreign, wrapped, misdirected, stale, corrupt; found->kinds has all of them. A good sector
 * equals the written one in every bit. run->generation is the newest generation that was written: a
 * newer one does not belong to this run. found may be NULL.
 */
enum stamp_verdict stamp_check(const struct stamp_run *run, const unsigned char *sector,
                               uint64_t lba, struct stamp_found *found);

/*
 * Returns the number of sectors after which a drive wraps around. `distances` holds found->lba -
 * lba of misdirected sectors: the result is the largest number that divides most of them. Returns 0
 * if there is no such number (fewer than 4 distances, or a common divisor that chance would
 * explain).
 */
uint64_t stamp_wrap(const int64_t *distances, size_t count);

#endif
