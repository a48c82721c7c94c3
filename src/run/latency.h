/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latencies of the stable segment: the percentile rows of a result, and its histograms.
 *
 * The stretches whose middle lies in the stable segment are added up; how much the share of slow
 * I/Os differs from stretch to stretch tells what the sample is worth (stat/percentile.h).
 */
#ifndef CUPEL_RUN_LATENCY_H
#define CUPEL_RUN_LATENCY_H

#include "run/contents.h"
#include "run/judged.h"

/* Add an interval's histogram to a whole one; its sum is not known. */
void latency_add_interval(struct histogram *to, const struct interval_histogram *from);

/* Of requests with due times, service times (from issue to completion) as well. */
void latency_rows(struct contents *c, const struct judged *j, struct result *r);

#endif
