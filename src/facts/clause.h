/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clauses about what is measured: the limits of an SLA, "read.p99<500us, iops>200k, errors=0", and
 * the widths of --precise, "iops:5%, read.p99:10%". The command line, plans and reports use the
 * same language.
 *
 *   clause   [read.|write.|all.][service.|issue_error.]subject, then < or > and a limit, =0
 *            (errors), or : and a width; after a limit may come "per 10s in 95%": in at least that
 *            share of the wall clock's intervals of that length the limit must be kept
 *   subject  iops, bandwidth, bps, mean, errors, efficiency, p50, p99.9 (any percentile), max
 *   limit    times have a unit (500us, 2ms), bandwidths too (500MB/s, 1GiB/s), rates have none
 *            (200k); errors are a number or a share of all I/Os (0, 0.1%)
 *   width    full width of the interval relative to the value (5%), or half of it (+-2.5%)
 *
 * For a column of numbers, "p99<500, mean<200", subjects are only mean, percentiles and max, and
 * limits are any numbers in the column's own unit.
 *
 * Plain data, no allocation.
 */
#ifndef CUPEL_FACTS_CLAUSE_H
#define CUPEL_FACTS_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum clause_subject {
    CLAUSE_IOPS,
    CLAUSE_BANDWIDTH, /* bytes/s */
    CLAUSE_BPS,       /* blocks/s */
    CLAUSE_MEAN,      /* mean response time in ns; for a column, its mean */
    CLAUSE_PERCENTILE,
    CLAUSE_ERRORS,     /* number of errors, or errors as a share of all I/Os */
    CLAUSE_EFFICIENCY, /* bandwidth divided by the limit of the data path in the same direction */
    CLAUSE_SUBJECTS
};

enum clause_time { CLAUSE_RESPONSE, CLAUSE_SERVICE, CLAUSE_ISSUE_ERROR };

enum clause_relation { CLAUSE_BELOW, CLAUSE_ABOVE, CLAUSE_EQUAL, CLAUSE_WIDTH };

struct clause {
    enum clause_subject subject;
    enum clause_time time;
    /* one of operation_names; "": the clause names no operation, since the session has only one */
    char op[8];
    double share; /* for CLAUSE_PERCENTILE: 0.99 is p99; 1 is the longest request (max) */
    enum clause_relation relation;
    /* limit in ns, 1/s or bytes/s, or a number or share; CLAUSE_WIDTH: the width */
    double limit;
    bool limit_is_share; /* errors: the limit is a share of all I/Os */
    /* for CLAUSE_WIDTH, true: the width is in the value's unit; false: relative to the value */
    bool width_is_absolute;
    /* length of the intervals in which the limit is checked; 0: it is checked over the whole run */
    uint64_t period_ns;
    double period_share; /* share of the intervals in which the limit must be kept */
    char text[48];       /* the clause as it was written; spaces are kept only around "per" and
                            "in" */
};

#define CLAUSES_MAX 16

struct clauses {
    struct clause clause[CLAUSES_MAX];
    size_t count;
};

/* Minimum length of intervals. Lengths are multiples of it, so that the intervals of all clauses
   consist of whole slices of this length. */
#define CLAUSE_PERIOD_NS_MIN 100000000u
#define CLAUSE_PERIOD_NS_MAX (86400u * UINT64_C(1000000000))

/*
 * Parse the clauses of an SLA on a session, of an SLA on a column of numbers, or of --precise.
 * Return ERR_USAGE with the position of the mistake and an example.
 */
int clauses_parse_limits(struct clauses *to, const char *text, struct err *e);
int clauses_parse_numbers(struct clauses *to, const char *text, struct err *e);
int clauses_parse_widths(struct clauses *to, const char *text, struct err *e);

/* Removes the position from the beginning of the message, for a caller whose clauses are part of a
   longer text. Returns the position in bytes from the beginning of the clauses. */
size_t clauses_mistake_at(struct err *e);

/* Returns the name of a subject, as in a clause: "bandwidth". */
const char *clause_subject_name(enum clause_subject subject);

/* Returns true if the clause limits the longest of all requests ("max<45ms"). */
static inline bool clause_is_max(const struct clause *c)
{
    return c->subject == CLAUSE_PERCENTILE && c->share >= 1;
}

/* Returns true if the clause is about a fact that needs no confidence interval: a number of errors,
   or the longest request. */
static inline bool clause_is_fact(const struct clause *c)
{
    return !c->period_ns &&
           (clause_is_max(c) || (c->subject == CLAUSE_ERRORS && !c->limit_is_share));
}

/* Returns the number of these limits whose values are estimates, so that a decision may be wrong.
   Facts (clause_is_fact) are not counted. */
size_t clauses_estimated(const struct clauses *of);

/* Adds a clause. Fails with ERR_USAGE, without a position, if there are too many or it contradicts
   another one. */
int clauses_add(struct clauses *to, const struct clause *c, struct err *e);

#endif
