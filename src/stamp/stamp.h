/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sectors that show whose they are: what a drive returns is held against what was written there.
 *
 * A stamped sector is a function of (serial number, salt of the run, LBA, generation) and of
 * nothing else, so nothing has to be remembered to check it. All its words look random: a drive
 * that compresses or deduplicates gains nothing. In words of 8 bytes, little-endian, n a sector:
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
 * sector that is put together of several is taken apart word by word, and a misdirected one is
 * recognised whatever else happened to it.
 *
 * Pure: no state, no allocation, no I/O; any thread may call it.
 */
#ifndef CUPEL_STAMP_STAMP_H
#define CUPEL_STAMP_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_MAX_SECTOR     4096
#define STAMP_MAX_LBA        (UINT64_C(1) << 48)
#define STAMP_MAX_GENERATION 65535

/* One writing of one drive. */
struct stamp_run {
    uint64_t serial_hash;  /* stamp_serial_hash */
    uint64_t salt;         /* random, one a run */
    uint32_t generation;   /* 1 the first pass, at most STAMP_MAX_GENERATION */
    uint32_t sector_bytes; /* 512 or 4096: the logical sector */
    uint64_t wrap_sectors; /* the drive is known to wrap at this LBA (stamp_wrap); 0: not known */
};

enum stamp_verdict {
    STAMP_GOOD,
    STAMP_CORRUPT,     /* bits differ that no writing of this run explains */
    STAMP_MISDIRECTED, /* written to another LBA by this run */
    STAMP_STALE,       /* an older generation of this LBA */
    STAMP_TORN,        /* put together of more than one writing */
    STAMP_WRAPPED,     /* misdirected, and its LBA is a multiple of wrap_sectors away */
    STAMP_FOREIGN,     /* stamped by another run, or for another drive */
    STAMP_ZEROS,       /* all bytes 0, or all 0xff: never written, or trimmed */
    STAMP_VERDICTS
};

/* What a sector was found to be. All zero for one that is good. */
struct stamp_found {
    unsigned kinds;        /* bit 1 << verdict of everything that is wrong with it */
    bool unrecognised;     /* corrupt, and nothing is left that this program wrote */
    unsigned char filler;  /* zeros: the byte it is full of */
    unsigned bits_flipped; /* corrupt: bits that differ from the nearest writing, */
    unsigned first_byte;   /*   the first byte of them */
    unsigned last_byte;    /*   and the last */
    unsigned torn_at; /* torn: the first byte that is not of the writing the sector begins with */
    unsigned pieces;  /* torn: how many contiguous ones */
    /* The writing that is not the expected one and explains the largest part. */
    uint64_t lba;
    uint32_t generation;
    uint64_t serial_hash, salt;
};

/* What a verdict is called: "misdirected". */
const char *stamp_verdict_name(enum stamp_verdict verdict);

uint64_t stamp_serial_hash(const char *serial);

/* Stamps length / sector_bytes sectors from first_lba on. `data` has any alignment. */
void stamp_fill(const struct stamp_run *run, unsigned char *data, size_t length,
                uint64_t first_lba);

/*
 * What is wrong with the sector that was read from lba, if anything; the first of several kinds in
 * the order torn, foreign, wrapped, misdirected, stale, corrupt; found->kinds has all. A good
 * sector equals what was written in every bit. run->generation is the newest that was written: a
 * newer one is not of this run. found may be NULL.
 */
enum stamp_verdict stamp_check(const struct stamp_run *run, const unsigned char *sector,
                               uint64_t lba, struct stamp_found *found);

/*
 * The number of sectors at which a drive wraps around, from distances found->lba - lba of
 * misdirected sectors: the largest that divides most of them; 0 when nothing of the kind is there
 * (fewer than 4 distances, or they have no divisor in common that chance would not give).
 */
uint64_t stamp_wrap(const int64_t *distances, size_t count);

#endif
