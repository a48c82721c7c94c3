/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of one test of SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2)
 * on one drive: every cell of every round, whether the rounds are steady by the rule of the PTS and
 * by their interval, and the course over the written bytes. Plain data without pointers of its own;
 * src/machine/accept fills it from the journal, src/report/accept prints it.
 */
#ifndef CUPEL_FACTS_ACCEPT_PTS_RESULT_H
#define CUPEL_FACTS_ACCEPT_PTS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/metrics.h"

#define PTS_CELLS_MAX   56
#define PTS_ROUNDS_MAX  25
#define PTS_SAMPLES_MAX (PTS_CELLS_MAX * PTS_ROUNDS_MAX)
#define PTS_TRACKED_MAX 3
#define PTS_EVENTS_MAX  12

/* A cell: a combination of block size and share of reads. */
struct pts_cell {
    uint32_t block;        /* bytes */
    unsigned read_percent; /* 100: only reads */
    bool tracked;          /* the steady state is judged by this cell */
    bool chosen;           /* it is measured; false in a reduced matrix for cells that are left
                              out */
    double mean;           /* over the window, in the test's unit; NaN: not measured */
};

/* One measurement of a cell. Reads and writes of a mix are added. */
struct pts_sample {
    unsigned round, cell; /* from 0 */
    double iops, bandwidth, mean_ns, max_ns;
    double seconds;
    double written; /* bytes written from the test's begin to the end of this sample */
    double celsius; /* NaN: the drive has no thermometer */
    double at;      /* end of the sample, seconds since 1970 */
    bool throttled; /* the drive counted throttling during the sample */
};

/* A tracked value over the rounds. Shares are relative to the window's mean. */
struct pts_tracked {
    unsigned cell;
    double mean, min, max, slope, first; /* the window and its fitted line:
                                            src/stat/steady/steady.h */
    double range, change;
    bool steady; /* steady by the rule of the PTS */

    const char *phase, *drift_verdict; /* by cupel's own analysis: steady, drifting, undecided */
    unsigned begin, end;               /* rounds that it is computed from, half open */
    double drift, drift_low, drift_high, mean_low, mean_high;
};

/* A level that begins at a certain number of written bytes (write saturation). */
struct pts_event {
    unsigned sample;
    double written, celsius, before, after;
    char words[120]; /* "the cache of fast cells is full" */
};

enum pts_end {
    PTS_UNFINISHED, /* stopped, or without power: it continues when it is resumed */
    PTS_STEADY,
    PTS_NOT_STEADY, /* not steady after all rounds */
    PTS_TIME_OVER,  /* write saturation: 6 hours are over */
    PTS_WRITTEN,    /* write saturation: 4 times the capacity was written */
};

const char *pts_end_name(enum pts_end end); /* unfinished, steady, not_steady, ... */

/* Percentiles of the long run of the latency test, as shares of all requests. */
#define PTS_PERCENTILES 9
extern const double pts_percentiles[PTS_PERCENTILES];

struct pts_result {
    char name[16];      /* "pts-iops", "pts-tp-128k": the name in the journal, in CSV and JSON */
    char title[48];     /* "IOPS" */
    char words[200];    /* "PTS-E IOPS, reduced: 12 of 56 cells, 20 s each" */
    char left_out[160]; /* cells that the drive does not support, and why; "" */
    bool client, reduced;
    bool saturation;       /* the test is one cell over the written bytes, not rounds */
    enum metric_kind kind; /* kind of the tracked value: IOPS, bytes per second or a response
                              time */
    unsigned threads, depth;
    uint64_t capacity, range; /* bytes; the range is the active one, from offset 0 */
    double cell_seconds;
    unsigned rounds_max;
    char cache[32];       /* the volatile write cache: "on, as the drive says"; "": not known */
    char platform[160];   /* machine, kernel and processors */
    char prepared[220];   /* purge and preconditioning before the test, and other load, in words */
    double pause_seconds; /* the longest pause between two samples, in which the drive rested */

    struct pts_cell cells[PTS_CELLS_MAX];
    unsigned cell_count; /* number of cells in the whole matrix */
    unsigned chosen;     /* number of cells in the whole matrix that are measured, at least 1 */
    struct pts_sample samples[PTS_SAMPLES_MAX];
    unsigned sample_count;
    unsigned rounds; /* number of complete rounds */

    enum pts_end end;
    unsigned window; /* first round of the five that the means are over */
    struct pts_tracked tracked[PTS_TRACKED_MAX];
    unsigned tracked_count;
    struct pts_event events[PTS_EVENTS_MAX]; /* for write saturation */
    unsigned event_count;
    double latency[PTS_PERCENTILES];     /* ns; NaN: not measured, or from too few requests */
    double latency_seconds, latency_ios; /* duration and I/Os of the long run; 0: there was no long
                                            run */
};

/* The tracked value of a sample. */
double pts_sample_value(const struct pts_result *r, const struct pts_sample *s);

#endif
