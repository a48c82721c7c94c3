/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The judgement of a whole session: the pipeline of stat/judge.h over the rate of I/O, whose stable
 * segment then holds for every other metric as well. Where the rate is given (requests with due
 * times) it says nothing: the mean response time of each slice is judged instead. What is measured
 * in one pass (phases, a trace) is not judged: its segment is the whole, and it has no intervals.
 *
 * Throughput readings are equal time slices. The mean response time and BPS are ratios of sums over
 * the same slices, because every I/O counts once, whatever slice it completed in.
 */
#ifndef CUPEL_RUN_RESULT_SESSION_JUDGEMENT_H
#define CUPEL_RUN_RESULT_SESSION_JUDGEMENT_H

#include "base/arena.h"
#include "facts/exposition.h"
#include "facts/live.h"
#include "run/record/contents.h"
#include "stat/judge.h"

/* Index of all operations that move data together. */
enum { JUDGED_ALL = OPERATION_ALL, JUDGED_OPS };

struct judged {
    struct judgement headline; /* of IOPS, or of the response time; all operations */
    bool any;                  /* there is at least one slice */
    struct estimate iops[JUDGED_OPS];
    struct estimate bandwidth[JUDGED_OPS];
    struct estimate response_time[JUDGED_OPS]; /* n = 0 where the operation did not occur */
    struct estimate bps;                       /* blocks per second of busy time */
    bool enough;                               /* every index the user asked about is precise */
    double required_slices;                    /* expected, those at hand included */
    size_t still_slices; /* of a stretch in which nothing completed, which was not taken as stable:
                            the stable segment is then the whole series */
    double slice_seconds;
};

/* Judge all slices so far. Uses c->series and c->scratch. */
void judge_session(struct contents *c, struct judged *out);

/* Only the judgement of the headline and `enough`, for progress and for the stop rule. */
void judge_headline(struct contents *c, struct judged *out);

/* The stretches [*begin, *end) whose middle lies in the stable segment. */
void judged_stretches(const struct contents *c, const struct judged *j, size_t *begin, size_t *end);

/* Bandwidth over the limit of the data path in that direction (IO_READ, IO_WRITE); NaN: there is
   none that is known. Above WATCH_REFUTED the limit is none. */
struct estimate judged_efficiency(const struct judged *j, const struct watch *watch, int op);

/* How long a pass took: phases their whole length, though nothing may fall due at their end. */
double judged_pass_seconds(const struct contents *c);

/* Does the operation occur in this plan? */
bool judged_op_used(const struct plan *plan, int op);

/*
 * Judge every clause of the plan (--sla, then --precise), or those of c->judged_by, by what
 * judge_session found; `to` has room
 * for 2 * CLAUSES_MAX. The chance that any clause of --sla is ever decided wrongly, however often
 * this is called while a session goes on, is one minus the plan's confidence. True: all are decided
 * (a width: reached). Uses c->latency, c->series and c->scratch.
 */
bool judge_clauses(struct contents *c, const struct judged *j, struct result_clause to[],
                   size_t *count);

/*
 * live.c: for a full screen, all but the clauses, from the measurement so far and the last
 * judgement. `latencies`: those over time as well, which takes about a millisecond; otherwise they
 * stay. Allocates nothing; uses c->latency.
 */
void live_of_contents(struct contents *c, const struct judged *j, bool latencies, struct live *to);

/* What was measured so far, by operation; the strings are constant. Returns how many there are. The
   contents' histograms are scratch. */
size_t exposed_of_contents(struct contents *c, struct exposed_op ops[IO_OPS]);

/*
 * The result of a session, computed from its finished contents: `cupel run` and `cupel report` have
 * the same, because a session file holds all of them.
 */

/*
 * Judge everything that was measured into *judged, and fill *result, which points into both and
 * into `arena` (the rows of a replay beside its trace).
 */
void summary_of_contents(struct contents *contents, struct judged *judged, struct arena *arena,
                         struct result *result);

/* Rows of issue errors (how long after their due instants requests were issued), and of service
   times (from issue to completion), out of whole histograms. `mean`: NaN, not known. */
void result_add_issue_errors(struct result *r, const struct histogram *h);
void result_add_service(struct result *r, const char *op, const struct histogram *h, double mean);

#endif
