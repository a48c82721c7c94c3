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
    COMPARISON_SAME, /* the interval lies within the margin in which both count as equal */
};
const char *comparison_verdict_name(enum comparison_verdict verdict);

/* Whether the second alternative of a pair looks like a repetition of the first. */
enum comparison_repetition {
    COMPARISON_UNPREDICTED, /* one of the two has no prediction of its next session */
    /* the second lies in the range in which a repetition of the first would lie */
    COMPARISON_WITHIN,
    COMPARISON_OUTSIDE, /* the second lies outside that range */
};
const char *comparison_repetition_name(enum comparison_repetition repetition);

/* The value of a quantity for one alternative, in the quantity's unit. NaN: not known. */
struct comparison_side {
    size_t alternative; /* index of the alternative on the command line, from 0 */
    double mean, low, high;
    /* a prediction interval for the alternative's next session exists */
    bool predicts;
    double n;      /* number of readings */
    double spread; /* standard deviation of readings */
    /* order statistics of the readings; NaN: no readings */
    double min, quartile1, median, quartile3, max;
};

struct comparison_pair {
    size_t first, second; /* indices into the quantity's sides[] */
    /* value of the first divided by that of the second, and the ratio's confidence interval */
    double ratio, low, high;
    double confidence; /* confidence of the interval, corrected for the number of pairs */
    /* valid if the data are judged only once, at the end (Welch's or the paired t-test) */
    double p_value;
    double p_any;   /* valid even if the data are judged again and again while they grow */
    double degrees; /* degrees of freedom of p_value */
    /* factor by which the number of readings must grow until a decision is expected; infinite: not
       known */
    double more;
    /* undecided although independent readings would decide: the levels of both wander by as much as
       they differ */
    bool wanders;
    enum comparison_verdict verdict;
    enum comparison_repetition repetition; /* set only when stored sessions are compared */
    /* the range in which the second looks like a repetition of the first; NaN: not known */
    double repetition_low, repetition_high;
};

/* One quantity that several alternatives have in common, such as "iops" of "nvme0n1-read". */
struct comparison_quantity {
    /* what the values are about, in a folder of qualify: "nvme0n1-read"; with exec --parameter:
       "n=1"; otherwise "" */
    char group[256];
    char metric[64];
    enum metric_kind kind;
    bool has_unit; /* the values are in the unit of `kind`; false: in `unit` */
    char unit[16]; /* unit of the values if has_unit is false; "": not known */
    bool higher_is_better;
    struct comparison_side sides[COMPARISON_ALTERNATIVES]; /* in the order of the command line */
    size_t side_count;
    /* [side_count], indices into sides[], the best first */
    size_t ranking[COMPARISON_ALTERNATIVES];
    /* The compared pairs. Two alternatives form one pair, in the order of the command line. With
       more alternatives, neighbours in the ranking form pairs, the better one first. */
    struct comparison_pair pairs[COMPARISON_ALTERNATIVES];
    size_t pair_count;
};

/* The expectation of --expect and its verdict. */
struct comparison_expectation {
    char text[120];
    enum clause_verdict verdict;
    /* the numbers that decide: "iops: ratio 1.02 to 1.04, asked for: above 1.05" */
    char words[400];
};

/* The order of the alternatives' rounds within a block. */
enum comparison_order { COMPARISON_NO_ROUNDS, COMPARISON_RANDOM, COMPARISON_FIXED };
const char *comparison_order_name(enum comparison_order order);

/* Why the rounds of a comparison that measures its alternatives ended. */
enum comparison_ending {
    COMPARISON_STORED, /* no rounds were measured: stored results were compared */
    COMPARISON_DECIDED,
    COMPARISON_LIMIT,
    COMPARISON_INTERRUPTED,
    COMPARISON_FAILED, /* rounds failed; the rounds measured before are kept */
};

struct comparison {
    const char *names[COMPARISON_ALTERNATIVES];
    struct labels labels; /* labels that the user gave by --label */
    size_t alternative_count;
    struct comparison_quantity *quantities;
    size_t quantity_count;
    double confidence, margin;
    bool once, paired, independent;
    enum comparison_ending ending;
    enum comparison_order order;
    uint64_t seed; /* random seed for the order of rounds and for the requests */
    /* number of valid blocks of rounds, and of blocks with a failed round */
    uint64_t blocks, failed_blocks;
    char failure[200]; /* the last failed round: "block 7, exec -- a: exit code 3" */
    /* load from other programs during the rounds that were measured now; NaN: not known */
    struct result_others others;
    char busy[160]; /* warning about other programs, as `busy` in struct result */
    bool expected;
    struct comparison_expectation expectation;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
};

/* Correlation between a metric and the execution time of runs. */
struct comparison_correlation {
    char metric[64];
    double value, low, high; /* Pearson's coefficient with Fisher's interval; NaN: no value */
    size_t n;                /* number of runs */
    int expected;            /* expected sign, if the metric shows what users wait for: 1 or -1 */
};

#define COMPARISON_CORRELATIONS 32

struct comparison_correlations {
    struct comparison_correlation rows[COMPARISON_CORRELATIONS];
    size_t count;
    double confidence;
    /* runs ended as soon as they were precise, so their duration is not an execution time */
    bool open_ended;
    struct result_note notes[RESULT_NOTES_MAX]; /* runs that were left out, and why */
    size_t note_count, notes_left_out;
};

/* Compares the sign of the coefficient with the expected sign. Returns "expected" or "opposite", or
   "undecided" if the interval contains 0. */
const char *comparison_correlation_verdict(const struct comparison_correlation *c);

void comparison_note(struct comparison *c, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void comparison_free(struct comparison *c);

#endif
