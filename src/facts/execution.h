/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements of a program that was run round by round, as plain data: src/program/exec fills it,
 * src/report/exec prints it.
 *
 * It owns only the arrays inside it. Rounds, readings, change points and strings belong to the
 * session that was measured, and outlive it. Times are seconds. NaN: there is no value.
 */
#ifndef CUPEL_FACTS_EXECUTION_H
#define CUPEL_FACTS_EXECUTION_H

#include "facts/change/change_search.h"
#include "facts/change/level_shift.h"
#include "facts/fact.h"
#include "facts/labels.h"
#include "facts/result.h"

/* How the readings of a performance index are combined into one number. */
enum index_type {
    INDEX_ORDINARY, /* arithmetic mean */
    INDEX_RATIO,    /* harmonic mean, for rates over equal amounts of work */
    /* share, with readings from 0 to 1; Wilson's interval, whose width is absolute */
    INDEX_PROPORTION,
    INDEX_DURATION, /* seconds; arithmetic mean, lower is better */
};

const char *index_type_name(enum index_type type); /* ordinary, ratio, proportion, duration */

/* A performance index and the statistics of its readings. */
struct execution_index {
    char name[48], op[8], unit[16];
    enum index_type type;
    enum metric_better better;
    /* requested full width of the interval, relative to the mean (INDEX_PROPORTION: absolute); 0:
       the session does not wait for this index */
    double target_width;
    /* [n], one reading for each good round (not a warm-up, failed or left out) */
    const double *values;
    size_t n;
    size_t stable_begin, stable_end; /* the stable segment: readings from begin to before end */
    size_t used;                     /* number of readings that the value is computed from */
    const size_t *changepoints;
    size_t changepoint_count;
    /* the program reports several readings in each round, and `n` counts all of them */
    bool of_units;
    /* flat, warmup, slowdown, no_steady_state; "": the index was not searched for a level */
    const char *phase;
    enum change_search search;
    double value, low, high, confidence;
    /* prediction interval for the value of the same number of further rounds, at `confidence`; NaN:
       not predicted */
    double next_low, next_high;
    bool cut; /* `low` is 0 instead of a value below 0, which is impossible for the quantity */
    /* full width of the interval so far, to be compared with target_width: relative, or absolute
       for INDEX_PROPORTION */
    double width;
    double effective_n, autocorrelation, sd, min, median, max;
    struct level_shift shift;
    double required_n;        /* expected number of readings until target_width is reached */
    struct level_claim claim; /* what may be claimed of the index's level; readings are rounds */
    bool enough;
    bool held_back; /* precise enough, but `enough` is false because of claim.doubt */
};

/* One round: one execution of the program. */
struct execution_round {
    /* number of the round, from 1; rounds that do not count have numbers, too */
    uint64_t number;
    double begin_seconds; /* begin, from the start of the session */
    /* wall time; processor time of the program and of the children that it waited for, in user and
       in system mode */
    double seconds, user_seconds, system_seconds;
    /* maximum resident set size in bytes, of the largest process */
    uint64_t max_rss;
    /* blocks of 512 bytes that the program and its children read from and wrote to disks; NaN: not
       known */
    double io_blocks;
    double work;        /* value of %WORK_AMOUNT% */
    bool warmup;        /* a round of --warmup, which does not count */
    const char *why;    /* why the round failed or was left out; NULL: it counts */
    bool left_out;      /* the round did not fail but does not count, for the reason in `why` */
    const char *output; /* the end of a failed round's output */
};

/* The readings that one round gave for an index of --unit-readings. Neighbours are merged if there
   are too many. */
struct execution_units {
    uint64_t round;
    /* position in the execution's indices[], in which the indices of --unit-readings come first */
    size_t index;
    const double *values; /* [n], each the mean of `merged` neighbouring readings */
    size_t n, merged;
    size_t stable_begin, stable_end; /* steady part: readings from begin to before end */
    /* a steady part was found; false: the range covers all readings */
    bool steady;
};

#define EXECUTION_INDICES_MAX 32
#define EXECUTION_NOTES_MAX   12
#define EXECUTION_PARTS_MAX   64

/* A parameter in the command, with the value that was used for this result. */
struct execution_parameter {
    char name[32], value[96];
};
#define EXECUTION_PARAMETERS_MAX 4

/* How much longer a round takes because it is measured, as a share of its wall time. */
struct execution_cost {
    size_t pairs; /* pairs of rounds with and without measuring; 0: the cost was not measured */
    double value, low, high;
};

struct execution {
    enum verdict verdict;
    char command[256];
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX];
    size_t parameter_count;
    /* for VERDICT_FAILED: what happened; for VERDICT_BOTTLENECK: why the result is not valid */
    char failure[240];
    struct execution_cost own_cost;
    double elapsed_seconds; /* from the start of the first round to the end of the last one */
    /* --ci or the width of an index was given; false: a preset sets the widths */
    bool width_given;
    double limit_seconds;
    uint64_t minimum_rounds;
    double minimum_seconds;
    /* indices that the session waits for come first */
    struct execution_index indices[EXECUTION_INDICES_MAX];
    size_t index_count;
    const struct execution_units *units; /* [unit_count], sorted by round, then by index */
    size_t unit_count;
    const struct execution_round *rounds;
    /* number of all rounds, of rounds with readings in the result, and of failed rounds */
    size_t round_count, good_count, failed_count;
    /* number of rounds that succeeded but whose readings are left out of the result */
    size_t left_out_count;
    /* parts of the machine that were watched during the rounds; `under_test` marks disks, which may
       be the bottleneck too */
    struct result_part parts[EXECUTION_PARTS_MAX];
    size_t part_count;
    struct result_others others;
    /* warning that other programs used enough of the machine to change the result, as in struct
       result */
    char busy[160];
    struct result_note notes[EXECUTION_NOTES_MAX];
    size_t note_count, notes_left_out;
    struct facts settings;
    char date[32];        /* start of the session: ISO 8601 with the time zone; "": not known */
    struct labels labels; /* labels that the user gave by --label */
};

/* Adds a note; drops it when the table is full. */
void execution_note(struct execution *x, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the parameters as "threads=4, size=1k"; "" if there are none. Returns `to`. */
char *execution_parameter_words(const struct execution *x, char *to, size_t size);

/* Returns the width of the interval as reports show it. After a cut at 0 the shown interval is
   narrower than `width`, by which the session is judged. */
double execution_shown_width(const struct execution_index *index);

/* Returns the index that needs the most readings to reach its target, or the first index if all
   targets are reached. */
const struct execution_index *execution_slowest(const struct execution *x);

#endif
