/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What several targets that were measured at the same time gave: a result each, one for all, and
 * the parts of the machine that they share. Plain data; src/run/together fills it, src/report
 * prints it.
 */
#ifndef CUPEL_FACTS_TARGETS_H
#define CUPEL_FACTS_TARGETS_H

#include <stddef.h>

#include "facts/result.h"

#define RESULT_SHARED_MAX 64

/* A part that the data of two targets or more go through. Rates are bytes/s, sums over the targets,
   of their measured rounds; NaN: not known. */
struct result_shared {
    char name[64];
    enum node_kind kind;
    size_t targets;
    double limit_read, limit_write;
    double used_read, used_write;
    double utilisation; /* the larger share of the limits */
    bool limits;        /* it is the bottleneck of what goes through it: in use for 80 % or more */
};

struct result_target {
    char name[256]; /* its folder's, below that of -o */
    struct result *result;
};

struct result_targets {
    const struct result_target *targets; /* in the order in which they were given */
    size_t count;
    const struct result *all; /* the sum, of the stretch in which all were under load */
    double seconds;           /* of that stretch */
    struct result_shared shared[RESULT_SHARED_MAX]; /* the one in use most first */
    size_t shared_count, shared_left_out;           /* those left out are in use less */
};

#endif
