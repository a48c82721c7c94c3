/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session that goes on, as a full screen shows it (--live): a plain copy of a few numbers, made
 * by the thread that collects, a few times a second. Nothing is allocated.
 */
#ifndef CUPEL_FACTS_LIVE_H
#define CUPEL_FACTS_LIVE_H

#include "facts/result.h"

enum { LIVE_POINTS = 64, LIVE_PARTS = 6, LIVE_CHANGES = 4, LIVE_SHARES = 4 };

struct live_part {
    char name[32];
    double used; /* share of what it lets through, over the measured rounds; NaN: unknown */
};

struct live {
    char target[128], workload[120];
    double seconds;                            /* measured so far */
    size_t points;                             /* of the next three, equal parts of these seconds */
    double rate[LIVE_POINTS];                  /* I/Os per second; NaN: a gap, as in the next two */
    double p50[LIVE_POINTS], p99[LIVE_POINTS]; /* response time, ns */
    double quantile[LIVE_SHARES];              /* p50, p90, p99, p99.9 of all so far, ns; NaN */
    double rate_now, bytes_now;                /* of the last moments, per second */
    double in_flight;                          /* requests on average, in the last moments */
    unsigned slots;                            /* that there may be at most */
    double backlog;                            /* due and not issued yet; NaN: none has due times */
    char phase[16];                            /* flat, warmup, ..; "": not judged yet */
    double stable_begin, stable_end;           /* seconds */
    double changes[LIVE_CHANGES];              /* seconds; the last ones of change_count */
    size_t changes_kept, change_count;
    struct live_part parts[LIVE_PARTS];
    size_t part_count;
    const struct result_clause *clauses; /* as judged last */
    size_t clause_count;
};

#endif
