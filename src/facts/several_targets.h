/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results of several targets that were measured at the same time: a result for each target, a
 * result for all, and the parts of the machine that they share. Plain data; src/many/together fills
 * it, src/report prints it.
 */
#ifndef CUPEL_FACTS_SEVERAL_TARGETS_H
#define CUPEL_FACTS_SEVERAL_TARGETS_H

#include <stddef.h>

#include "facts/result.h"

#define RESULT_SHARED_MAX 64

/* A part of the machine that the data of at least two targets go through. Rates are bytes/s, summed
   over the targets in their measured rounds; NaN: not known. */
struct result_shared {
    char name[64];
    enum node_kind kind;
    size_t targets;
    double limit_read, limit_write;
    double used_read, used_write;
    double utilisation; /* used share of the part's limits, the larger of reads and writes */
    /* the part is the bottleneck of these targets: utilisation is 80 % or more */
    bool limits;
};

struct result_target {
    char name[256]; /* name of the target's folder in the folder of -o */
    struct result *result;
};

struct result_targets {
    const struct result_target *targets; /* in the order of the command line */
    size_t count;
    const struct result *all; /* sums over the time in which all targets were under load */
    double seconds;           /* length of that time */
    /* in the order of their utilisation, the highest first */
    struct result_shared shared[RESULT_SHARED_MAX];
    /* number of entries in `shared`, and of less used parts that found no place in it */
    size_t shared_count, shared_left_out;
};

#endif
