/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/result share. */
#ifndef CUPEL_RUN_RESULT_INTERNAL_H
#define CUPEL_RUN_RESULT_INTERNAL_H

#include "run/file/contents.h"
#include "run/result/session_judgement.h"

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

/* Of requests with due times, service times (from issue to completion) as well. */
void latency_rows(struct contents *c, const struct judged *j, struct result *r);

/* ---- timing_rows.c ---- */

/*
 * The rows of requests with due times: how well they were issued at their instants, how long they
 * took from there, and whether the target kept up.
 */

/* Rows, series, the histogram of issue errors and phases. Uses c->timing_series. */
void timing_rows(struct contents *c, const struct judged *j, struct result *r);

#endif
