/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the verdicts on stamped sectors that were read back. Pure, no I/O.
 *
 * Flushed data must have their newest generation. Data that were written after the last flush in
 * the journal were in flight when the power failed: a sector may contain the new generation, the
 * one before, or a part of both, and none of these is a fault of the drive. A corrupt or
 * misdirected sector is a fault even there.
 */
#ifndef CUPEL_IO_READBACK_VERIFY_TALLY_H
#define CUPEL_IO_READBACK_VERIFY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/stamp/stamp.h"

#define TALLY_RANGES     512
#define TALLY_UNREADABLE STAMP_VERDICTS /* the kind of sectors that could not be read */
#define TALLY_KINDS      (STAMP_VERDICTS + 1)

struct tally_expected {
    struct stamp_run run; /* the stamp that is expected, with the newest generation */
    uint64_t sectors;     /* size of the drive */
    uint64_t durable;     /* LBA; all sectors below it were flushed in the newest generation */
    /* number of sectors of one write, of which only a part may be on the medium */
    uint32_t write_sectors;
    /* the next pass may have begun, although no flush of it is in the journal */
    bool next_may_have_begun;
};

/* Neighbouring sectors with the same fault. */
struct tally_range {
    uint64_t lba, sectors;
    unsigned kind;  /* the fault: an enum stamp_verdict, or TALLY_UNREADABLE */
    unsigned kinds; /* all faults of these sectors, with bit 1 << kind for each */
    /* for misdirected sectors: the LBA to which they were written minus the LBA at which they
       are */
    int64_t distance;
    uint32_t generation;   /* generation with which the sectors are stamped */
    uint64_t bits_flipped; /* number of wrong bits in all sectors of the range */
};

struct tally {
    struct tally_expected expected;
    /* number of sectors by kind; all kinds but STAMP_GOOD are faults */
    uint64_t sectors[TALLY_KINDS];
    /* sectors written after the last flush, with contents that are allowed there */
    uint64_t in_flight;
    uint64_t in_flight_torn; /* sectors of `in_flight` that are torn */
    uint64_t unrecognised;   /* corrupt sectors that contain nothing of the written data */
    uint64_t bits_flipped;
    uint64_t torn_writes; /* flushed writes that are only partly on the medium */
    struct tally_range ranges[TALLY_RANGES];
    size_t range_count;
    /* number of faulty sectors that are in no range, because the array of ranges is full */
    uint64_t range_dropped;
};

void tally_begin(struct tally *t, const struct tally_expected *expected);

/* Checks and counts sectors that were read from `lba` on. Calls may be in any order of LBAs. */
void tally_take(struct tally *t, const unsigned char *data, size_t length, uint64_t lba);
/* The contents that sectors may have after overlapping writes, each with its own generation. */
struct tally_choice {
    uint32_t newest;
    /* number of earlier generations that are allowed as well, or of which a sector may contain
       parts */
    uint32_t older;
    bool wrapped; /* generations have started again at 1 after STAMP_MAX_GENERATION */
    bool whole;   /* all sectors must come from one write: parts of several writes are faults */
};

/*
 * Like tally_take, for sectors of one block that has overlapping writes. It does not use
 * expected.durable, write_sectors and the generation of expected.run. Sectors of an older allowed
 * generation count in in_flight.
 */
void tally_take_choice(struct tally *t, const unsigned char *data, size_t length, uint64_t lba,
                       const struct tally_choice *choice);
void tally_take_unreadable(struct tally *t, uint64_t lba, uint64_t sectors);

/*
 * Ends the counting after the last sector: sorts and joins the ranges. If the misdirected sectors
 * reveal the capacity at which the drive wraps around, it sets expected.run.wrap_sectors and counts
 * them as wrapped.
 */
void tally_end(struct tally *t);

/* Returns the words of reports for a fault: "corrupt", "torn: put together of several writes"; NULL
   if the kind is not a fault. */
const char *tally_fault_words(unsigned kind);

/* Returns the number of sectors with faults. */
uint64_t tally_faults(const struct tally *t);

/* Lists where sectors of that kind are: "LBA 5, 100-107, 512 and 3 more places". Returns `to`. */
char *tally_places(const struct tally *t, unsigned kind, char *to, size_t size);

/* Returns the upper bound of the error rate at 95 % confidence after `trials` trials without an
   error: -ln(.05) / trials (the "rule of three"); 1 for no trials. */
double tally_bound(double trials);

#endif
