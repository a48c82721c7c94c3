/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A record piece by piece, in the order of the file: without the memory of a session, and also of a
 * record that still grows. What a reader of thousands of records needs; record_read is for one.
 *
 *   record_scan_open(&scan, path, true, &e);
 *   while ((state = record_scan_next(scan, &item, &e)) != RECORD_SCAN_END) ...
 *   record_scan_close(scan);
 *
 * Formats 1 to 3 (run/record/record.h). Checksums, numbers, limits and LAST are held against the
 * pieces as record_read does: damage is left out and noted, a chunk with a right checksum and
 * impossible contents refuses the record. Kinds that make no item are not looked into.
 *
 * A scan owns about half a MiB, all of it allocated when it is opened. One thread at a time.
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

/* A histogram as a record has it: the buckets of stat/basic/histogram.h that are in use. */
struct sparse_histogram {
    uint64_t n;        /* all values, those in `over` included */
    uint64_t min, max; /* ns; min is UINT64_MAX while empty */
    uint64_t over;
    unsigned used;                      /* buckets */
    uint16_t bucket[HISTOGRAM_BUCKETS]; /* of them: its number, ascending */
    uint64_t count[HISTOGRAM_BUCKETS];  /* and its count, never 0 */
};

/* Of requests with due times, in a batch. */
struct record_timing {
    unsigned slice_count;
    struct slice_timing slices[INTERVAL_SLICES];
    struct sparse_histogram issue_error;
    struct sparse_histogram service[IO_OPS];
};

/* I/O was in flight. Where busy_ns is less than its length, it has gaps that were too many to keep
   one by one. */
struct record_stretch {
    uint64_t begin_ns, end_ns; /* since 1970; since the interval began where that is not known */
    uint64_t busy_ns;
};

struct record_batch {
    /* Since 1970, when the interval began; 0: not known. Slices that were left out, those at a
       round's begin, lie in it too: slices[0] need not begin here. */
    uint64_t begin_ns;
    uint64_t length_ns; /* of the whole interval: INTERVAL_SLICES times slice_ns */
    uint64_t slice_ns;  /* of each of its slices */
    unsigned span;      /* original slices that each is as long as */
    unsigned slice_count;
    struct slice slices[INTERVAL_SLICES];
    uint64_t lost_slices;
    struct sparse_histogram latency[IO_OPS];
    /* In order of time, none overlapping; their busy time is that of the slices. 0: not known. */
    unsigned stretch_count;
    struct record_stretch stretches[BATCH_STRETCHES];
    const struct record_timing *timing; /* NULL: requests had no due times, or it is lost */
};

/* The latencies of one job in a period that has ended. */
struct record_job {
    unsigned number;
    uint64_t begin_ns, length_ns; /* since 1970 */
    struct sparse_histogram latency[IO_OPS];
};

/* All text is the scan's. */
struct record_fact {
    bool hardware; /* or a setting of the session */
    const char *node, *key, *value, *unit, *source;
    enum fact_status status;
};

struct record_round {
    bool trial;
    double begin_seconds; /* since the session began */
    /* when it has ended */
    double seconds;
    struct slice total; /* everything that completed, edges included */
};

struct record_note {
    bool warning;
    const char *text;
};

struct record_done {
    enum verdict verdict; /* that the session gave itself: see record_scan_verdict */
    double elapsed_seconds;
    uint64_t records_seen, records_lost;
    const char *failure; /* "": none */
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
    RECORD_ITEM_TIMING, /* it comes again when more is known */
    RECORD_ITEM_DONE,
};

/* It holds until the next call; the plan holds until the scan is closed. */
struct record_item {
    enum record_item_kind kind;
    union {
        const struct plan *plan;
        const struct host_identity *host;
        const struct clock_error *clock;
        const struct record_fact *fact;
        const struct record_round *round; /* ROUND_BEGIN, ROUND_END */
        const struct record_batch *batch;
        const struct record_job *job;
        const struct record_note *note;
        const struct timing_totals *timing; /* of requests with due times */
        const struct record_done *done;
    };
};

enum record_scan_state {
    RECORD_SCAN_ITEM,
    RECORD_SCAN_WAIT,  /* of a growing record: no whole chunk follows yet, call again later */
    RECORD_SCAN_END,   /* its last chunk was read, or it grows no more and holds no further one */
    RECORD_SCAN_FAILED /* e: cannot be read, no record, a later version, impossible contents */
};

struct record_scan;

/*
 * `grows`: at the end of the file there may be more later. ERR_USAGE: no such file, or no record (a
 * growing one may not have its head yet; it is then looked at by record_scan_next), ERR_MACHINE
 * without memory; *s is then NULL.
 */
int record_scan_open(struct record_scan **s, const char *path, bool grows, struct err *e);

/* What FAILED once stays so. */
enum record_scan_state record_scan_next(struct record_scan *s, struct record_item *item,
                                        struct err *e);

/*
 * Give back the file and most of the memory until record_scan_next is called again, which opens the
 * file by its name: one that was copied over by a longer copy of the same record goes on. What was
 * read is not read again, but for the beginning of a chunk that was not whole.
 */
void record_scan_rest(struct record_scan *s);

/* How far the record was read: bytes from its beginning. */
uint64_t record_scan_bytes(const struct record_scan *s);

/* The record grows no more (its session was killed): it ends after what is there. */
void record_scan_stop_waiting(struct record_scan *s);

/* What was lost so far; all 0 and `ended` at the end: nothing was. */
struct record_damage {
    uint64_t left_out,
        left_out_from;      /* bytes damaged or out of place; where the first one stands */
    uint64_t missing;       /* chunks, by their numbers */
    uint64_t misplaced;     /* chunks that came again, or too late */
    bool is_not_as_written; /* LAST counts others, or has another checksum */
    bool ended;             /* LAST was read (DONE in format 1): false, it breaks off */
    uint64_t rest;          /* at the end: bytes that were not used */
};
struct record_damage record_scan_damage(const struct record_scan *s);

void record_scan_close(struct record_scan *s); /* or NULL */

#endif
