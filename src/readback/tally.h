/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stamped sectors turned out to be when they were read back, counted: pure, no I/O.
 *
 * What was flushed must be there, in its newest generation. What was written after the last flush
 * that the journal knows of was in flight when the power went: it may be the new, the one before,
 * or a part of both, and that is no fault of the drive. What is corrupt or misdirected there is.
 */
#ifndef CUPEL_READBACK_TALLY_H
#define CUPEL_READBACK_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stamp/stamp.h"

#define TALLY_RANGES     512
#define TALLY_UNREADABLE STAMP_VERDICTS /* the kind of sectors that could not be read */
#define TALLY_KINDS      (STAMP_VERDICTS + 1)

struct tally_expected {
    struct stamp_run run;     /* with the newest generation */
    uint64_t sectors;         /* of the drive */
    uint64_t durable;         /* LBA: all before it was flushed in that generation */
    uint32_t write_sectors;   /* of one write: which may be on the medium in part */
    bool next_may_have_begun; /* the pass after it: its first flush was not journaled */
};

/* Neighbouring sectors with the same fault. */
struct tally_range {
    uint64_t lba, sectors;
    unsigned kind;         /* enum stamp_verdict, or TALLY_UNREADABLE */
    unsigned kinds;        /* all that is wrong with them */
    int64_t distance;      /* misdirected: the LBA they were written to, from theirs */
    uint32_t generation;   /* of what was found */
    uint64_t bits_flipped; /* in all of them */
};

struct tally {
    struct tally_expected expected;
    uint64_t sectors[TALLY_KINDS]; /* STAMP_GOOD: equal in every bit; the others are faults */
    uint64_t in_flight;            /* as they may be after the last flush */
    uint64_t in_flight_torn;       /* of these: cut apart within the sector */
    uint64_t unrecognised;         /* of the corrupt: nothing of what was written is left */
    uint64_t bits_flipped;
    uint64_t torn_writes; /* of which a part is on the medium, of those that were flushed */
    struct tally_range ranges[TALLY_RANGES];
    size_t range_count;
    uint64_t range_dropped; /* sectors with faults for whose range there was no room */
};

void tally_begin(struct tally *t, const struct tally_expected *expected);

/* Sectors that were read from lba on; calls may come in any order of LBAs. */
void tally_take(struct tally *t, const unsigned char *data, size_t length, uint64_t lba);
/* What sectors may hold after writes that overlapped, each of a generation of its own. */
struct tally_choice {
    uint32_t newest;
    uint32_t older; /* so many generations before it may be there as well, or parts of several */
    bool wrapped;   /* after STAMP_MAX_GENERATION they began again with 1 */
    bool whole;     /* no parts of several: all sectors are of one write */
};

/* The same, of sectors that are of one write's block: expected.durable, write_sectors and the
   generation of expected.run mean nothing. What is one of the older ones counts in in_flight. */
void tally_take_choice(struct tally *t, const unsigned char *data, size_t length, uint64_t lba,
                       const struct tally_choice *choice);
void tally_take_unreadable(struct tally *t, uint64_t lba, uint64_t sectors);

/* After the last: ranges in their order, joined; misdirected sectors that show at which capacity
   the drive wraps around (expected.run.wrap_sectors is set then) are counted as wrapped. */
void tally_end(struct tally *t);

/* What a fault is called, in words for people: "corrupt", "torn: put together of several writes";
   NULL: the kind is no fault. */
const char *tally_fault_words(unsigned kind);

/* Sectors that are not as they must be. */
uint64_t tally_faults(const struct tally *t);

/* "LBA 5, 100-107, 512 and 3 more places": where sectors of that kind are. Returns `to`. */
char *tally_places(const struct tally *t, unsigned kind, char *to, size_t size);

/*
 * With no error in so many trials the rate of errors is below this at 95 % confidence: -ln(.05) / n
 * (the "rule of three"). 1 for none.
 */
double tally_bound(double trials);

#endif
