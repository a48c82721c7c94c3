/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of one test of SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2)
 * on one drive: every cell of every round, whether the rounds are steady by the rule of the PTS and
 * by their interval, and what happened over the written bytes. Plain data without pointers of its
 * own; src/accept fills it from the journal, src/report/accept prints it.
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

/* A combination of block size and share of reads. */
struct pts_cell {
    uint32_t block;        /* bytes */
    unsigned read_percent; /* 100: reads alone */
    bool tracked;          /* the steady state is judged by it */
    bool chosen;           /* it is measured: false in a reduced matrix */
    double mean;           /* of the window, in the test's unit; NaN: not measured */
};

/* A cell once. Reads and writes of a mix are summed. */
struct pts_sample {
    unsigned round, cell; /* from 0 */
    double iops, bandwidth, mean_ns, max_ns;
    double seconds;
    double written; /* bytes, since the test began, until the end of this sample */
    double celsius; /* NaN: no thermometer */
    double at;      /* its end, seconds since 1970 */
    bool throttled; /* the drive counted throttling meanwhile */
};

/* A tracked value over the rounds. Shares are of the window's mean. */
struct pts_tracked {
    unsigned cell;
    double mean, min, max, slope, first; /* the window and its line: src/stat/steady/steady.h */
    double range, change;
    bool steady; /* by the rule */

    const char *phase, *drift_verdict; /* ours: steady, drifting, undecided */
    unsigned begin, end;               /* rounds that count for it, half open */
    double drift, drift_low, drift_high, mean_low, mean_high;
};

/* A level that begins after so many written bytes (write saturation). */
struct pts_event {
    unsigned sample;
    double written, celsius, before, after;
    char words[120]; /* "the cache of fast cells is full" */
};

enum pts_end {
    PTS_UNFINISHED, /* stopped, or lost its power: goes on when it is taken up again */
    PTS_STEADY,
    PTS_NOT_STEADY, /* after all rounds */
    PTS_TIME_OVER,  /* of write saturation: 6 hours */
    PTS_WRITTEN,    /* of write saturation: 4 times the capacity */
};

const char *pts_end_name(enum pts_end end); /* unfinished, steady, not_steady, ... */

/* Percentiles of the long run of LAT: these shares of all requests took at most so long. */
#define PTS_PERCENTILES 9
extern const double pts_percentiles[PTS_PERCENTILES];

struct pts_result {
    char name[16];      /* "pts-iops", "pts-tp-128k": in the journal, in CSV and JSON */
    char title[48];     /* "IOPS" */
    char words[200];    /* "PTS-E IOPS, reduced: 12 of 56 cells, 20 s each" */
    char left_out[160]; /* cells that the drive cannot do, and why; "" */
    bool client, reduced;
    bool saturation;       /* one cell against what was written, not rounds */
    enum metric_kind kind; /* of what is tracked: IOPS, bytes per second or a response time */
    unsigned threads, depth;
    uint64_t capacity, range; /* bytes; the range is the active one, from 0 on */
    double cell_seconds;
    unsigned rounds_max;
    char cache[32];       /* the volatile write cache: "on, as the drive says"; "": not known */
    char platform[160];   /* machine, kernel and processors */
    char prepared[220];   /* purge and preconditioning before it, and who else worked, in words */
    double pause_seconds; /* the longest between two samples: the drive rested */

    struct pts_cell cells[PTS_CELLS_MAX];
    unsigned cell_count; /* of the whole matrix; of them, ... */
    unsigned chosen;     /* ... those that are measured: 1 at least */
    struct pts_sample samples[PTS_SAMPLES_MAX];
    unsigned sample_count;
    unsigned rounds; /* complete ones */

    enum pts_end end;
    unsigned window; /* first round of the five that the means are of */
    struct pts_tracked tracked[PTS_TRACKED_MAX];
    unsigned tracked_count;
    struct pts_event events[PTS_EVENTS_MAX]; /* of write saturation */
    unsigned event_count;
    double latency[PTS_PERCENTILES];     /* ns; NaN: not measured, or too few requests for it */
    double latency_seconds, latency_ios; /* of the long run; 0: there was none */
};

/* What is tracked, of a sample. */
double pts_sample_value(const struct pts_result *r, const struct pts_sample *s);

#endif
