/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/result share. */
#ifndef CUPEL_RUN_RESULT_INTERNAL_H
#define CUPEL_RUN_RESULT_INTERNAL_H

#include "facts/clause.h"
#include "run/record/contents.h"
#include "run/result/session_judgement.h"
#include "stat/estimate/limit_verdict.h"

/* ---- latency.c ---- */

/*
 * Latencies of the stable segment: the percentile rows of a result, and its histograms.
 *
 * The stretches whose middle lies in the stable segment are added up; the differences of their
 * shares of slow I/Os decide how many independent samples they are worth
 * (stat/estimate/percentile.h).
 */

/* Add an interval's histogram to a whole one; its sum is not known. */
void latency_add_interval(struct histogram *to, const struct interval_histogram *from);

/* Latencies of stretches [begin, end), of one operation or of both (JUDGED_ALL). */
struct latency_source {
    const struct measurement *measurement;
    size_t begin, end;
    int op;
    enum clause_time time; /* others than CLAUSE_RESPONSE: of requests with due times */
};

void latency_total(const struct latency_source *from, struct histogram *total);
/* As struct percentile_intervals wants it; `source` is a struct latency_source. */
void latency_counts_above(const void *source, double ns, double above[], double count[]);
double latency_seconds(const struct latency_source *from);

/* Of requests with due times, service times (from issue to completion) as well. */
void latency_rows(struct contents *c, const struct judged *j, struct result *r);

/* ---- latency_weights.c ---- */

/* Latencies of a period, each with the fraction of its life that lies in it. */
struct latency_weights {
    double count[HISTOGRAM_BUCKETS + 1]; /* the last one: over */
    double total, min, max;              /* min and max are infinite and 0 while it is empty */
};

/* Of the period of that number; `first` is the first one of the history that is not before it. */
void latency_weights_of(struct latency_weights *w, const struct latency_history *h, int op,
                        size_t first, uint64_t number);

/* The inverse of the cumulative weights, linear inside the bucket; what the bucket can hold. Need a
   total above 0. */
double latency_weights_quantile(const struct latency_weights *w, double share);
void latency_weights_bounds(const struct latency_weights *w, double share, double *least,
                            double *greatest);

/* ---- latency_periods.c ---- */

/* Percentiles over time. Uses c->periods and c->scratch. */
void latency_periods(struct contents *c, struct result *r);

/* ---- period_verdict.c ---- */

/* A clause about intervals of the wall clock; alpha: the chance of a wrong verdict that it may
   have. Uses c->scratch. */
void judge_periods(struct contents *c, const struct judged *j, const struct clause *clause,
                   double alpha, struct result_clause *to);
/* By the readings in groups [begin, end). */
struct limit_verdict period_verdict(const struct clause_periods *p, size_t begin, size_t end,
                                    double confidence, double alpha, struct arena *scratch);

/* ---- stalls.c ---- */

/* The slowest requests, those that waited together, and the machine at that moment; after the
   timeline, the events and the totals. */
void summary_add_slowest(struct result *r, const struct contents *c);

/* ---- priority_rows.c ---- */

/* Latencies of each kind of request in the stable segment, and what a priority changes. Uses
   c->scratch. */
void priority_rows(struct contents *c, const struct judged *j, struct result *r);

/* ---- due_requests.c ---- */

/* What was due and never issued is in no reading: a row and a note beside them, after timing_rows.
 */
void due_rows(const struct contents *c, struct result *r);

/* ---- timing_rows.c ---- */

/*
 * The rows of requests with due times: how well they were issued at their instants, how long they
 * took from there, and whether the target kept up.
 */

/* Rows, series, the histogram of issue errors and phases. Uses c->timing_series. */
void timing_rows(struct contents *c, const struct judged *j, struct result *r);

#endif
