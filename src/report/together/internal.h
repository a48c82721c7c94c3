/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the text and the page of several targets. */
#ifndef CUPEL_REPORT_TOGETHER_INTERNAL_H
#define CUPEL_REPORT_TOGETHER_INTERNAL_H

#include "report/path/shared_graph.h"
#include "report/together/targets.h"

/* Returns the row of reads and writes together; with one kind only there may be no such sum. NULL:
   it was not measured. */
const struct result_row *targets_row(const struct result *r, enum metric_id metric);

/* The columns of the tables: IOPS, throughput, p50, p99. */
enum { TARGETS_METRICS = 4 };
extern const enum metric_id targets_metrics[TARGETS_METRICS];

/* Returns the title of the first column: "IOPS", or "a second" when no target's requests move
   bytes. */
const char *targets_rate_title(const struct result_targets *t);

/* Returns a target's own ending: "SLA failed", "SLA open" or the verdict's name; and how grave it
   is. */
const char *targets_verdict_words(const struct result *r);
enum tone targets_verdict_tone(const struct result *r);
bool targets_is_bad(const struct result *r); /* failed or damaged */

/* targets_verdict.c: adds paragraphs: the worst verdict and what to do; warnings, each with its
   target's name; the parts that several targets share. */
enum { TARGETS_WARNINGS_SHOWN = 2 }; /* on one screen */
void targets_add_verdict(const struct result_targets *t, struct document *out);
void targets_add_warnings(const struct result_targets *t, struct document *out);
void targets_add_shared(const struct result_targets *t, struct document *out);

/* Returns the graph of the targets and of every part, except the machine itself, that data of two
   or more of them go through. The caller frees it; NULL: there is no memory. */
struct shared_graph *targets_graph(const struct result_targets *t);

/* Do data of several targets go through a part? */
bool targets_share(const struct result_targets *t, struct document *out);

/* targets_text.c: adds what the text shows. */
void targets_text(const struct result_targets *t, struct document *out);

#endif
