/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison of alternatives: which one is better, by how much, and how certain that is. Plain
 * data: src/many/compare fills it, src/report prints it.
 *
 * Arrays belong to the code that filled it (comparison_free); names point to the command line.
 */
#ifndef CUPEL_FACTS_COMPARISON_H
#define CUPEL_FACTS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/result.h"

#define COMPARISON_ALTERNATIVES 16

enum comparison_verdict {
    COMPARISON_UNDECIDED,
    COMPARISON_FASTER, /* the first alternative of the pair is better */
    COMPARISON_SLOWER,
    COMPARISON_SAME, /* the interval lies within the margin of equality */
};
const char *comparison_verdict_name(enum comparison_verdict verdict);

/* Is the second alternative of a pair like a repetition of the first? */
enum comparison_repetition {
    COMPARISON_UNPREDICTED, /* one of them has no prediction of its next session */
    COMPARISON_WITHIN,      /* a repetition of the first gives such a difference, too */
    COMPARISON_OUTSIDE,     /* a repetition would not make this difference */
};
const char *comparison_repetition_name(enum comparison_repetition repetition);

/* One alternative's value of a quantity, in the quantity's unit. NaN: not known. */
struct comparison_side {
    size_t alternative; /* its place on the command line, from 0 */
    double mean, low, high;
    bool predicts;                                 /* the next session of it is predicted */
    double n;                                      /* number of readings */
    double spread;                                 /* standard deviation of readings */
    double min, quartile1, median, quartile3, max; /* order statistics of the readings; NaN: there
                                                      are no readings */
};

struct comparison_pair {
    size_t first, second;    /* indices of the quantity's sides */
    double ratio, low, high; /* value of the first over that of the second, with its interval */
    double confidence;       /* confidence of the interval, corrected for the number of pairs */
    double p_value;          /* for a single look (Welch, or paired t) */
    double p_any;            /* valid for any number of looks */
    double degrees;          /* degrees of freedom of p_value */
    double more;             /* factor of readings that are expected to be needed for a decision;
                                infinite: unknown */
    bool wanders; /* undecided, though independent readings would decide it: the levels of both
                     wander by as much as they differ */
    enum comparison_verdict verdict;
    enum comparison_repetition repetition;  /* of sessions that were stored */
    double repetition_low, repetition_high; /* the second is within a repetition of the first
                                               between these; NaN: not known */
};

/* One quantity that several alternatives have, such as "iops" of "nvme0n1-read". */
struct comparison_quantity {
    char group[256]; /* for a folder of qualify "nvme0n1-read"; for exec --parameter "n=1"; else
                        "" */
    char metric[64];
    enum metric_kind kind;
    bool has_unit; /* false: plain numbers, */
    char unit[16]; /* which may be in this unit; "": not known */
    bool higher_is_better;
    struct comparison_side sides[COMPARISON_ALTERNATIVES]; /* in the order of the command line */
    size_t side_count;
    size_t ranking[COMPARISON_ALTERNATIVES]; /* indices of sides, the best first */
    /* The compared pairs. Two alternatives are one pair in their order; more are compared with
       their neighbours in the ranking, the better one first. */
    struct comparison_pair pairs[COMPARISON_ALTERNATIVES];
    size_t pair_count;
};

/* An expectation of --expect and its verdict. */
struct comparison_expectation {
    char text[120];
    enum clause_verdict verdict;
    char words[400]; /* the numbers that decide it: "iops: ratio 1.02 to 1.04, asked for: above
                        1.05" */
};

/* The order of rounds in a block. */
enum comparison_order { COMPARISON_NO_ROUNDS, COMPARISON_RANDOM, COMPARISON_FIXED };
const char *comparison_order_name(enum comparison_order order);

/* Why live rounds ended. */
enum comparison_ending {
    COMPARISON_STORED, /* there were no live rounds */
    COMPARISON_DECIDED,
    COMPARISON_LIMIT,
    COMPARISON_INTERRUPTED,
    COMPARISON_FAILED, /* rounds failed; the measurements before them stand */
};

struct comparison {
    const char *names[COMPARISON_ALTERNATIVES];
    struct labels labels; /* the user's labels: --label */
    size_t alternative_count;
    struct comparison_quantity *quantities;
    size_t quantity_count;
    double confidence, margin;
    bool once, paired, independent;
    enum comparison_ending ending;
    enum comparison_order order;
    uint64_t seed;                  /* of the order and of the requests */
    uint64_t blocks, failed_blocks; /* blocks of live rounds: those that count, and those with a
                                       failed round */
    char failure[200];              /* the last failure: "block 7, exec -- a: exit code 3" */
    struct result_others others;    /* load of others during live rounds; NaN: not known */
    char busy[160];                 /* the warning of struct result's `busy` */
    bool expected;
    struct comparison_expectation expectation;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
};

/* Correlation of a metric with the execution time of runs. */
struct comparison_correlation {
    char metric[64];
    double value, low, high; /* Pearson's coefficient with Fisher's interval; NaN: no value */
    size_t n;                /* number of runs */
    int expected;            /* the sign that it has if the metric shows what users wait for */
};

#define COMPARISON_CORRELATIONS 32

struct comparison_correlations {
    struct comparison_correlation rows[COMPARISON_CORRELATIONS];
    size_t count;
    double confidence;
    bool open_ended; /* runs ended as soon as they were precise: their duration is no execution
                        time */
    struct result_note notes[RESULT_NOTES_MAX]; /* runs that were left out, and why */
    size_t note_count, notes_left_out;
};

/* "expected", "opposite" or "undecided": compares the sign of the whole interval with the expected
   one. */
const char *comparison_correlation_verdict(const struct comparison_correlation *c);

void comparison_note(struct comparison *c, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void comparison_free(struct comparison *c);

#endif
