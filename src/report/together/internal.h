/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text and the page of several targets share. */
#ifndef CUPEL_REPORT_TOGETHER_INTERNAL_H
#define CUPEL_REPORT_TOGETHER_INTERNAL_H

#include "report/path/shared_graph.h"
#include "report/together/targets.h"

/* Reads and writes together; of one kind only there may be no sum. NULL: it was not measured. */
const struct result_row *targets_row(const struct result *r, enum metric_id metric);

/* The columns of the tables: IOPS, throughput, p50, p99. */
enum { TARGETS_METRICS = 4 };
extern const enum metric_id targets_metrics[TARGETS_METRICS];

/* Of the first column: "IOPS", or "a second" where no target's requests move bytes. */
const char *targets_rate_title(const struct result_targets *t);

/* Its own end: "SLA failed", "SLA open" or the verdict's name; and how grave that is. */
const char *targets_verdict_words(const struct result *r);
enum tone targets_verdict_tone(const struct result *r);
bool targets_is_bad(const struct result *r); /* failed or damaged */

/* Paragraphs: the worst of all verdicts and what to do; warnings, each with its target's name; the
   parts that several share. */
void targets_add_verdict(const struct result_targets *t, const struct report_style *style,
                         struct text *out);
void targets_add_warnings(const struct result_targets *t, const struct report_style *style,
                          struct text *out);
void targets_add_shared(const struct result_targets *t, const struct report_style *style,
                        struct text *out);

/* The devices of a trace that were replayed on the target, with tabs between (plan.trace_devices);
   NULL: no part of a trace was. And who has which, as a paragraph. */
const char *targets_devices_of(const struct result *r);
void targets_add_devices(const struct result_targets *t, const struct report_style *style,
                         struct text *out);

/* The targets and every part that data of two or more of them go through, the machine itself apart.
   The caller frees it; NULL: there is no memory. */
struct shared_graph *targets_graph(const struct result_targets *t);

#endif
