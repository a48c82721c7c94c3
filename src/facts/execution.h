/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured of a program that was run round by round, as plain data: src/exec fills it,
 * src/report/exec prints it.
 *
 * It owns nothing but what lies in it: rounds, readings, change points and strings belong to the
 * session that was measured, and outlive it. Times are seconds. NaN: there is no value.
 */
#ifndef CUPEL_FACTS_EXECUTION_H
#define CUPEL_FACTS_EXECUTION_H

#include "facts/change/change_search.h"
#include "facts/change/level_shift.h"
#include "facts/fact.h"
#include "facts/labels.h"
#include "facts/result.h"

/* How the readings of an index become one number. */
enum index_type {
    INDEX_ORDINARY,   /* arithmetic mean */
    INDEX_RATIO,      /* harmonic mean: a rate over equal amounts of work */
    INDEX_PROPORTION, /* readings from 0 to 1; Wilson's interval, whose width is no share */
    INDEX_DURATION,   /* seconds; arithmetic mean, lower is better */
};

const char *index_type_name(enum index_type type); /* ordinary, ratio, proportion, duration */

/* A performance index and what its readings say. */
struct execution_index {
    char name[48], op[8], unit[16];
    enum index_type type;
    enum metric_better better;
    double target_width;  /* full width over the mean, of a proportion the width itself; 0: the
                             session does not wait for it */
    const double *values; /* one reading for each round that counts */
    size_t n;
    size_t stable_begin, stable_end; /* of the readings, half open */
    size_t used;                     /* readings that the value rests on */
    const size_t *changepoints;
    size_t changepoint_count;
    bool of_units;     /* of readings within the rounds: `n` counts them, not rounds */
    const char *phase; /* flat, warmup, slowdown, no_steady_state; "": it is not of one level */
    enum change_search search;
    double value, low, high, confidence;
    bool cut;     /* the interval reached below 0, where the quantity cannot be: `low` is 0 */
    double width; /* of the interval decided on: over the mean, of a proportion as it is */
    double effective_n, autocorrelation, sd, min, median, max;
    struct level_shift shift;
    double required_n; /* readings that the target is expected to take */
    bool enough;
};

/* One round: one execution of the program. */
struct execution_round {
    uint64_t number;                              /* from 1, those that do not count too */
    double begin_seconds;                         /* since the session began */
    double seconds, user_seconds, system_seconds; /* wall time; processor time of the program and
                                                     of its children that it waited for */
    uint64_t max_rss;                             /* bytes, of the largest process */
    double io_blocks;                             /* of 512 bytes, that the program and its children
                                                     read and wrote of disks; NaN: unknown */
    double work;                                  /* %WORK_AMOUNT% */
    bool warmup;                                  /* one of --warmup: it does not count */
    const char *why;    /* it failed and does not count; NULL: it is good */
    bool left_out;      /* it does not count, and has not failed: `why` says what kept it from */
    const char *output; /* of a failed one: the end of what it printed */
};

/* The unit readings of one round and one index, merged where there were too many. */
struct execution_units {
    uint64_t round;
    size_t index;         /* of `indices` of the execution, which begin with those of units */
    const double *values; /* means of so many neighbours */
    size_t n, merged;
    size_t stable_begin, stable_end; /* the steady part, half open */
    bool steady;                     /* there is one; otherwise these are all of them */
};

#define EXECUTION_INDICES_MAX 32
#define EXECUTION_NOTES_MAX   12
#define EXECUTION_PARTS_MAX   64

/* A place of the command that this result is of one value of. */
struct execution_parameter {
    char name[32], value[96];
};
#define EXECUTION_PARAMETERS_MAX 4

/* What measuring adds to a round's wall time, as a share of it. */
struct execution_cost {
    size_t pairs; /* of rounds with and without it; 0: it was not measured */
    double value, low, high;
};

struct execution {
    enum verdict verdict;
    char command[256];
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX];
    size_t parameter_count;
    char failure[240]; /* VERDICT_FAILED: what happened; VERDICT_BOTTLENECK: why it is not valid */
    struct execution_cost own_cost;
    double elapsed_seconds; /* from the first round's start to the last one's end */
    uint64_t minimum_rounds;
    double minimum_seconds;
    struct execution_index indices[EXECUTION_INDICES_MAX]; /* those that are waited for first */
    size_t index_count;
    const struct execution_units *units; /* by round, then index */
    size_t unit_count;
    const struct execution_round *rounds;
    size_t round_count, good_count, failed_count;  /* all, those that count, those that failed */
    size_t left_out_count;                         /* neither */
    struct result_part parts[EXECUTION_PARTS_MAX]; /* what was watched meanwhile; `under_test` are
                                                      disks, which may be the bottleneck too */
    size_t part_count;
    struct result_others others;
    char busy[160]; /* as in struct result: others had enough of the machine to move the number */
    struct result_note notes[EXECUTION_NOTES_MAX];
    size_t note_count, notes_left_out;
    struct facts settings;
    char date[32];        /* when it began: ISO 8601 with the zone; "": not known */
    struct labels labels; /* what a person says of it: --label */
};

/* A full table drops the note. */
void execution_note(struct execution *x, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "threads=4, size=1k"; "" without parameters. Returns `to`. */
char *execution_parameter_words(const struct execution *x, char *to, size_t size);

/* The index that is furthest from its target, or the first one when all are there. */
const struct execution_index *execution_slowest(const struct execution *x);

#endif
