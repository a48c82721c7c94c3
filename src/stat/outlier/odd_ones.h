/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the odd ones out among many drives with several tests each: those that are slower than
 * their peers, in one test or in the mean of several, alone or together with their whole machine.
 *
 * The hypotheses compare every drive, in every test and in the mean of its tests, with its group
 * (drives of one model, measured alike), and every machine's middle drive with those of the other
 * machines. Holm's adjustment covers all of them together. A drive or machine that is named is no
 * longer a peer of the others, and the others are judged again, until no more are named. An
 * effect that is real but too small to matter is not named: the interval must lie above the
 * threshold of its test.
 *
 * In simulated racks (tests/unit/test_odd_ones.c, docs/qualification.md) at most 5 % of the racks
 * have a drive or machine that is named wrongly, if drives differ by normal, lognormal, Laplace
 * or t(5) values; up to 6 % if one drive in ten has three times the deviation, and 14 to 22 %
 * with t(3).
 */
#ifndef CUPEL_STAT_OUTLIER_ODD_ONES_H
#define CUPEL_STAT_OUTLIER_ODD_ONES_H

#include <stdbool.h>
#include <stddef.h>

/* Minimum number of peers, without the value itself. */
#define OUTLIER_PEERS_MIN 4

/* The peers with which a value is compared. `sorted` remains the caller's. */
struct outlier_peers {
    const double *sorted; /* ascending, finite */
    size_t count;
    double noise; /* typical standard error of the peers' values */
    double scale; /* robust scale Qn of all peers; NaN: compute it for each value, without it */
    double t;     /* quantile of Student's t for the interval; NaN: compute it for each value */
};

struct outlier {
    double excess, low, high; /* distance above the centre of the peers, and its 95 % interval */
    /* probability that one more peer is as slow as this value; 1 if the value is not slower */
    double p;
    double p_centre; /* the same probability from the prediction alone, without the tail */
};

/*
 * Compares a value with its peers. `self` is the index of the value in peers->sorted, or
 * peers->count when it is not among them. All members are NaN with fewer than OUTLIER_PEERS_MIN
 * other peers.
 */
struct outlier outlier_of(double x, double se, const struct outlier_peers *peers, size_t self);

/* Returns Qn of sorted[0..n) without the value at `self` (n: none is left out), consistent for
   normal values, with the corrections for small n. NaN for fewer than two values. */
double robust_scale_of(const double sorted[], size_t n, size_t self);

/*
 * Holm's adjustment (1979): sets adjusted[i] to the smallest level at which p[i] is rejected. The
 * chance of any wrong rejection among all m is at most that level, however the tests depend on each
 * other. `room` has space for 2 m values.
 */
void holm_adjust(const double p[], size_t m, double adjusted[], double room[]);

#define ODD_TESTS 8

/* The level of Holm's adjustment. It is below the promised 5 % of false alarms, to allow for drives
   whose differences have heavier tails than either model. */
#define ODD_LEVEL 0.01

#define ODD_POWER 0.95

struct odd_test {
    double threshold; /* smallest slowdown that matters, as a logarithm */
    bool in_mean;     /* the test is part of the mean of the tests */
};

struct odd_value {
    /* `x`: logarithm, larger is slower, NaN: not measured; `se`: its standard error */
    double x, se;
    int group; /* group in this test, 0 and up: only values of the same group are compared */
};

struct odd_drive {
    int machine;
    struct odd_value tests[ODD_TESTS];
};

enum odd_kind { ODD_DRIVE, ODD_MACHINE };

/* One comparison of a value with its peers, and how near the value came to being named. */
struct odd_one {
    enum odd_kind kind;
    bool of_mean; /* true: the value is a mean of the tests, and `test` is test_count */
    bool named;
    /* not named, because more than a third of the group would be named: the values are a second
       level */
    bool is_level;
    /* not named, because several slow values together form the tail that hides them; such a value
       must not count as fast either */
    bool is_hidden;
    int test;
    int unit;     /* index of the drive, or of the machine */
    size_t drive; /* index of the drive that has this value; for a machine, its middle drive */
    size_t peers; /* number of peers in the comparison */
    double threshold;
    double x, se;
    struct outlier found; /* NaN: too few peers */
    double p;             /* adjusted p-value; NaN: too few peers */
    /* slowdown with which one more drive of the group would be named with probability ODD_POWER;
       NaN: no slowdown is enough, or the value is a machine's */
    double detectable;
    unsigned long long group;
};

struct odd_ones {
    struct odd_one *all; /* the comparisons, in no particular order */
    size_t count;
    size_t judged; /* number of comparisons with enough peers */
};

/*
 * Fills in *found. Machines are numbered from 0 to machine_count - 1. Returns false if there is no
 * memory; otherwise the caller frees found->all.
 */
bool odd_ones_find(struct odd_ones *found, const struct odd_drive drives[], size_t drive_count,
                   size_t machine_count, const struct odd_test tests[], size_t test_count);

#endif
