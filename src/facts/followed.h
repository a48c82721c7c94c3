/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hosts that are watched while they measure: their progress, and the figures of the whole system
 * for the last interval and the whole time. Plain data; src/many/merge fills it, src/report prints
 * it. NaN: not known. Latencies are ns.
 */
#ifndef CUPEL_FACTS_FOLLOWED_H
#define CUPEL_FACTS_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/clause.h"
#include "facts/result.h"

enum followed_state {
    FOLLOWED_RUNNING,
    FOLLOWED_STARTING, /* its record holds no readings yet */
    FOLLOWED_SILENT,   /* its record has not grown for --stale */
    FOLLOWED_REFUSED,  /* its record cannot be read any further */
    FOLLOWED_ENDED,
    FOLLOWED_REPEATED, /* a copy of a record that is already followed: it does not count */
    FOLLOWED_STATES
};

/* A record, named by its host unless it has a name. Strings belong to the follower and are valid
   until its next look. */
struct followed_host {
    const char *name;
    enum followed_state state;
    double silent_seconds; /* time since the record grew */
    double p99;            /* p99 of its last readings */
};

/* An interval of time: all operations of all hosts. */
struct followed_interval {
    uint64_t begin_ns, end_ns; /* since 1970 */
    double seconds;            /* the part of it in which any host measured */
    uint64_t ios, bytes, errors;
    double io_rate, byte_rate;
    double p50, p90, p99, p999, max;
};

/* A limit held against each complete interval by itself: a fact about these intervals, whatever is
   decided about all of the time. */
struct followed_limit {
    bool broken; /* the last intervals broke it, for FOLLOWED_BROKEN_NS and two at least; until
                    as many kept it */
    uint64_t since_ns; /* begin of the first of them, since 1970 */
    double value;      /* of the last interval that has one */
    uint64_t row_ns;   /* the time that the last intervals have broken (or kept) it in a row */
    unsigned row;      /* their number */
    bool row_breaks;
};

#define FOLLOWED_BROKEN_NS 2000000000u

#define FOLLOWED_SLOWEST 4
#define FOLLOWED_NAMED   3
#define FOLLOWED_PLOT    64

struct followed {
    size_t records, hosts;
    size_t in_state[FOLLOWED_STATES]; /* number of records in each state */
    struct followed_interval last, whole;
    bool any;                                       /* at least one interval is complete */
    double p99[FOLLOWED_PLOT];                      /* p99 of the last intervals, the latest one
                                                       last */
    size_t p99_count;                               /* number of values, up to FOLLOWED_PLOT */
    struct followed_host slowest[FOLLOWED_SLOWEST]; /* the slowest hosts, if there are at least two,
                                                       by p99 */
    size_t slowest_count;
    struct followed_host silent[FOLLOWED_NAMED]; /* silent or refused hosts; the first ones by
                                                    name */
    size_t silent_count;
    const struct result_clause *clauses; /* present state of the clauses of the command that
                                            watches */
    size_t clause_count;
    const struct clauses *limits;          /* limits of the command that watches; NULL: none */
    const struct followed_limit *of_limit; /* the present state of each */
};

#endif
