/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a machine that drives share, and how much throughput each drive loses when all are
 * busy at once. Plain data: src/machine/qualify/shared fills it, src/report prints it.
 *
 * Each load is measured in alternating rounds: each drive alone, then all drives together. A
 * drive's ratio is its mean together divided by its mean alone, from the same rounds.
 */
#ifndef CUPEL_FACTS_DISK_SHARING_H
#define CUPEL_FACTS_DISK_SHARING_H

#include <stdbool.h>
#include <stddef.h>

#include "tables/node_kinds.h"

#define SHARING_DRIVES     64
#define SHARING_PARTS      160
#define SHARING_ROUNDS     12
#define SHARING_MIN_ROUNDS 4

/* A drive with a ratio below this has lost throughput. */
#define SHARING_KEPT 0.95

enum sharing_load { SHARING_READ, SHARING_RANDREAD, SHARING_LOADS };

/* Throughput: bytes/s for sequential reads, I/Os per second for random reads. */
struct sharing_measured {
    double alone,
        together; /* means over rounds; for a part, sums over its drives; NaN: not measured */
    double ratio, low, high; /* together / alone, and its interval; NaN: not known */
};

enum sharing_loss {
    SHARING_NOT_MEASURED,
    SHARING_KEEPS,     /* the whole interval lies above SHARING_KEPT */
    SHARING_UNDECIDED, /* the interval includes SHARING_KEPT */
    SHARING_LOSES      /* the whole interval lies below SHARING_KEPT */
};
const char *sharing_loss_name(enum sharing_loss loss); /* "not measured", "keeps", ... */

struct sharing_drive {
    char name[64];
    int device; /* index into qualification.devices */
    /* Drives of different groups share no part that could slow them down. In the rounds alone,
       drives with the same slot are measured at the same time. */
    unsigned group, slot;
    double limit;      /* read limit of the drive's own data path in bytes/s; NaN: not known */
    char failure[200]; /* why the drive is not measured any more; "": it is measured */
    struct sharing_measured load[SHARING_LOADS];
    enum sharing_loss loss[SHARING_LOADS];
    /* index into sharing.parts of the part that limits the drive under each load; -1: none */
    int part[SHARING_LOADS];
};

enum sharing_blame {
    SHARING_FREE, /* no drive behind this part loses throughput because of it */
    SHARING_OPEN, /* undecided, because it is not known whether the part's drives lose throughput */
    /* the part's drives lose throughput because of this part or of one above it, but no known limit
       was reached */
    SHARING_UNKNOWN,
    /* the part is oversubscribed: its limit is reached and its drives lose throughput */
    SHARING_FULL
};
const char *sharing_blame_name(enum sharing_blame blame); /* "free", "undecided", ... */

struct sharing_part {
    /* name of the part's node; in a chain of parts with the same drives, the part with the lowest
       limit; "": the part is unknown */
    char name[64];
    char words[120]; /* "switch 0000:01:00.0 at root port 0000:00:03.0" */
    enum node_kind kind;
    /* a socket, a host bridge, or the machine: drives that share nothing else are measured at the
       same time */
    bool host;
    bool member[SHARING_DRIVES];
    size_t count; /* number of members */
    double limit; /* bytes/s of reads; NaN: not known */
    /* sum of the bytes/s that the part's drives could read, each over a path of its own */
    double demand;
    struct sharing_measured load[SHARING_LOADS];
    /* lower end of the interval of the sum over the part's drives; NaN: not known */
    double together_low[SHARING_LOADS];
    double used[SHARING_LOADS]; /* bytes/s together, divided by the limit; NaN: not known */
    enum sharing_blame blame[SHARING_LOADS];
};

struct sharing {
    struct sharing_drive drives[SHARING_DRIVES];
    size_t drive_count;
    struct sharing_part parts[SHARING_PARTS]; /* the part with the fewest drives first */
    size_t part_count;
    size_t parts_left; /* number of parts that did not fit into `parts` */
    unsigned groups, slots;
    unsigned max_rounds;
    double round_seconds;   /* duration of one measurement in a round */
    double planned_seconds; /* announced upper bound of the total duration */
    /* confidence that the ratios of all drives are judged correctly */
    double confidence;
    unsigned rounds[SHARING_LOADS]; /* number of complete rounds */
    /* number of rounds that were left out because a drive failed */
    unsigned broken_rounds[SHARING_LOADS];
    unsigned block_size[SHARING_LOADS], iodepth[SHARING_LOADS];
    double alone[SHARING_LOADS][SHARING_DRIVES][SHARING_ROUNDS];
    double together[SHARING_LOADS][SHARING_DRIVES][SHARING_ROUNDS];
};

/* Return the name of a load, "read" or "randread", and its name in sentences, "sequential read". */
const char *sharing_load_name(enum sharing_load load);
const char *sharing_load_words(enum sharing_load load);

/* Returns the worst verdict on a drive over all loads; SHARING_NOT_MEASURED if a load is missing,
   unless the drive loses under another load. Sets *m to the drive's smallest ratio and to the
   smallest of the lower and of the upper ends of the intervals; rates are left out. */
enum sharing_loss sharing_least(const struct sharing_drive *drive, struct sharing_measured *m);

/* Returns the drive with this index in qualification.devices, or NULL. */
const struct sharing_drive *sharing_of(const struct sharing *s, int device);

/* Writes a ratio with its interval: "0.25 (0.24 to 0.26)", or "-" if it was not measured. Returns
   `to`. */
char *sharing_ratio_words(const struct sharing_measured *m, char *to, size_t size);

#endif
