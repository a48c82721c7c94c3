/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts due requests, and those of them that were never issued. Nothing else counts them:
 * percentiles, clauses, sweeps, comparisons and merges take their numbers from here.
 *
 * A request that was due and never issued has no response time. It still counts as a request,
 * which is later than everything measured. Pure, any thread.
 */
#ifndef CUPEL_RUN_RESULT_NEVER_ISSUED_H
#define CUPEL_RUN_RESULT_NEVER_ISSUED_H

#include <stdbool.h>
#include <stddef.h>

#include "run/record/contents.h"
#include "source/generator/phases.h"

/* Above this share of never issued requests, the mean of the others is not the mean of all, and the
   report says so. */
#define DUE_NOTED_SHARE 0.01
/* Above this share, response times are those of a backlog: a stall at the end of a round leaves a
   smaller share. */
#define DUE_BACKLOG_SHARE 0.1

struct due_requests {
    double due;          /* requests that completed, failed or were never issued */
    double never_issued; /* 0 if requests have no due times */
    bool at_least;       /* true: there may be more due requests than were counted */
};

/* Returns the counts over all measured rounds. */
struct due_requests due_requests_of(const struct contents *c);

/* Returns the share of all due requests that corresponds to the share `of` of completed ones; a
   result above 1 lies among the requests that were never issued. */
double due_share_of_completed(const struct due_requests *d, double of);

/* Returns true if response times are those of a backlog that grows as long as requests are due. */
bool due_is_backlog(const struct contents *c);

/* Returns text such as "324k of 400k requests that were due were never issued". */
const char *due_words(const struct due_requests *d, char *to, size_t size);

/*
 * Returns the number of requests in the whole backlog. A source can count only its oldest part,
 * `known`. If the rate is known, the remaining number is computed: the requests that have been due
 * since the oldest one was, late_ns before at_seconds.
 */
double due_backlog(const struct plan *plan, const struct phases *phases, double known,
                   double at_seconds, double late_ns);

#endif
