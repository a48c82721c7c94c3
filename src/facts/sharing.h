/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What drives share, and what each of them loses when all are busy at once. Plain data:
 * src/qualify/shared fills it, src/report prints it.
 *
 * Every load is measured in rounds: each drive alone, then all together, in turns. A drive's ratio
 * is the mean together over the mean alone of the same rounds.
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

/* A drive whose ratio lies below has lost something. */
#define SHARING_KEPT 0.95

enum sharing_load { SHARING_READ, SHARING_RANDREAD, SHARING_LOADS };

/* In bytes/s of sequential reads, I/Os per second of random ones. */
struct sharing_measured {
    double alone,
        together; /* means of the rounds; NaN: not measured. Of a part: sums of its drives */
    double ratio, low, high; /* together over alone, with its interval; NaN */
};

enum sharing_loss {
    SHARING_NOT_MEASURED,
    SHARING_KEEPS,     /* the interval lies wholly above SHARING_KEPT */
    SHARING_UNDECIDED, /* it includes it */
    SHARING_LOSES      /* it lies wholly below */
};
const char *sharing_loss_name(enum sharing_loss loss); /* "not measured", "keeps" ... */

struct sharing_drive {
    char name[64];
    int device;           /* of the qualification */
    unsigned group, slot; /* drives of different groups share no part that could slow them: the
                             drives of one slot are measured at the same time in the alone rounds */
    double limit;         /* bytes/s that its data path lets it read alone; NaN: not known */
    char failure[200];    /* why it is measured no more; "" */
    struct sharing_measured load[SHARING_LOADS];
    enum sharing_loss loss[SHARING_LOADS];
    int part[SHARING_LOADS]; /* that takes it, of the parts below; -1 */
};

enum sharing_blame {
    SHARING_FREE,    /* no drive below it loses by it */
    SHARING_OPEN,    /* not decided: so are its drives */
    SHARING_UNKNOWN, /* its drives lose by it, or by what lies above it; no known limit was reached
                      */
    SHARING_FULL     /* its limit is reached, and drives lose by it: it is oversubscribed */
};
const char *sharing_blame_name(enum sharing_blame blame); /* "free", "undecided" ... */

struct sharing_part {
    char name[64];   /* its node, that with the smallest limit of a chain with the same drives; ""
                        of what nobody knows */
    char words[120]; /* "switch 0000:01:00.0 at root port 0000:00:03.0" */
    enum node_kind kind;
    bool host; /* a socket, a host bridge, the machine: drives are measured beside each other
                  although they have it in common */
    bool member[SHARING_DRIVES];
    size_t count;  /* members */
    double limit;  /* bytes/s of reads, NaN: not known */
    double demand; /* bytes/s that its drives could read together if each had its own path */
    struct sharing_measured load[SHARING_LOADS];
    double together_low[SHARING_LOADS]; /* the lower end of that sum's interval; NaN */
    double used[SHARING_LOADS];         /* bytes/s together over the limit; NaN */
    enum sharing_blame blame[SHARING_LOADS];
};

struct sharing {
    struct sharing_drive drives[SHARING_DRIVES];
    size_t drive_count;
    struct sharing_part parts[SHARING_PARTS]; /* those with fewer drives first */
    size_t part_count;
    size_t parts_left; /* for which there was no room */
    unsigned groups, slots;
    unsigned max_rounds;
    double round_seconds;                  /* of each measurement in a round */
    double planned_seconds;                /* in all, at most, as announced */
    double confidence;                     /* that none of the drives' ratios is judged wrongly */
    unsigned rounds[SHARING_LOADS];        /* whole ones */
    unsigned broken_rounds[SHARING_LOADS]; /* left out: a drive failed in or after them */
    unsigned block_size[SHARING_LOADS], iodepth[SHARING_LOADS];
    double alone[SHARING_LOADS][SHARING_DRIVES][SHARING_ROUNDS];
    double together[SHARING_LOADS][SHARING_DRIVES][SHARING_ROUNDS];
};

/* "read", "randread", and for people "sequential read". */
const char *sharing_load_name(enum sharing_load load);
const char *sharing_load_words(enum sharing_load load);

/* What the drive keeps of what it has alone in every load: *m has the least of the ratios, and of
   both ends of their intervals, and no rates. */
enum sharing_loss sharing_least(const struct sharing_drive *drive, struct sharing_measured *m);

/* The drive of that device of the qualification, or NULL. */
const struct sharing_drive *sharing_of(const struct sharing *s, int device);

/* "0.25 (0.24 to 0.26)", "-" when it is not measured. Returns `to`. */
char *sharing_ratio_words(const struct sharing_measured *m, char *to, size_t size);

#endif
