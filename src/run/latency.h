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

void latency_rows(struct contents *c, const struct judged *j, struct result *r);

#endif
