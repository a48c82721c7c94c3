/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of one test of SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2)
 * on one drive: every cell of every round, whether the rounds are steady (by the rule of the PTS,
 * and by a confidence interval), and the throughput over the written bytes. Plain data that owns no
 * memory. src/machine/accept fills it from the journal, src/report/accept prints it.
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
    unsigned read_percent; /* share of reads; 100: only reads */
    bool tracked;          /* the drive's steady state is judged by this cell */
    /* the cell is measured; false for cells that a reduced matrix leaves out */
    bool chosen;
    /* mean over the window of five rounds, in the test's unit; NaN: not measured */
    double mean;
};

/* One measurement of a cell. For a mix, the values are the sum of reads and writes. */
struct pts_sample {
    unsigned round, cell; /* numbers, from 0 */
    double iops, bandwidth, mean_ns, max_ns;
    double seconds;
    double written; /* bytes written from the start of the test to the end of this sample */
    double celsius; /* NaN: the drive has no thermometer */
    double at;      /* end of the sample, seconds since 1970 */
    bool throttled; /* the drive counted throttling during the sample */
};

/* A value that is tracked over the rounds. `range` and `change` are shares of `mean`. */
struct pts_tracked {
    unsigned cell;
    /* `mean`, `min`, `max`: of the window; `slope`, `first`: of the line fitted to it
       (src/stat/steady/steady.h) */
    double mean, min, max, slope, first;
    double range, change;
    bool steady; /* steady by the rule of the PTS */

    /* results of cupel's own analysis: "steady", "drifting", "undecided" */
    const char *phase, *drift_verdict;
    /* the values below are computed from the rounds `begin` to `end` - 1 */
    unsigned begin, end;
    double drift, drift_low, drift_high, mean_low, mean_high;
};

/* The start of a new throughput level, at a number of written bytes (write saturation test). */
struct pts_event {
    unsigned sample;
    double written, celsius, before, after;
    char words[120]; /* cause, such as "the cache of fast cells is full" */
};

enum pts_end {
    PTS_UNFINISHED, /* stopped, or the power failed: the test continues when it is resumed */
    PTS_STEADY,
    PTS_NOT_STEADY, /* not steady after all rounds */
    PTS_TIME_OVER,  /* a write saturation ended because 6 hours had passed */
    PTS_WRITTEN,    /* a write saturation ended because 4 times the capacity had been written */
};

const char *pts_end_name(enum pts_end end); /* "unfinished", "steady", "not_steady", ... */

/* The percentiles that the latency test reports, as shares: 0.99 is p99. They come from a long
   measurement of its tracked cell after the rounds. */
#define PTS_PERCENTILES 9
extern const double pts_percentiles[PTS_PERCENTILES];

struct pts_result {
    char name[16];      /* name in the journal, in CSV and in JSON: "pts-iops", "pts-tp-128k" */
    char title[48];     /* what is measured: "IOPS" */
    char words[200];    /* description: "PTS-E IOPS, reduced: 12 of 56 cells, 20 s each" */
    char left_out[160]; /* cells that the drive does not support, and why; "": none */
    bool client, reduced;
    /* the test is a write saturation: one cell, measured over the written bytes, without rounds */
    bool saturation;
    enum metric_kind kind; /* kind of the tracked value: IOPS, bytes/s or response time */
    unsigned threads, depth;
    uint64_t capacity, range; /* bytes; `range`: the active range, which begins at offset 0 */
    double cell_seconds;
    unsigned rounds_max;
    /* state of the volatile write cache: "on, as the drive says"; "": not known */
    char cache[32];
    char platform[160]; /* names of the machine, the kernel and the processors */
    /* purge and preconditioning before the test, and load by others, in words */
    char prepared[220];
    double pause_seconds; /* longest pause between two samples: the drive rested during it */

    struct pts_cell cells[PTS_CELLS_MAX];
    unsigned cell_count; /* number of cells in the whole matrix */
    unsigned chosen;     /* number of cells of the matrix that are measured, at least 1 */
    struct pts_sample samples[PTS_SAMPLES_MAX];
    unsigned sample_count;
    unsigned rounds; /* number of complete rounds */

    enum pts_end end;
    unsigned window; /* first of the five rounds that the means are computed from */
    struct pts_tracked tracked[PTS_TRACKED_MAX];
    unsigned tracked_count;
    /* changes of level, only in the write saturation test */
    struct pts_event events[PTS_EVENTS_MAX];
    unsigned event_count;
    /* ns, in the order of pts_percentiles; NaN: not measured, or too few requests */
    double latency[PTS_PERCENTILES];
    /* duration and I/Os of the long measurement for `latency`; 0: there was none */
    double latency_seconds, latency_ios;
};

/* Returns the tracked value of a sample: according to r->kind, its IOPS, its bandwidth or its mean
   response time. */
double pts_sample_value(const struct pts_result *r, const struct pts_sample *s);

#endif
