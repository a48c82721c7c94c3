/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fleet: the reports of many machines, and the drives and machines that are slower than their
 * peers. Plain data; src/machine/qualify fills it, src/report prints it. Owner: fleet_free.
 */
#ifndef CUPEL_FACTS_FLEET_H
#define CUPEL_FACTS_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/result.h"

/* A quantity in which drives are compared: a test of a qualification, and a metric of that test. */
struct fleet_row {
    const char *test; /* "read", "randread" */
    enum metric_id metric;
    double threshold; /* a drive that is slower by less than this share is not reported */
    bool in_mean;     /* included in the mean of a drive's rates */
    const char *name; /* the name of what no session of a disk measures, "clock", whose direction is
                         that of the metric; NULL: the metric's */
};
#define FLEET_ROWS 7
extern const struct fleet_row fleet_rows[FLEET_ROWS];

struct fleet_value {
    double value, low, high, confidence; /* NaN: not measured */
    uint64_t conditions; /* an identifier: equal numbers mean the same model and size, measured in
                            the same way */
};

/* Troubles of a drive or of its machine that the report shows beside the numbers. */
enum fleet_trouble {
    FLEET_THROTTLED = 1,
    FLEET_ERRORS = 2,
    FLEET_LINK = 4, /* slower than both ends of the link can run */
    FLEET_HOT = 8,  /* warmer than its limit */
};

/* A drive, or a part of the machine that is compared in the same way. */
struct fleet_disk {
    size_t machine;
    bool is_part; /* the memory or the processors; `name` says which */
    char name[64], kind[16], model[64], serial[64], firmware[32], link[64], slot[32];
    char place[32];     /* "NUMA node 1", "" when unknown */
    double temperature; /* maximum while measuring, degrees Celsius; NaN: not known */
    double size;
    unsigned trouble; /* bits of enum fleet_trouble */
    bool fallen;      /* one of its tests failed, was interrupted or is undecided */
    bool slow;        /* it, or its machine, is in the list `slow` */
    struct fleet_value values[FLEET_ROWS];
};

struct fleet_machine {
    char folder[256]; /* folder of its report, below the fleet's */
    char product[96], serial[64], date[32], version[32];
    unsigned trouble;
    bool slow;
};

/* A report that was left out, and why; or a remark about one that was not. */
struct fleet_note {
    bool unread; /* the report could not be read: its machine is not judged */
    char folder[256], words[240];
};

/* A drive, or a machine whose drives are slow together. */
struct fleet_slow {
    bool whole_machine;
    size_t machine, disk;    /* indices; disk: of the machine; for a whole machine its middle
                                drive */
    int row;                 /* index into fleet_rows; -1: the mean of the rates */
    double share, low, high; /* how much slower it is, with a 95 % interval: 0.2 is a fifth less of
                                a rate, or a fifth more of a time */
    double p;                /* adjusted for all comparisons */
    size_t peers;            /* number of drives, or machines, that it was compared with */
    size_t drives;           /* for a machine: number of its drives of this model that were
                                compared */
    char cause[240];         /* what differs from the peers; "" when nothing does */
};

/* The sensitivity of a fleet's comparison: a drive that is slower by `share` in that row is found
   with a probability of `confidence`, even in the group of drives where that is hardest. */
struct fleet_power {
    int row;      /* as in fleet_slow */
    double share; /* the loss of a rate, or the increase of a time */
    double confidence;
    uint64_t drives; /* number of drives in groups for which this is known */
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
    size_t unread;                   /* notes about reports that could not be read */
    size_t part_count, parts_judged; /* memories and processors among `disks` */
    size_t judged, few; /* drives that had enough peers in some test, and drives that had too few */
    size_t unmeasured;  /* drives without any result that can be compared */
    size_t levels;      /* drives that are slow together with at least a third of their peers */
    size_t hidden;      /* drives far below the rest, but too many to be called outliers */
    size_t fallen;      /* drives of `unmeasured` that had tests, but no valid one */
    bool failed;        /* memory ran out */
};

void fleet_free(struct fleet *f);

/* Adds an empty one; NULL, and f->failed is set, without memory. Earlier ones may move. */
struct fleet_machine *fleet_add_machine(struct fleet *f);
struct fleet_disk *fleet_add_disk(struct fleet *f, size_t machine);
void fleet_note(struct fleet *f, bool unread, const char *folder, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True when nothing slow was named, but not everything could be judged. */
bool fleet_is_undecided(const struct fleet *f);

/* The words for a row: "read bandwidth", "mean of the rates". */
const char *fleet_row_name(int row, char *to, size_t size);

#endif
