/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison of alternatives: which is better, by how much, and how sure that is. Plain data:
 * src/compare fills it, src/report prints it.
 *
 * Arrays belong to whoever filled it (comparison_free); names point to the command line.
 */
#ifndef CUPEL_FACTS_COMPARISON_H
#define CUPEL_FACTS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/result.h"

#define COMPARISON_ALTERNATIVES 16

enum comparison_verdict {
    COMPARISON_UNDECIDED,
    COMPARISON_FASTER, /* the first of the pair is better */
    COMPARISON_SLOWER,
    COMPARISON_SAME, /* the interval lies within the margin of equality */
};
const char *comparison_verdict_name(enum comparison_verdict verdict);

/* One alternative's value of a quantity, in the quantity's unit. NaN: not known. */
struct comparison_side {
    size_t alternative; /* its place on the command line, from 0 */
    double mean, low, high;
    double n;                                      /* readings */
    double spread;                                 /* standard deviation of readings */
    double min, quartile1, median, quartile3, max; /* of the readings; NaN: there are none */
};

struct comparison_pair {
    size_t first, second;    /* sides of the quantity */
    double ratio, low, high; /* first over second */
    double confidence;       /* of the interval, corrected for the number of pairs */
    double p_value;          /* of one look (Welch, or paired t) */
    double p_any;            /* for any number of looks */
    double degrees;          /* of freedom of p_value */
    double more;             /* times as many readings are expected to decide; infinite: unknown */
    enum comparison_verdict verdict;
};

/* One quantity that several alternatives have, "iops" of "nvme0n1-read". */
struct comparison_quantity {
    char group[256]; /* of a folder of qualify "nvme0n1-read", of exec --parameter "n=1"; else "" */
    char metric[64];
    enum metric_kind kind;
    bool has_unit; /* otherwise plain numbers */
    bool higher_is_better;
    struct comparison_side sides[COMPARISON_ALTERNATIVES]; /* in the order of the command line */
    size_t side_count;
    size_t ranking[COMPARISON_ALTERNATIVES]; /* sides, the best first */
    /* Of two alternatives in their order; of more, neighbours of the ranking, the better first. */
    struct comparison_pair pairs[COMPARISON_ALTERNATIVES];
    size_t pair_count;
};

/* --expect, judged. */
struct comparison_expectation {
    char text[120];
    enum clause_verdict verdict;
    char words[400]; /* what decides it: "iops: ratio 1.02 to 1.04, asked for: above 1.05" */
};

/* What ended live rounds. */
enum comparison_ending {
    COMPARISON_STORED, /* there were none */
    COMPARISON_DECIDED,
    COMPARISON_LIMIT,
    COMPARISON_INTERRUPTED,
    COMPARISON_FAILED, /* rounds failed; what was measured before stands */
};

struct comparison {
    const char *names[COMPARISON_ALTERNATIVES];
    struct labels labels; /* what a person says of it: --label */
    size_t alternative_count;
    struct comparison_quantity *quantities;
    size_t quantity_count;
    double confidence, margin;
    bool once, paired, independent;
    enum comparison_ending ending;
    uint64_t blocks, failed_blocks; /* of live rounds: those that count, and of which one failed */
    char failure[200];              /* the last one: "block 7, exec -- a: exit code 3" */
    struct result_others others;    /* meanwhile, of live rounds; NaN: not known */
    char busy[160];                 /* as in struct result */
    bool expected;
    struct comparison_expectation expectation;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
};

/* Correlation of a metric with the execution time of runs. */
struct comparison_correlation {
    char metric[64];
    double value, low, high; /* Pearson's coefficient with Fisher's interval; NaN: none */
    size_t n;                /* runs */
    int expected;            /* its sign when the metric tells what users wait for */
};

#define COMPARISON_CORRELATIONS 32

struct comparison_correlations {
    struct comparison_correlation rows[COMPARISON_CORRELATIONS];
    size_t count;
    double confidence;
    bool open_ended; /* runs ended when they were precise: their time is no execution time */
    struct result_note notes[RESULT_NOTES_MAX]; /* runs that are left out, and why */
    size_t note_count, notes_left_out;
};

/* "expected", "opposite" or "undecided": the sign that the whole interval has. */
const char *comparison_correlation_verdict(const struct comparison_correlation *c);

void comparison_note(struct comparison *c, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void comparison_free(struct comparison *c);

#endif
