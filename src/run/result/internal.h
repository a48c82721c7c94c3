/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/result share. */
#ifndef CUPEL_RUN_RESULT_INTERNAL_H
#define CUPEL_RUN_RESULT_INTERNAL_H

#include "facts/clause.h"
#include "run/record/contents.h"
#include "run/result/session_judgement.h"
#include "stat/estimate/limit_verdict.h"

/* ---- latency_percentiles.c ---- */

/*
 * Latencies of the stable segment: the percentile rows and the histograms of a result.
 *
 * The stretches of time whose middle is in the stable segment are added up. The differences
 * between their shares of slow I/Os determine the number of independent samples
 * (stat/estimate/percentile.h).
 */

/* Adds an interval's histogram to the histogram of a longer time, whose sum is unknown from then
   on. */
void latency_add_interval(struct histogram *to, const struct interval_histogram *from);

/* Selects the latencies of the measurement in its stretches of time [begin, end), for one operation
   or for all operations that move data (JUDGED_ALL). */
struct latency_source {
    const struct measurement *measurement;
    size_t begin, end;
    int op;
    enum clause_time time; /* times other than CLAUSE_RESPONSE exist only for requests with due
                              times */
    bool remembers;        /* the response times have long memory (percentile.h) */
};

void latency_total(const struct latency_source *from, struct histogram *total);
/* A function for struct percentile_intervals; `source` is a struct latency_source. */
void latency_counts_above(const void *source, double ns, double above[], double count[]);
double latency_seconds(const struct latency_source *from);

/* Adds the percentile rows; for requests with due times also those of service times (from issue to
   completion). */
void latency_rows(struct contents *c, const struct judged *j, struct result *r);

/* ---- latency_periods.c ---- */

/* Adds percentiles over time. Uses c->periods and c->scratch. */
void latency_periods(struct contents *c, struct result *r);

/* ---- clause_period_verdict.c ---- */

/* Judges a clause about intervals of the wall clock. `alpha` is the allowed probability of a wrong
   verdict. Uses c->scratch. */
void judge_periods(struct contents *c, const struct judged *j, const struct clause *clause,
                   double alpha, struct result_clause *to);
/* Returns the verdict from the readings in groups [begin, end). */
struct limit_verdict period_verdict(const struct clause_periods *p, size_t begin, size_t end,
                                    double confidence, double alpha, struct arena *scratch);

/* ---- slowest_requests.c ---- */

/* Adds the slowest requests, groups of those that waited together, and the state of the machine at
   those times. Call it after the timeline, the events and the totals were added. */
void summary_add_slowest(struct result *r, const struct contents *c);

/* ---- priority_rows.c ---- */

/* Adds latencies of each kind of request in the stable segment, and the effect of a priority. Uses
   c->scratch. */
void priority_rows(struct contents *c, const struct judged *j, struct result *r);

/* ---- never_issued.c ---- */

/* Adds a row and a note about requests that were due and never issued, which no reading contains.
   Call it after timing_rows. */
void due_rows(const struct contents *c, struct result *r);

/* ---- timing_rows.c ---- */

/* The rows of requests with due times: how punctually they were issued, their response times, and
   whether the target kept up. */

/* Adds rows, series, the histogram of issue errors, and phases. Uses c->timing_series. */
void timing_rows(struct contents *c, const struct judged *j, struct result *r);

/* ---- headline_level.c ---- */

/* Stores in `r` what may be claimed of the level. Sets the verdict if the level is the reason why
   the width was not reached. */
void level_take_claim(const struct contents *c, struct judged *j, struct result *r);
/* Writes what prevents the headline from being precise, apart from the limit of the session; "":
   nothing does. Returns `to`. */
const char *level_note(const struct result *r, char *to, size_t size);
/* Warns of a slow shift of the headline, and notes a movement of it that repeats itself. */
void level_add_movement(struct result *r, const struct judged *j);

#endif
