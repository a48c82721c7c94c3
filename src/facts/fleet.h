/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fleet: the reports of many machines, and the drives and machines among them that are slower
 * than their peers. Plain data; src/qualify fills it, src/report prints it. Owner: fleet_free.
 */
#ifndef CUPEL_FACTS_FLEET_H
#define CUPEL_FACTS_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/result.h"

/* What drives are compared in: a test of a qualification, and a metric of it. */
struct fleet_row {
    const char *test; /* "read", "randread" */
    enum metric_id metric;
    double threshold; /* slower by a smaller share does not matter */
    bool in_mean;     /* of the rates of a drive */
};
#define FLEET_ROWS 5
extern const struct fleet_row fleet_rows[FLEET_ROWS];

struct fleet_value {
    double value, low, high, confidence; /* NaN: not measured */
    uint64_t conditions; /* equal numbers: of one model and size, measured in the same way */
};

/* What its report says of a drive or of its machine beside the numbers. */
enum fleet_trouble {
    FLEET_THROTTLED = 1,
    FLEET_ERRORS = 2,
    FLEET_LINK = 4, /* below what both ends can */
    FLEET_HOT = 8,  /* over its limit */
};

struct fleet_disk {
    size_t machine;
    char name[64], kind[16], model[64], serial[64], firmware[32], link[64], slot[32];
    char place[32];     /* "NUMA node 1", "" when unknown */
    double temperature; /* the most while measuring, degrees Celsius, NaN */
    double size;
    unsigned trouble; /* bits of enum fleet_trouble */
    bool fallen;      /* a test of it failed, was interrupted or is undecided */
    bool slow;        /* it is one of `slow`, or its machine is */
    struct fleet_value values[FLEET_ROWS];
};

struct fleet_machine {
    char folder[256]; /* of its report, below the fleet's */
    char product[96], serial[64], date[32], version[32];
    unsigned trouble;
    bool slow;
};

/* A report that is left out, and why; or something to know about one that is not. */
struct fleet_note {
    bool unread; /* it could not be read: its machine is not judged */
    char folder[256], words[240];
};

/* A drive, or a machine whose drives are slow together. */
struct fleet_slow {
    bool whole_machine;
    size_t machine, disk;    /* the disk: of the machine, its middle drive */
    int row;                 /* of fleet_rows, -1: the mean of the rates */
    double share, low, high; /* slower by this, with a 95 % interval: 0.2 is a fifth less, or of a
                                time a fifth more */
    double p;                /* adjusted for all comparisons */
    size_t peers;            /* drives, or machines, that it was held against */
    size_t drives;           /* of a machine: of this model and compared */
    char cause[240];         /* what differs from the peers; "" when nothing does */
};

/* What a fleet could have found: a drive that is slower by `share` in that row is named with a
   probability of `confidence`, be it of the group of drives where that is hardest. */
struct fleet_power {
    int row;      /* as in fleet_slow */
    double share; /* of a rate what is lost, of a time what is added */
    double confidence;
    uint64_t drives; /* in groups that have such a bound */
};

struct fleet {
    char folder[256];
    struct fleet_power
        power[FLEET_ROWS + 1]; /* rows that were judged; the mean of the rates first */
    size_t power_count;
    struct fleet_machine *machines;
    struct fleet_disk *disks;
    struct fleet_note *notes;
    struct fleet_slow *slow; /* the slowest first */
    size_t machine_count, disk_count, note_count, slow_count;
    size_t machine_room, disk_room, note_room;
    size_t unread;      /* notes about reports that could not be read */
    size_t judged, few; /* drives that had peers enough in some test, and that had not */
    size_t unmeasured;  /* drives without any result that can be compared */
    size_t levels;      /* drives that are slow with a third and more of their peers */
    size_t hidden;      /* far below the rest, with too many others to be odd ones */
    size_t fallen;      /* of `unmeasured`: had tests, none of which stands */
    bool failed;        /* no memory */
};

void fleet_free(struct fleet *f);

/* One more, of zeros; NULL, and f->failed, without memory. Moves those before it. */
struct fleet_machine *fleet_add_machine(struct fleet *f);
struct fleet_disk *fleet_add_disk(struct fleet *f, size_t machine);
void fleet_note(struct fleet *f, bool unread, const char *folder, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether nothing slow was named, but not everything could be judged. */
bool fleet_is_undecided(const struct fleet *f);

/* "read bandwidth", "mean of the rates". */
const char *fleet_row_name(int row, char *to, size_t size);

#endif
