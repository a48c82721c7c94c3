/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tests of SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2): their cells,
 * durations and repetitions, and the part of a test that fits into a given time. docs/accept.md
 * says what was taken from the specification, and what is our own where the specification is not
 * clear.
 */
#ifndef CUPEL_MACHINE_ACCEPT_PTS_H
#define CUPEL_MACHINE_ACCEPT_PTS_H

#include "base/err.h"
#include "facts/accept/pts_result.h"
#include "machine/accept/accept_journal.h"

/* ---- pts_shapes.c ---- */

#define PTS_BLOCKS_MAX 8
#define PTS_MIXES_MAX  7

/* A test with a steady state of its own. Throughput consists of two tests, each after its own
   preconditioning. */
struct pts_test {
    const char *name;  /* "pts-tp-128k" */
    const char *stage; /* "pts-tp" */
    const char *title;
    enum metric_kind kind;
    bool random, saturation;
    uint32_t precondition; /* block size of the preconditioning before the test; 0: it begins on a
                              purged drive */
    struct {
        uint32_t threads, depth;
    } load[2]; /* [0] for PTS-E, [1] for PTS-C */
    unsigned rounds;
    uint32_t blocks[PTS_BLOCKS_MAX]; /* block sizes in the order of measurement; 0 ends the list */
    unsigned char mixes[PTS_MIXES_MAX], mix_count; /* percentages of reads, and their number */
    unsigned char core_blocks, core_mixes; /* bit sets that choose a smaller matrix; 0: there is no
                                              smaller one */
    struct {
        uint32_t block;
        unsigned char mix;
    } tracked[PTS_TRACKED_MAX];
    unsigned char tracked_count;
    double long_seconds; /* seconds of the additional, longer run of the tracked cell (test LAT) */
};

#define PTS_TESTS 5
extern const struct pts_test pts_tests[PTS_TESTS + 1]; /* ended by a name of NULL */

/* The limits that a test must keep. */
struct pts_limits {
    bool client;            /* PTS-C, otherwise PTS-E */
    uint64_t capacity;      /* bytes */
    uint32_t logical_block; /* bytes; cells whose block size is no multiple of it are left out */
    double seconds;         /* time of all rounds of the test; INFINITY: as long as it takes */
    double cell_seconds;    /* requested time of a cell; 0: as the specification states */
};

/*
 * Sets the matrix, threads, active range, seconds and rounds of `r`, and r->words, which says what
 * was reduced. The active range is never reduced. If time is short, the first of these matrices is
 * chosen in which ten rounds fit: all cells for 60 s, for 20 s, the core for 60 s, for 20 s, the
 * tracked cells for 60, 20, 5 s. If none fits, the last is used and must fit five rounds.
 * ERR_USAGE: it does not.
 */
int pts_shape(struct pts_result *r, const struct pts_test *test, const struct pts_limits *limits,
              struct err *e);

/* Seconds that a cell takes besides measuring: trial rounds, opening, the journal. */
#define PTS_CELL_EXTRA_SECONDS 1.5

/* Returns how long this number of rounds takes, including what comes after them. */
double pts_seconds(const struct pts_result *r, const struct pts_test *test, unsigned rounds);

/* Returns the minimum remaining time, from the duration of the samples so far: up to the end of the
   fifth round, later up to the end of the next round. For write saturation: until the capacity is
   written 4 times, or its time is over. */
double pts_seconds_left(const struct pts_result *r, const struct pts_test *test);

/* ---- pts_journal.c ---- */

/* Add to the journal: the shape of a test, so that a resumed test is the same; a sample; the long
   run; and the end of the test. */
int pts_journal_shape(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                      struct err *e);
int pts_journal_sample(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                       const struct pts_sample *s, struct err *e);
int pts_journal_latency(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                        struct err *e);
int pts_journal_end(struct accept_journal *j, unsigned disk, const struct pts_result *r,
                    struct err *e);

/* Reads and judges everything that the journal holds about this test. Returns false if it holds
   nothing. */
bool pts_journal_read(const struct accept_journal *j, unsigned disk, const struct pts_test *test,
                      struct pts_result *r);

/* ---- pts_judge.c ---- */

/* Sets rounds, window, tracked values, means of cells and events, and r->end if rounds decide
   it. */
int pts_judge(struct pts_result *r, const struct pts_test *test, struct err *e);

/* ---- pts_stages.c: rounds ---- */

/* The functions that measure: a session on the drive (pts_session.c). */
struct pts_measurer {
    void *context;
    /* Measures the cell for r->cell_seconds; `sample` receives the result, sample->written the
       bytes that the cell added. */
    int (*cell)(void *context, const struct pts_result *r, const struct pts_cell *cell,
                struct pts_sample *sample, struct err *e);
    /* Measures the tracked cell for the long run, and sets r->latency, latency_ios and
       latency_seconds. */
    int (*latency)(void *context, struct pts_result *r, const struct pts_cell *cell, double seconds,
                   struct err *e);
};

/*
 * Measures rounds until they are steady or the last one has been measured, then what follows them.
 * Every sample is in the journal before the next one begins. -1: the error of the measurer or of
 * the journal; earlier samples remain valid.
 */
int pts_rounds(struct pts_result *r, const struct pts_test *test, struct accept_journal *journal,
               unsigned disk, const struct pts_measurer *m, struct err *e);

#endif
