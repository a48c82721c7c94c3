/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a running session for display on a full screen (--live): a plain copy of a few
 * numbers, which the collecting thread makes a few times a second. It allocates nothing.
 */
#ifndef CUPEL_FACTS_LIVE_VALUES_H
#define CUPEL_FACTS_LIVE_VALUES_H

#include "facts/result.h"

enum { LIVE_POINTS = 64, LIVE_PARTS = 6, LIVE_CHANGES = 4, LIVE_SHARES = 4 };

struct live_part {
    char name[32];
    /* utilisation: used share of its capacity over the measured rounds; NaN: not known */
    double used;
};

struct live {
    char target[128], workload[120];
    double seconds; /* measured so far */
    /* number of points in the next three arrays, each an equal part of `seconds` */
    size_t points;
    /* I/Os per second; NaN in this array, p50 and p99 marks a gap */
    double rate[LIVE_POINTS];
    double p50[LIVE_POINTS], p99[LIVE_POINTS]; /* response time, ns */
    /* p50, p90, p99, p99.9 of all I/Os so far, ns; NaN: not known */
    double quantile[LIVE_SHARES];
    double rate_now, bytes_now; /* I/Os and bytes per second over the last moments */
    /* mean number of I/Os in flight over the last moments */
    double in_flight;
    unsigned slots; /* maximum number of I/Os in flight */
    /* requests that are due but not issued yet; NaN: requests have no due times */
    double backlog;
    char phase[16];                  /* "flat", "warmup", ...; "": not judged yet */
    double stable_begin, stable_end; /* seconds */
    /* [changes_kept], times of the last changes of level, in seconds; change_count counts all */
    double changes[LIVE_CHANGES];
    size_t changes_kept, change_count;
    struct live_part parts[LIVE_PARTS];
    size_t part_count;
    const struct result_clause *clauses; /* clauses of --sla with their latest verdicts */
    size_t clause_count;
};

#endif
