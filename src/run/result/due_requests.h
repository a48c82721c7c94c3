/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests that fell due, and those of them that were never issued: the one place that counts them.
 * Percentiles, clauses, sweeps, comparisons and merges take their numbers from here.
 *
 * A request that was due and never issued has no response time. It is no request less, though: it
 * counts as later than everything measured. Pure, any thread.
 */
#ifndef CUPEL_RUN_RESULT_DUE_REQUESTS_H
#define CUPEL_RUN_RESULT_DUE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "generator/phases.h"
#include "run/record/contents.h"

/* With more of them than this share, a mean of the others is none of all, and the report says so.
 */
#define DUE_NOTED_SHARE 0.01
/* With more than this one, response times are those of a backlog: no stall at the end of a round
   leaves as many. */
#define DUE_BACKLOG_SHARE 0.1

struct due_requests {
    double due;          /* completed, failed and never issued */
    double never_issued; /* 0 where requests have no due times */
    bool at_least;       /* more may have been due */
};

/* Of all measured rounds. */
struct due_requests due_requests_of(const struct contents *c);

/* The share of all that were due which is the share `of` those that completed; above 1: it lies
   among those that were never issued. */
double due_share_of_completed(const struct due_requests *d, double of);

/* Are response times those of a backlog that lasts for as long as requests fall due? */
bool due_is_backlog(const struct contents *c);

/* "324k of 400k requests that were due were never issued". */
const char *due_words(const struct due_requests *d, char *to, size_t size);

/*
 * A source knows only the oldest part of a long backlog, `known`. Where the rate is known, so is
 * the rest: the requests that have been due since the oldest one was, late_ns before at_seconds.
 */
double due_backlog(const struct plan *plan, const struct phases *phases, double known,
                   double at_seconds, double late_ns);

#endif
