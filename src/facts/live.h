/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A running session, for display on a full screen (--live): a plain copy of a few numbers, which
 * the collecting thread makes a few times a second. Nothing is allocated.
 */
#ifndef CUPEL_FACTS_LIVE_H
#define CUPEL_FACTS_LIVE_H

#include "facts/result.h"

enum { LIVE_POINTS = 64, LIVE_PARTS = 6, LIVE_CHANGES = 4, LIVE_SHARES = 4 };

struct live_part {
    char name[32];
    double used; /* the used share of what it lets through, over the measured rounds; NaN:
                    unknown */
};

struct live {
    char target[128], workload[120];
    double seconds;                            /* measured so far */
    size_t points;                             /* number of points in the next three arrays, which
                                                  split these seconds equally */
    double rate[LIVE_POINTS];                  /* I/Os per second; NaN: a gap, as in the next two */
    double p50[LIVE_POINTS], p99[LIVE_POINTS]; /* response time, ns */
    double quantile[LIVE_SHARES];              /* p50, p90, p99, p99.9 of all I/Os so far, ns; NaN:
                                                  unknown */
    double rate_now, bytes_now;                /* over the last moments, per second */
    double in_flight;                          /* average number of requests in flight over the last
                                                  moments */
    unsigned slots;                            /* the most requests that may be in flight */
    double backlog;                            /* requests that are due and not issued yet; NaN: no
                                                  request has a due time */
    char phase[16];                            /* flat, warmup, ..; "": not judged yet */
    double stable_begin, stable_end;           /* seconds */
    double changes[LIVE_CHANGES];              /* in seconds; the last ones of change_count */
    size_t changes_kept, change_count;
    struct live_part parts[LIVE_PARTS];
    size_t part_count;
    const struct result_clause *clauses; /* with their latest verdicts */
    size_t clause_count;
};

#endif
