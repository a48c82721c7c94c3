/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tests of SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2): which cells,
 * how long, how often, and what of it fits into a given time. docs/accept.md says what was taken
 * from the specification, and what is our own where it is not certain.
 */
#ifndef CUPEL_MACHINE_ACCEPT_PTS_H
#define CUPEL_MACHINE_ACCEPT_PTS_H

#include "base/err.h"
#include "facts/accept/pts_result.h"
#include "machine/accept/accept_journal.h"

/* ---- pts_tables.c ---- */

#define PTS_BLOCKS_MAX 8
#define PTS_MIXES_MAX  7

/* One run with a steady state of its own: throughput has two, each after its preconditioning. */
struct pts_test {
    const char *name;  /* "pts-tp-128k" */
    const char *stage; /* "pts-tp" */
    const char *title;
    enum metric_kind kind;
    bool random, saturation;
    uint32_t precondition; /* block size of the preconditioning before it; 0: it begins purged */
    struct {
        uint32_t threads, depth;
    } load[2]; /* of PTS-E, of PTS-C */
    unsigned rounds;
    uint32_t blocks[PTS_BLOCKS_MAX]; /* in the order in which they are measured; 0: no more */
    unsigned char mixes[PTS_MIXES_MAX], mix_count; /* percent of reads */
    unsigned char core_blocks, core_mixes; /* bits: what a smaller matrix has; 0: there is none */
    struct {
        uint32_t block;
        unsigned char mix;
    } tracked[PTS_TRACKED_MAX];
    unsigned char tracked_count;
    double long_seconds; /* of LAT: the tracked cell once more, for so long */
};

#define PTS_TESTS 5
extern const struct pts_test pts_tests[PTS_TESTS + 1]; /* ended by a name of NULL */

/* The limits that a test must keep. */
struct pts_limits {
    bool client;            /* PTS-C, else PTS-E */
    uint64_t capacity;      /* bytes */
    uint32_t logical_block; /* bytes: smaller cells are left out */
    double seconds;         /* for all of its rounds; infinite: as long as it takes */
    double cell_seconds;    /* requested; 0: as the specification states */
};

/*
 * The matrix, threads, active range, seconds and rounds of `r`, with the words that name what was
 * reduced. The active range is never reduced. With little time the first of these is taken in which
 * ten rounds fit: all cells for 60 s, all for 20 s, the core for 60 s, for 20 s, the tracked cells
 * for 60, 20, 5 s; else the last, in which five have to. ERR_USAGE: they do not.
 */
int pts_shape(struct pts_result *r, const struct pts_test *test, const struct pts_limits *limits,
              struct err *e);

/* Seconds of a cell besides its own: trial rounds, opening, the journal. */
#define PTS_CELL_EXTRA_SECONDS 1.5

/* Returns how long this number of rounds takes, including what comes after them. */
double pts_seconds(const struct pts_result *r, const struct pts_test *test, unsigned rounds);

/* Returns the minimum remaining time, by the duration of samples so far: until the fifth round,
   later until the end of the next one; for write saturation until the capacity is written 4 times,
   or its time is over. */
double pts_seconds_left(const struct pts_result *r, const struct pts_test *test);

/* ---- pts_journal.c ---- */

/* The shape, so that what is taken up later is the same test; a sample; the long run; that nothing
   of the test is left to do. */
int pts_journal_shape(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                      struct err *e);
int pts_journal_sample(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                       const struct pts_sample *s, struct err *e);
int pts_journal_latency(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                        struct err *e);
int pts_journal_end(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                    struct err *e);

/* Reads and judges everything that the journal has of this test. False: it has nothing. */
bool pts_journal_read(const struct accept_journal *j, unsigned disk, const struct pts_test *test,
                      struct pts_result *r);

/* ---- pts_judge.c ---- */

/* rounds, window, tracked values, means of cells, events; r->end where rounds decide it. */
int pts_judge(struct pts_result *r, const struct pts_test *test, struct err *e);

/* ---- pts_rounds.c ---- */

/* The functions that measure: a session on the drive (pts_session.c). */
struct pts_measurer {
    void *context;
    /* Measures the cell for `seconds`; `sample` receives the result, `written` the bytes it
       added. */
    int (*cell)(void *context, const struct pts_result *r, const struct pts_cell *cell,
                struct pts_sample *sample, struct err *e);
    /* The tracked cell for the long run: into r->latency, latency_ios, latency_seconds. */
    int (*latency)(void *context, struct pts_result *r, const struct pts_cell *cell, double seconds,
                   struct err *e);
};

/*
 * Rounds until they are steady or the last has been, then what comes after them. Every sample is in
 * the journal before the next one begins. -1: the error of the measurer or of the journal; what was
 * measured before stands.
 */
int pts_rounds(struct pts_result *r, const struct pts_test *test, struct accept_journal *journal,
               unsigned disk, const struct pts_measurer *m, struct err *e);

#endif
