/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scans a record piece by piece, in the order of the file. This does not need the memory of a
 * session, and also works while the record grows. It is for readers of thousands of records;
 * record_read is for one.
 *
 *   record_scan_open(&scan, path, true, &e);
 *   while ((state = record_scan_next(scan, &item, &e)) != RECORD_SCAN_END) ...
 *   record_scan_close(scan);
 *
 * Formats 1 to 4 (run/record/record.h). Checksums, numbers, limits and LAST are checked as in
 * record_read: damage is left out and noted; a chunk with a correct checksum and impossible
 * contents makes the record invalid. Chunks that make no item are not read.
 *
 * A scan owns about half a MiB, which is allocated when it is opened. One thread at a time.
 */
#ifndef CUPEL_RUN_RECORD_RECORD_SCAN_H
#define CUPEL_RUN_RECORD_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/machine/clock_error.h"
#include "base/machine/host_identity.h"
#include "facts/fact.h"
#include "facts/result.h"
#include "run/measurement/measurement.h"
#include "run/plan/plan.h"

/* A histogram as in a record: the used buckets of stat/basic/histogram.h. */
struct sparse_histogram {
    uint64_t n;        /* number of all values, including `over` */
    uint64_t min, max; /* ns; min is UINT64_MAX while empty */
    uint64_t over;
    unsigned used;                      /* number of used buckets */
    uint16_t bucket[HISTOGRAM_BUCKETS]; /* the buckets' numbers, ascending */
    uint64_t count[HISTOGRAM_BUCKETS];  /* their counts, never 0 */
};

/* The timing of a batch whose requests have due times. */
struct record_timing {
    unsigned slice_count;
    struct slice_timing slices[INTERVAL_SLICES];
    struct sparse_histogram issue_error;
    struct sparse_histogram service[OPERATIONS];
};

/* A time in which I/O was in flight. If busy_ns is less than its length, it has gaps that were too
   many to keep. */
struct record_stretch {
    uint64_t begin_ns, end_ns; /* since 1970; since the interval began if that is not known */
    uint64_t busy_ns;
};

struct record_batch {
    /* Begin of the interval since 1970; 0: not known. Slices that were left out at a round's begin
       are in the interval, too: slices[0] may begin later. */
    uint64_t begin_ns;
    uint64_t length_ns; /* length of the whole interval: INTERVAL_SLICES times slice_ns */
    uint64_t slice_ns;  /* length of each of its slices */
    unsigned span;      /* number of original slices in each slice */
    unsigned slice_count;
    struct slice slices[INTERVAL_SLICES];
    uint64_t lost_slices;
    struct sparse_histogram latency[OPERATIONS];
    /* busy stretches (times with I/O in flight) in order of time, without overlap; their busy time
       is that of the slices. 0: not known. */
    unsigned stretch_count;
    struct record_stretch stretches[BATCH_STRETCHES];
    const struct record_timing *timing; /* NULL: requests had no due times, or the timing is lost */
};

/* The latencies of one job in a period that has ended. */
struct record_job {
    unsigned number;
    uint64_t begin_ns, length_ns; /* since 1970 */
    struct sparse_histogram latency[OPERATIONS];
};

/* A fact. The scan owns all texts. */
struct record_fact {
    bool hardware; /* true: of the hardware; false: of the session's settings */
    const char *node, *key, *value, *unit, *source;
    enum fact_status status;
};

struct record_round {
    bool trial;
    double begin_seconds; /* since the session began */
    /* length of the round, valid after it has ended */
    double seconds;
    /* all completed I/O, even at the edges of the round, which are in no slice */
    struct slice total;
};

struct record_note {
    bool warning;
    const char *text;
};

struct record_done {
    enum verdict verdict; /* verdict that the session stored (see record_scan_verdict) */
    double elapsed_seconds;
    uint64_t records_seen, records_lost;
    const char *failure; /* "": no failure */
};

enum record_item_kind {
    RECORD_ITEM_PLAN,
    RECORD_ITEM_HOST,
    RECORD_ITEM_CLOCK,
    RECORD_ITEM_FACT,
    RECORD_ITEM_ROUND_BEGIN,
    RECORD_ITEM_BATCH,
    RECORD_ITEM_JOB,
    RECORD_ITEM_ROUND_END,
    RECORD_ITEM_NOTE,
    RECORD_ITEM_TIMING, /* may occur again, when more is known */
    RECORD_ITEM_DONE,
};

/* An item is valid until the next call; the plan is valid until the scan is closed. */
struct record_item {
    enum record_item_kind kind;
    union {
        const struct plan *plan;
        const struct host_identity *host;
        const struct clock_error *clock;
        const struct record_fact *fact;
        const struct record_round *round; /* for ROUND_BEGIN, ROUND_END */
        const struct record_batch *batch;
        const struct record_job *job;
        const struct record_note *note;
        const struct timing_totals *timing; /* for requests with due times */
        const struct record_done *done;
    };
};

enum record_scan_state {
    RECORD_SCAN_ITEM,
    RECORD_SCAN_WAIT, /* growing record: the next whole chunk is not there yet, call again later */
    RECORD_SCAN_END,  /* the last chunk was read, or the record does not grow and has no further
                         chunk */
    /* an error, described in `e`: the file cannot be read, is no record, is of a later version, or
       has impossible contents */
    RECORD_SCAN_FAILED
};

struct record_scan;

/*
 * Opens a record. `grows` is true if the file may grow. ERR_USAGE: there is no such file, or it is
 * not a record (a growing one may not have its head yet, which record_scan_next checks then).
 * ERR_MACHINE: no memory. *s is NULL after an error.
 */
int record_scan_open(struct record_scan **s, const char *path, bool grows, struct err *e);

/* Gives the next item. After FAILED, every call returns FAILED. */
enum record_scan_state record_scan_next(struct record_scan *s, struct record_item *item,
                                        struct err *e);

/*
 * Closes the file and frees most of the memory until the next record_scan_next, which opens the
 * file again by its name, so that a longer copy of the same record may have replaced it. Only the
 * beginning of an incomplete chunk is read again.
 */
void record_scan_rest(struct record_scan *s);

/* Returns how far the record was read: bytes from its beginning. */
uint64_t record_scan_bytes(const struct record_scan *s);

/* Reports that the record does not grow any more (its session was killed): it ends with the current
   data. */
void record_scan_stop_waiting(struct record_scan *s);

/* The losses so far. If all are 0 and `ended` is true at the end, nothing was lost. */
struct record_damage {
    uint64_t left_out, left_out_from; /* damaged or misplaced bytes; position of the first one */
    uint64_t missing;                 /* missing chunks, by their numbers */
    uint64_t misplaced;               /* number of chunks that occurred again, or too late */
    bool is_not_as_written;           /* LAST has other counts or another checksum */
    bool ended;    /* LAST was read (DONE in format 1); false: the record is cut short */
    uint64_t rest; /* at the end: number of bytes after the last usable chunk */
};
struct record_damage record_scan_damage(const struct record_scan *s);

void record_scan_close(struct record_scan *s); /* s may be NULL */

#endif
