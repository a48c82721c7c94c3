/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The judgement of a whole session: the pipeline of stat/judge.h is applied to the rate of I/O, and
 * its stable segment is used for all other metrics. If the rate is given (requests with due times),
 * it is not informative: the mean response time of each slice is judged instead. A single pass
 * (phases, a trace) is not judged: its segment is the whole, and it has no intervals.
 *
 * Throughput readings are equal time slices. The mean response time and BPS are ratios of sums over
 * the same slices, because every I/O counts once, in the slice in which it completed.
 */
#ifndef CUPEL_RUN_RESULT_SESSION_JUDGEMENT_H
#define CUPEL_RUN_RESULT_SESSION_JUDGEMENT_H

#include "base/arena.h"
#include "facts/live_values.h"
#include "facts/prometheus_exposition.h"
#include "run/record/contents.h"
#include "stat/judge.h"
#include "stat/level_seen.h"

/* Indices of the arrays below: an operation, or JUDGED_ALL for all operations that have bytes
   together. */
enum { JUDGED_ALL = OPERATION_ALL, JUDGED_OPS };

struct judged {
    struct judgement headline; /* IOPS or the response time, for all operations */
    bool any;                  /* there is at least one slice */
    /* The parts of these estimates (estimate.h) cover the time from the stable segment's begin to
       the end of the series. */
    struct estimate iops[JUDGED_OPS];
    struct estimate bandwidth[JUDGED_OPS];
    struct estimate response_time[JUDGED_OPS]; /* n = 0 if the operation did not occur */
    struct estimate bps;                       /* blocks per second of busy time */
    /* true: all metrics that the user requested are precise */
    bool enough;
    /* true: only the doubt about the level (judgement.doubt) prevents `enough` */
    bool held_back;
    double required_slices; /* expected total number of slices, including existing ones */
    /* number of slices in a segment in which nothing completed, and which was therefore not
       accepted as stable; the stable segment is then the whole series */
    size_t still_slices;
    double slice_seconds;
    /* claim about the headline's level; its needs are those of the estimate that needs the most
       slices */
    struct level_claim claim;
};

/* Judges all slices so far. Uses c->series and c->scratch. */
void judge_session(struct contents *c, struct judged *out);

/* Judges only the headline and `enough`, for progress and for the stop rule. */
void judge_headline(struct contents *c, struct judged *out);

/* Returns true if the estimates are the wider ones of a stop rule that has fired
   (stat/estimate/stop_rule.h). */
bool judged_is_widened(const struct judged *j);

/* Returns the number of slices that the session's limit has room for. */
double judged_limit_slices(const struct contents *c, const struct judged *j);

/* Sets the number of readings that the level claim needs to the number for the width of --precise
   that takes longest, or to the present number if all widths are reached. */
void judged_claim_widths(struct judged *j, const struct result_clause clauses[], size_t count);

/* Returns true if every width of --precise is reached, but the level moves or cycles, or it is
   undecided whether the level lasts (judgement.doubt). The session then goes on, like a session
   that ends by a single width. A level that wanders by less than the widths counts as one that
   lasts. */
bool judged_widths_wait(const struct judged *j, const struct result_clause clauses[], size_t count);

/* Finds the stretches of time [*begin, *end) of the measurement whose middle is in the stable
   segment. */
void judged_stretches(const struct contents *c, const struct judged *j, size_t *begin, size_t *end);

/* Returns the bandwidth divided by the limit of the data path in that direction (OPERATION_READ,
   OPERATION_WRITE); NaN: no limit is known. A value above WATCH_REFUTED means that the limit is
   wrong. */
struct estimate judged_efficiency(const struct judged *j, const struct watch *watch, int op);

/* Returns the duration of a pass. Phases count with their whole length, even if nothing is due at
   their end. */
double judged_pass_seconds(const struct contents *c);

/* Returns true if the operation occurs in this plan. */
bool judged_op_used(const struct plan *plan, int op);

/*
 * Judges every clause of the plan (--sla, then --precise), or of c->judged_by, by the result of
 * judge_session. `to` must have 2 * CLAUSES_MAX elements. The chance that any clause of --sla is
 * ever decided wrongly, however often this is called during a session, is one minus the plan's
 * confidence. Returns true if all are decided (a width: reached). Uses c->latency, c->series and
 * c->scratch.
 */
bool judge_clauses(struct contents *c, const struct judged *j, struct result_clause to[],
                   size_t *count);

/*
 * live_values.c: fills the data of a full screen, except the clauses, from the measurement so far
 * and the last judgement. With `latencies` it also fills the latencies over time, which takes about
 * a millisecond; otherwise they stay unchanged. Allocates nothing; uses c->latency.
 */
void live_of_contents(struct contents *c, const struct judged *j, bool latencies, struct live *to);

/* Fills one element of `ops` for each operation with what was measured so far; the strings are
   constants. Returns the number of operations. Overwrites the contents' histograms. */
size_t exposed_of_contents(struct contents *c, struct exposed_op ops[OPERATIONS]);

/* The result of a session, computed from its finished contents. `cupel run` and `cupel report` give
   the same result, because a session file holds all of the contents. */

/* Judges everything that was measured into *judged, and fills *result, which points into both and
   into `arena` (rows that compare a replay with its trace). */
void summary_of_contents(struct contents *contents, struct judged *judged, struct arena *arena,
                         struct result *result);

/* Add rows of issue errors (delays from due instant to issue), and of service times (from issue to
   completion), from the histograms of a whole measurement. `mean`: NaN if not known. */
void result_add_issue_errors(struct result *r, const struct histogram *h);
void result_add_service(struct result *r, const char *op, const struct histogram *h, double mean);

#endif
