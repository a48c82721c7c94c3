/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts that drives share, and the loss of each drive when all are busy at once. Plain data:
 * src/machine/qualify/shared fills it, src/report prints it.
 *
 * Every load is measured in rounds that alternate: each drive alone, then all together. A drive's
 * ratio is its mean together over its mean alone, from the same rounds.
 */
#ifndef CUPEL_FACTS_SHARING_H
#define CUPEL_FACTS_SHARING_H

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
        together; /* means of the rounds; NaN: not measured. For a part: the sum over its drives */
    double ratio, low, high; /* together over alone, with its interval; NaN: not known */
};

enum sharing_loss {
    SHARING_NOT_MEASURED,
    SHARING_KEEPS,     /* the whole interval lies above SHARING_KEPT */
    SHARING_UNDECIDED, /* the interval includes SHARING_KEPT */
    SHARING_LOSES      /* the whole interval lies below SHARING_KEPT */
};
const char *sharing_loss_name(enum sharing_loss loss); /* "not measured", "keeps" ... */

struct sharing_drive {
    char name[64];
    int device;           /* index of the qualification's device */
    unsigned group, slot; /* drives of different groups share no part that could slow them down:
                             drives with the same slot are measured at the same time in the alone
                             rounds */
    double limit;         /* bytes/s that its data path allows for reading alone; NaN: not known */
    char failure[200];    /* why it is no longer measured; "" */
    struct sharing_measured load[SHARING_LOADS];
    enum sharing_loss loss[SHARING_LOADS];
    int part[SHARING_LOADS]; /* for each load the index of the part that limits it, see below; -1:
                                none */
};

enum sharing_blame {
    SHARING_FREE,    /* no drive below it loses throughput because of it */
    SHARING_OPEN,    /* not decided, as its drives are not */
    SHARING_UNKNOWN, /* its drives lose throughput because of it or of a part above it; no known
                        limit was reached */
    SHARING_FULL     /* its limit is reached and drives lose throughput: it is oversubscribed */
};
const char *sharing_blame_name(enum sharing_blame blame); /* "free", "undecided" ... */

struct sharing_part {
    char name[64];   /* its node; in a chain with the same drives, the one with the smallest limit;
                        "" for an unknown part */
    char words[120]; /* "switch 0000:01:00.0 at root port 0000:00:03.0" */
    enum node_kind kind;
    bool host; /* a socket, a host bridge, or the machine: drives that share only this are measured
                  at the same time */
    bool member[SHARING_DRIVES];
    size_t count;  /* number of members */
    double limit;  /* bytes/s of reads; NaN: not known */
    double demand; /* bytes/s that its drives could read together if each had its own path */
    struct sharing_measured load[SHARING_LOADS];
    double together_low[SHARING_LOADS]; /* the lower end of the interval of its drives' sum; NaN:
                                           not known */
    double used[SHARING_LOADS];         /* bytes/s together over the limit; NaN: not known */
    enum sharing_blame blame[SHARING_LOADS];
};

struct sharing {
    struct sharing_drive drives[SHARING_DRIVES];
    size_t drive_count;
    struct sharing_part parts[SHARING_PARTS]; /* sorted by their number of drives, the fewest
                                                 first */
    size_t part_count;
    size_t parts_left; /* number of parts for which there was no room */
    unsigned groups, slots;
    unsigned max_rounds;
    double round_seconds;                  /* length of each measurement in a round */
    double planned_seconds;                /* announced upper bound of the whole duration */
    double confidence;                     /* confidence that none of the drives' ratios is judged
                                              wrongly */
    unsigned rounds[SHARING_LOADS];        /* number of complete rounds */
    unsigned broken_rounds[SHARING_LOADS]; /* rounds that were left out because a drive failed in or
                                              after them */
    unsigned block_size[SHARING_LOADS], iodepth[SHARING_LOADS];
    double alone[SHARING_LOADS][SHARING_DRIVES][SHARING_ROUNDS];
    double together[SHARING_LOADS][SHARING_DRIVES][SHARING_ROUNDS];
};

/* "read", "randread"; the second function has the words for people, "sequential read". */
const char *sharing_load_name(enum sharing_load load);
const char *sharing_load_words(enum sharing_load load);

/* What the drive keeps in every load of its throughput alone: *m has the smallest ratio and the
   smallest of both ends of the intervals, and no rates. */
enum sharing_loss sharing_least(const struct sharing_drive *drive, struct sharing_measured *m);

/* The drive for that device of the qualification, or NULL. */
const struct sharing_drive *sharing_of(const struct sharing *s, int device);

/* "0.25 (0.24 to 0.26)", "-" when it is not measured. Returns `to`. */
char *sharing_ratio_words(const struct sharing_measured *m, char *to, size_t size);

#endif
