/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the text and the page about several targets share. */
#ifndef CUPEL_REPORT_TOGETHER_INTERNAL_H
#define CUPEL_REPORT_TOGETHER_INTERNAL_H

#include "report/path/shared_graph.h"
#include "report/together/targets.h"

/* Returns the row for all operations together. If there is only one operation, such a row may be
   missing, and its own row is returned. Returns NULL if the metric was not measured. */
const struct result_row *targets_row(const struct result *r, enum metric_id metric);

/* The metrics that are columns of the tables: IOPS, throughput, p50, p99. */
enum { TARGETS_METRICS = 4 };
extern const enum metric_id targets_metrics[TARGETS_METRICS];

/* Returns the title of the first column: "IOPS", or "a second" if no target's requests move
   bytes. */
const char *targets_rate_title(const struct result_targets *t);

/* Return how a target ended ("SLA failed", "SLA open" or the verdict's name), and the tone that
   shows how severe that is. */
const char *targets_verdict_words(const struct result *r);
enum tone targets_verdict_tone(const struct result *r);
bool targets_is_bad(const struct result *r); /* true if the result failed or is damaged */

/* Add paragraphs: the worst verdict and what to do about it; warnings, each with the name of its
   target; and the parts that several targets share. In targets_verdict.c. */
enum { TARGETS_WARNINGS_SHOWN = 2 }; /* maximum on one screen */
void targets_add_verdict(const struct result_targets *t, struct document *out);
void targets_add_warnings(const struct result_targets *t, struct document *out);
void targets_add_shared(const struct result_targets *t, struct document *out);

/* Returns the graph of the targets and of each part, except the machine itself, that data of two or
   more targets go through. The caller frees it. Returns NULL when memory ran out. */
struct shared_graph *targets_graph(const struct result_targets *t);

/* Returns true if data of several targets go through a common part. */
bool targets_share(const struct result_targets *t, struct document *out);

/* Adds everything that the text shows. In targets_text.c. */
void targets_text(const struct result_targets *t, struct document *out);

#endif
