/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements of a program that was run round by round, as plain data: src/program/exec fills it,
 * src/report/exec prints it.
 *
 * It owns only what lies in it: rounds, readings, change points and strings belong to the session
 * that was measured, and outlive it. Times are seconds. NaN: there is no value.
 */
#ifndef CUPEL_FACTS_EXECUTION_H
#define CUPEL_FACTS_EXECUTION_H

#include "facts/change/change_search.h"
#include "facts/change/level_shift.h"
#include "facts/fact.h"
#include "facts/labels.h"
#include "facts/result.h"

/* How the readings of an index are combined into one number. */
enum index_type {
    INDEX_ORDINARY,   /* arithmetic mean */
    INDEX_RATIO,      /* harmonic mean: a rate over equal amounts of work */
    INDEX_PROPORTION, /* readings from 0 to 1; Wilson's interval, whose width is absolute */
    INDEX_DURATION,   /* seconds; arithmetic mean, lower is better */
};

const char *index_type_name(enum index_type type); /* ordinary, ratio, proportion, duration */

/* A performance index and the statistics of its readings. */
struct execution_index {
    char name[48], op[8], unit[16];
    enum index_type type;
    enum metric_better better;
    double target_width;  /* full width over the mean, for a proportion the width itself; 0: the
                             session does not wait for it */
    const double *values; /* one reading for each round that counts */
    size_t n;
    size_t stable_begin, stable_end; /* the readings of the stable segment, half open */
    size_t used;                     /* number of readings that the value is computed from */
    const size_t *changepoints;
    size_t changepoint_count;
    bool of_units;     /* readings are taken within rounds: `n` counts these readings, not rounds */
    const char *phase; /* flat, warmup, slowdown, no_steady_state; "": the index has no level */
    enum change_search search;
    double value, low, high, confidence;
    double next_low, next_high; /* prediction interval of the value of as many further rounds, at
                                   `confidence`; NaN: nothing is predicted */
    bool cut;     /* the interval reached below 0, which is impossible for the quantity, so `low` is
                     0 */
    double width; /* full width of the interval that the session waits for: over the mean, for a
                     proportion absolute */
    double effective_n, autocorrelation, sd, min, median, max;
    struct level_shift shift;
    double required_n;        /* expected number of readings until the target is reached */
    struct level_claim claim; /* what may be claimed of its level; readings are rounds */
    bool enough;
    bool held_back; /* only the claim's doubt keeps it from being enough */
};

/* One round: one execution of the program. */
struct execution_round {
    uint64_t number;                              /* from 1; rounds that do not count are numbered
                                                     too */
    double begin_seconds;                         /* since the session began */
    double seconds, user_seconds, system_seconds; /* wall time; processor time of the program and of
                                                     the children that it waited for */
    uint64_t max_rss;                             /* bytes, of the largest process */
    double io_blocks;                             /* blocks of 512 bytes that the program and its
                                                     children read from and wrote to disks; NaN:
                                                     unknown */
    double work;                                  /* value of %WORK_AMOUNT% */
    bool warmup;                                  /* a round of --warmup: it does not count */
    const char *why;    /* why the round failed and does not count; NULL: it is good */
    bool left_out;      /* it does not count although it did not fail: `why` gives the reason */
    const char *output; /* the end of a failed round's output */
};

/* The unit readings of one round and one index; neighbours are merged where there are too many. */
struct execution_units {
    uint64_t round;
    size_t index;         /* index into the execution's `indices`, which begin with those of
                             units */
    const double *values; /* each is the mean of the same number of neighbours */
    size_t n, merged;
    size_t stable_begin, stable_end; /* the steady part of the readings, half open */
    bool steady;                     /* a steady part was found; otherwise the range covers all
                                        readings */
};

#define EXECUTION_INDICES_MAX 32
#define EXECUTION_NOTES_MAX   12
#define EXECUTION_PARTS_MAX   64

/* A parameter in the command, and the value that this result was measured with. */
struct execution_parameter {
    char name[32], value[96];
};
#define EXECUTION_PARAMETERS_MAX 4

/* The time that measuring adds to a round's wall time, as a share of it. */
struct execution_cost {
    size_t pairs; /* pairs of rounds with and without measuring; 0: it was not measured */
    double value, low, high;
};

struct execution {
    enum verdict verdict;
    char command[256];
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX];
    size_t parameter_count;
    char failure[240]; /* VERDICT_FAILED: what happened; VERDICT_BOTTLENECK: why the result is not
                          valid */
    struct execution_cost own_cost;
    double elapsed_seconds; /* from the first round's start to the last one's end */
    bool width_given;       /* --ci or the width of an index was asked for; otherwise a preset */
    double limit_seconds;
    uint64_t minimum_rounds;
    double minimum_seconds;
    struct execution_index indices[EXECUTION_INDICES_MAX]; /* those that the session waits for come
                                                              first */
    size_t index_count;
    const struct execution_units *units; /* sorted by round, then by index */
    size_t unit_count;
    const struct execution_round *rounds;
    size_t round_count, good_count, failed_count;  /* all rounds, those that count, those that
                                                      failed */
    size_t left_out_count;                         /* rounds that neither count nor failed */
    struct result_part parts[EXECUTION_PARTS_MAX]; /* parts that were watched meanwhile;
                                                      `under_test`: disks, which may be the
                                                      bottleneck too */
    size_t part_count;
    struct result_others others;
    char busy[160]; /* other programs used enough of the machine to change the number, as in struct
                       result */
    struct result_note notes[EXECUTION_NOTES_MAX];
    size_t note_count, notes_left_out;
    struct facts settings;
    char date[32];        /* when it began: ISO 8601 with the zone; "": not known */
    struct labels labels; /* the user's labels: --label */
};

/* Adds a note; drops it when the table is full. */
void execution_note(struct execution *x, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "threads=4, size=1k"; "" without parameters. Returns `to`. */
char *execution_parameter_words(const struct execution *x, char *to, size_t size);

/* The width of the interval that reports show: one that was cut at 0 is narrower than `width`, by
   which the session is judged. */
double execution_shown_width(const struct execution_index *index);

/* The index that is furthest from its target, or the first one when all have reached theirs. */
const struct execution_index *execution_slowest(const struct execution *x);

#endif
