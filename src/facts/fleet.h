/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fleet: the reports of many machines, and the drives and machines that are slower than their
 * peers. Plain data; src/machine/qualify fills it, src/report prints it. fleet_free frees its
 * lists.
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
    double threshold; /* a drive that is slower by a smaller share than this is not reported */
    bool in_mean;     /* counted in the mean of a drive's rates */
    /* own name of the quantity, such as "clock", if no disk session measures it: `metric` then
       gives only the direction; NULL: the metric's name */
    const char *name;
};
#define FLEET_ROWS 7
extern const struct fleet_row fleet_rows[FLEET_ROWS];

struct fleet_value {
    double value, low, high, confidence; /* NaN: not measured */
    /* identifier: values with equal numbers are of the same model and size, measured in the same
       way */
    uint64_t conditions;
};

/* Problems of a drive or of its machine that the report shows beside the numbers. */
enum fleet_trouble {
    FLEET_THROTTLED = 1,
    FLEET_ERRORS = 2,
    FLEET_LINK = 4, /* the link is slower than both of its ends can run */
    FLEET_HOT = 8,  /* the temperature was above the limit */
};

/* A drive, or another part of a machine that is compared in the same way. */
struct fleet_disk {
    size_t machine;
    bool is_part; /* not a drive: the memory or the processors, as `name` says */
    char name[64], kind[16], model[64], serial[64], firmware[32], link[64], slot[32];
    char place[32];     /* "NUMA node 1", "" when unknown */
    double temperature; /* maximum while measuring, degrees Celsius; NaN: not known */
    double size;
    unsigned trouble; /* bits of enum fleet_trouble */
    bool fallen;      /* one of the drive's tests failed, was interrupted or is undecided */
    bool slow;        /* the drive, or its machine, is in the list fleet.slow */
    struct fleet_value values[FLEET_ROWS];
};

struct fleet_machine {
    char folder[256]; /* folder of the machine's report, relative to the fleet's folder */
    char product[96], serial[64], date[32], version[32];
    unsigned trouble;
    bool slow;
};

/* A note on a report: why it was left out, or a remark on a report that was read. */
struct fleet_note {
    bool unread; /* the report could not be read: its machine is not judged */
    char folder[256], words[240];
};

/* A slow drive, or a machine whose drives are all slow. */
struct fleet_slow {
    bool whole_machine;
    /* indices into fleet.machines and fleet.disks; for a whole machine, the machine's median
       drive */
    size_t machine, disk;
    int row; /* index into fleet_rows; -1: mean of the rates */
    /* how much slower, and the 95 % interval: 0.2 is a rate lower by a fifth, or a time longer by a
       fifth */
    double share, low, high;
    double p;     /* p-value, adjusted for the number of comparisons */
    size_t peers; /* number of drives or machines with which the slow one was compared */
    /* for a whole machine: number of the machine's compared drives of this model */
    size_t drives;
    char cause[240]; /* differences from the peers in words; "": none */
};

/* The sensitivity of a fleet's comparison: a drive that is slower by `share` in this row is found
   with the probability `confidence`, even in the group of drives where that is hardest. */
struct fleet_power {
    int row;      /* index into fleet_rows; -1: mean of the rates */
    double share; /* decrease of a rate, or increase of a time */
    double confidence;
    uint64_t drives; /* number of drives in the groups whose sensitivity is known */
};

struct fleet {
    char folder[256];
    /* sensitivity in each judged row; the mean of the rates comes first */
    struct fleet_power power[FLEET_ROWS + 1];
    size_t power_count;
    struct fleet_machine *machines;
    struct fleet_disk *disks;
    struct fleet_note *notes;
    struct fleet_slow *slow; /* the slowest first */
    size_t machine_count, disk_count, note_count, slow_count;
    size_t machine_room, disk_room, note_room;
    size_t unread; /* number of notes about reports that could not be read */
    /* number of memories and processors in `disks`, and of those of them that were judged */
    size_t part_count, parts_judged;
    /* `judged`: number of drives with enough peers in at least one test; `few`: number with too
       few */
    size_t judged, few;
    size_t unmeasured; /* number of drives without a result that can be compared */
    /* number of drives that form a slow group with at least a third of their peers */
    size_t levels;
    size_t hidden; /* number of drives far below the others, but too many to be outliers */
    size_t fallen; /* number of unmeasured drives that had tests, but no valid one */
    bool failed;   /* memory ran out, the lists are incomplete */
};

void fleet_free(struct fleet *f);

/* Append an empty machine or disk and return it, or a note. When memory runs out, they set
   f->failed and return NULL. Pointers to earlier elements become invalid. */
struct fleet_machine *fleet_add_machine(struct fleet *f);
struct fleet_disk *fleet_add_disk(struct fleet *f, size_t machine);
void fleet_note(struct fleet *f, bool unread, const char *folder, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns true if no slow drive was found, but not everything could be judged. */
bool fleet_is_undecided(const struct fleet *f);

/* Writes the name of a row: "read bandwidth", "mean of the rates". Returns it. */
const char *fleet_row_name(int row, char *to, size_t size);

#endif
