/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hosts that are being watched while they measure: how far they are, and the system's figures of
 * the last interval and of the whole time. Plain data; src/merge fills it, src/report prints it.
 * NaN: not known. Latencies are ns.
 */
#ifndef CUPEL_FACTS_FOLLOWED_H
#define CUPEL_FACTS_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/result.h"

enum followed_state {
    FOLLOWED_RUNNING,
    FOLLOWED_STARTING, /* its record holds no readings yet */
    FOLLOWED_SILENT,   /* its record has not grown for --stale */
    FOLLOWED_REFUSED,  /* its record cannot be read on */
    FOLLOWED_ENDED,
    FOLLOWED_REPEATED, /* a copy of a record that is followed already: it does not count */
    FOLLOWED_STATES
};

/* A record, by its host where that has no other. Words are the follower's, until it looks again. */
struct followed_host {
    const char *name;
    enum followed_state state;
    double silent_seconds; /* since it grew */
    double p99;            /* of its last readings */
};

/* All operations of all hosts. */
struct followed_interval {
    uint64_t begin_ns, end_ns; /* since 1970 */
    double seconds;            /* of it, in which any host measured */
    uint64_t ios, bytes, errors;
    double io_rate, byte_rate;
    double p50, p90, p99, p999, max;
};

#define FOLLOWED_SLOWEST 4
#define FOLLOWED_NAMED   3
#define FOLLOWED_PLOT    64

struct followed {
    size_t records, hosts;
    size_t in_state[FOLLOWED_STATES]; /* records */
    struct followed_interval last, whole;
    bool any;                                       /* an interval is complete */
    double p99[FOLLOWED_PLOT];                      /* of the last intervals, the latest one last */
    size_t p99_count;                               /* up to FOLLOWED_PLOT */
    struct followed_host slowest[FOLLOWED_SLOWEST]; /* of two or more, by p99 */
    size_t slowest_count;
    struct followed_host silent[FOLLOWED_NAMED]; /* or refused; the first ones by name */
    size_t silent_count;
    const struct result_clause *clauses; /* as they stand; of the watching command */
    size_t clause_count;
};

#endif
