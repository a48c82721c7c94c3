/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prometheus' text exposition format 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/), for the textfile collector of
 * node_exporter. Units are seconds, bytes and I/Os. Counters and histograms never decrease while
 * one merge is followed.
 */
#ifndef CUPEL_REPORT_PROMETHEUS_PROMETHEUS_H
#define CUPEL_REPORT_PROMETHEUS_PROMETHEUS_H

#include "base/text.h"
#include "facts/prometheus_exposition.h"

/* The first bytes of each file in this format that cupel writes. */
#define PROMETHEUS_MARK "# HELP cupel_"

void prometheus_print(const struct exposition *x, struct text *out);

#endif
