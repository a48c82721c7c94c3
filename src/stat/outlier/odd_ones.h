/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The odd ones out among many drives with several tests each: those that are slower than their
 * peers, in one test or in the mean of several, alone or with the whole machine that they are in.
 *
 * Hypotheses are every drive in every test, and in the mean of its tests, against its group (drives
 * of one model, measured alike), and every machine's middle drive against those of the other
 * machines. Holm's adjustment covers all of them
 * together. What is named is no peer of the others any more, and the rest is looked at again, until
 * nothing is added. An effect that is real but too small to matter is not named: the interval must
 * lie above the threshold of its test.
 *
 * In simulated racks (tests/unit/test_odd_ones.c, docs/qualification.md) at most 5 % have any false
 * name where drives differ by normal, lognormal, Laplace or t(5) values; up to 6 % with one drive
 * in ten of three times the deviation, and 14 to 22 % with t(3).
 */
#ifndef CUPEL_STAT_OUTLIER_ODD_ONES_H
#define CUPEL_STAT_OUTLIER_ODD_ONES_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer peers beside the value itself say nothing. */
#define OUTLIER_PEERS_MIN 4

/* The peers with which a value is compared. `sorted` stays with the caller. */
struct outlier_peers {
    const double *sorted; /* ascending, finite */
    size_t count;
    double noise; /* standard error of the peers' own values */
    double scale; /* Qn of all peers; NaN: it is computed without the value itself */
    double t;     /* Student's t of the interval for many peers; NaN: it is computed for each
                     value */
};

struct outlier {
    double excess, low, high; /* over the centre, with a 95 % interval */
    double p;                 /* chance that one more peer is as slow as this; 1 if it is not
                                 slower */
    double p_centre;          /* this chance by the prediction alone, without the tail */
};

/*
 * `self` is the value's own place in peers->sorted, or peers->count when it is not among them. All
 * NaN where fewer than OUTLIER_PEERS_MIN others are there.
 */
struct outlier outlier_of(double x, double se, const struct outlier_peers *peers, size_t self);

/* Qn of sorted[0..n) without the one at `self` (n: none is left out), consistent for normal values
   with the corrections for few of them; NaN for fewer than two. */
double robust_scale_of(const double sorted[], size_t n, size_t self);

/*
 * Holm (1979): adjusted[i] is the smallest level at which p[i] is rejected, so that the chance of
 * any wrong rejection among all m is at most that level, however they depend on each other. `room`
 * has space for 2 m.
 */
void holm_adjust(const double p[], size_t m, double adjusted[], double room[]);

#define ODD_TESTS 8

/* The level of Holm's adjustment: below the 5 % of false alarms that are promised, which leaves
   room for differences between drives with heavier tails than either model has. */
#define ODD_LEVEL 0.01

#define ODD_POWER 0.95

struct odd_test {
    double threshold; /* slower by less than this, as a logarithm, does not matter */
    bool in_mean;     /* part of the mean of the tests */
};

struct odd_value {
    double x, se; /* logarithm, larger is slower, and its standard error; x NaN: not measured */
    int group;    /* group for this test, 0 and up: only values of one group are compared */
};

struct odd_drive {
    int machine;
    struct odd_value tests[ODD_TESTS];
};

enum odd_kind { ODD_DRIVE, ODD_MACHINE };

/* One comparison. Where `named` is false it says how near it came. */
struct odd_one {
    enum odd_kind kind;
    bool of_mean; /* the value is the mean of the tests; `test` is then test_count */
    bool named;
    bool is_level;  /* it would be named, but more than a third of its group would: no odd one */
    bool is_hidden; /* far from the middle, with so many others that their tail hides each one: it
                       is not named, but does not count as fast either */
    int test;
    int unit;     /* the drive, or the machine */
    size_t drive; /* the drive whose value it is; for a machine, its middle drive */
    size_t peers; /* number of peers with which it was compared */
    double threshold;
    double x, se;
    struct outlier found; /* NaN: too few peers */
    double p;             /* adjusted; NaN as well then */
    double detectable;    /* one more drive of the group that is slower by this is named with a
                             probability of ODD_POWER; NaN: by none, or of a machine */
    unsigned long long group;
};

struct odd_ones {
    struct odd_one *all; /* in no order that means anything */
    size_t count;
    size_t judged; /* number of those that had enough peers */
};

/*
 * Machines are numbered from 0 to machine_count - 1. False without memory; else the caller frees
 * found->all.
 */
bool odd_ones_find(struct odd_ones *found, const struct odd_drive drives[], size_t drive_count,
                   size_t machine_count, const struct odd_test tests[], size_t test_count);

#endif
