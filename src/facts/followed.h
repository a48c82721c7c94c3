/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hosts that are watched while they measure: their progress, and the figures of the whole system
 * for the last interval and for the whole time. Plain data; src/many/merge fills it, src/report
 * prints it. NaN: not known. Latencies are ns.
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
    FOLLOWED_STARTING, /* the host's record has no readings yet */
    FOLLOWED_SILENT,   /* the host's record has not grown for the time of --stale */
    FOLLOWED_REFUSED,  /* the rest of the host's record cannot be read */
    FOLLOWED_ENDED,
    FOLLOWED_REPEATED, /* copy of a record that is already followed; it is not counted */
    FOLLOWED_STATES
};

/* A followed record. It has the name of its host, unless it was given another name. Strings belong
   to the follower and are valid until it reads the records again. */
struct followed_host {
    const char *name;
    enum followed_state state;
    double silent_seconds; /* time since the record last grew */
    double p99;            /* p99 of its most recent readings */
};

/* The I/Os of all hosts and operations in one interval of time. */
struct followed_interval {
    uint64_t begin_ns, end_ns; /* since 1970 */
    double seconds;            /* time within the interval in which at least one host measured */
    uint64_t ios, bytes, errors;
    double io_rate, byte_rate;
    double p50, p90, p99, p999, max;
};

/* A limit that is checked in each complete interval by itself. Its state is a fact about these
   intervals; the verdict on the whole time may differ. */
struct followed_limit {
    /* set when the limit was broken in at least two intervals in a row that last FOLLOWED_BROKEN_NS
       or longer, cleared when it was kept for as long */
    bool broken;
    uint64_t since_ns; /* begin of the first interval that broke the limit, ns since 1970 */
    double value;      /* value in the last interval that has one */
    uint64_t row_ns;   /* time for which the limit was broken (or kept) without a change */
    unsigned row;      /* number of intervals in this time */
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
    bool any; /* at least one interval is complete */
    /* [p99_count], p99 of each of the last complete intervals, the latest one last */
    double p99[FOLLOWED_PLOT];
    size_t p99_count; /* number of elements, at most FOLLOWED_PLOT */
    /* the hosts with the highest p99; empty for fewer than two hosts */
    struct followed_host slowest[FOLLOWED_SLOWEST];
    size_t slowest_count;
    /* silent or refused hosts, the first ones in order of name */
    struct followed_host silent[FOLLOWED_NAMED];
    size_t silent_count;
    const struct result_clause *clauses; /* present state of the watching command's --sla clauses */
    size_t clause_count;
    const struct clauses *limits;          /* limits of the watching command; NULL: none */
    const struct followed_limit *of_limit; /* present state of each limit */
};

#endif
