/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clauses about what is measured: the limits of an SLA, "read.p99<500us, iops>200k, errors=0", and
 * the widths of --precise, "iops:5%, read.p99:10%". The command line, plans and reports use the
 * same language.
 *
 *   clause   [read.|write.|all.][service.|issue_error.]subject, then < or > and a limit, =0
 *            (errors), or : and a width; after a limit may come "per 10s in 95%": the limit is
 *            kept in at least that share of the wall clock's intervals of that length
 *   subject  iops, bandwidth, bps, mean, errors, efficiency, p50, p99.9 (any percentile), max
 *   limit    times have a unit (500us, 2ms), bandwidths too (500MB/s, 1GiB/s), rates none (200k);
 *            errors are a number or a share of all I/Os (0, 0.1%)
 *   width    of the whole interval over the value (5%), or half of it (+-2.5%)
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
    CLAUSE_MEAN,      /* response time in ns; or the mean of the column */
    CLAUSE_PERCENTILE,
    CLAUSE_ERRORS,     /* a number, or a share of all I/Os */
    CLAUSE_EFFICIENCY, /* bandwidth over the limit of the data path in the same direction */
    CLAUSE_SUBJECTS
};

enum clause_time { CLAUSE_RESPONSE, CLAUSE_SERVICE, CLAUSE_ISSUE_ERROR };

enum clause_relation { CLAUSE_BELOW, CLAUSE_ABOVE, CLAUSE_EQUAL, CLAUSE_WIDTH };

struct clause {
    enum clause_subject subject;
    enum clause_time time;
    char op[8];   /* one of operation_names; "": the only one that there is */
    double share; /* CLAUSE_PERCENTILE: 0.99; 1: the longest of all (max) */
    enum clause_relation relation;
    double limit;           /* ns, 1/s, bytes/s, number; or a share; or the width */
    bool limit_is_share;    /* the limit is a share of all I/Os (errors) */
    bool width_is_absolute; /* CLAUSE_WIDTH: the limit has the value's unit; otherwise it is a share
                               of the value */
    uint64_t period_ns;     /* length of the intervals that the clause is about; 0: it is about the
                               whole run */
    double period_share;    /* share of the intervals in which the limit must be kept */
    char text[48];          /* the clause as it was written; spaces are kept only around "per" and
                               "in" */
};

#define CLAUSES_MAX 16

struct clauses {
    struct clause clause[CLAUSES_MAX];
    size_t count;
};

/* Intervals have at least this length, and are multiples of it, so that the intervals of all
   clauses consist of whole slices of this length. */
#define CLAUSE_PERIOD_NS_MIN 100000000u
#define CLAUSE_PERIOD_NS_MAX (86400u * UINT64_C(1000000000))

/*
 * Reads the clauses of an SLA on a session, on a column of numbers, or those of --precise.
 * ERR_USAGE, with the position of the mistake and an example.
 */
int clauses_parse_limits(struct clauses *to, const char *text, struct err *e);
int clauses_parse_numbers(struct clauses *to, const char *text, struct err *e);
int clauses_parse_widths(struct clauses *to, const char *text, struct err *e);

/* Removes the position from the beginning of the message, for a text that stands within another
   one. Returns it: bytes from the beginning of the text. */
size_t clauses_mistake_at(struct err *e);

/* "bandwidth", as a clause has it. */
const char *clause_subject_name(enum clause_subject subject);

/* Is it about the longest of all requests ("max<45ms")? */
static inline bool clause_is_max(const struct clause *c)
{
    return c->subject == CLAUSE_PERCENTILE && c->share >= 1;
}

/* Is it a fact about the requests of this session, known without an interval: a number of errors,
   or the longest request? */
static inline bool clause_is_fact(const struct clause *c)
{
    return !c->period_ns &&
           (clause_is_max(c) || (c->subject == CLAUSE_ERRORS && !c->limit_is_share));
}

/* The number of these limits that are estimated, so that they can be decided wrongly: all but
   facts. */
size_t clauses_estimated(const struct clauses *of);

/* Adds a clause. ERR_USAGE, without a position: there are too many, or it contradicts another. */
int clauses_add(struct clauses *to, const struct clause *c, struct err *e);

#endif
