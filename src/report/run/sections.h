/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of the text report of a run, in the order in which result_document.c prints them,
   and the fields of their tables. */
#ifndef CUPEL_REPORT_RUN_SECTIONS_H
#define CUPEL_REPORT_RUN_SECTIONS_H

#include <stdbool.h>

#include "report/document/document.h"
#include "report/layout/phase.h"

/* screen.c: draws the report that fits on a screen of 24 lines; `what` is the result. */
void screen_draw(const void *what, size_t number, const struct report_style *style,
                 struct text *out);
/* Prints the first warnings, each cut to its first lines, and the number of further ones. */
void screen_warnings(const struct result *r, struct document *out);

/* advice.c: the one thing to do about the result. */
void section_advice(const struct result *r, struct document *out);

/* verdict.c: the number; the workload; both, with the decision and the part of the series it is of.
   Without style->full the number is printed alone, without what may have changed it. */
void section_number(const struct result *r, struct document *out);
void section_workload(const struct result *r, struct document *out);
const struct result_row *elapsed_row(const struct result *r); /* or NULL */
void section_verdict(const struct result *r, struct document *out);

/* repetition.c: the prediction of the next session, for the headline in a sentence and for each
   metric in a table. Nothing where nothing is predicted; the full report then says why. */
void section_repetition(const struct result *r, struct document *out);
void section_predictions(const struct result *r, struct document *out);

/* history.c: "Repeated: inside the 16.9k to 19.6k that the session before predicted; of the last 20
   predictions for this disk 19 held". Nothing without a history. */
void section_prediction_check(const struct result *r, struct document *out);

/* read_back.c: "DATA VERIFIED: 12.3 GiB written read back as written". Nothing without --verify. */
void section_read_back(const struct result *r, struct document *out);

/* clauses.c: the verdict on the SLA, and every clause of --sla and --precise. Nothing without
   clauses. */
void clauses_print(const struct result_clause clauses[], size_t count, double confidence,
                   struct document *out);
void section_clauses(const struct result *r, struct document *out);
/* Returns the row that a clause is about, or NULL: service times, and percentiles that are not in
   the table of latencies, have none with an interval. */
const struct result_row *clause_row(const struct result *r, const struct clause *c);
/* Adds the values of --precise besides the headline: ", read p99 163 us (+-4.6 %), BPS 352k (+-2
   %)". */
void clauses_add_numbers(const struct result *r, const struct result_row *headline,
                         struct text *out);

/* rates.c: for a search for a rate, the answer, and the clause's value against the rate as a table
   and a plot; then the heading of the following report, which is of one probe. Nothing without a
   search. */
void section_rates_answer(const struct result *r, struct document *out);
void section_rates_table(const struct result *r, struct document *out);
void section_rates_curve(const struct result *r, struct document *out);
void section_rates_heading(const struct result *r, struct document *out);

/* repeat.c: for several sessions, what the interval promises; why it is not decided; how sessions
   differ; each session in a line. Nothing for a single session. */
void repeat_add_promise(const struct result *r, struct text *out);
void repeat_add_lack(const struct result *r, struct text *out);
void section_differences(const struct result *r, struct document *out);
void section_sessions(const struct result *r, struct document *out);

/* merged.c: for many sources, as sentences, when they measured and how well they were timed; the
   percentiles of all I/Os; what averages of percentiles would say; the hosts (or jobs, ...) side by
   side. Nothing for a session. */
void merged_add_sources(const struct result *r, struct text *out);
void section_system(const struct result *r, struct document *out);
void section_averages(const struct result *r, struct document *out);
void section_groups(const struct result *r, struct document *out);

/* bottlenecks.c: the parts at their limit other than the disks under test, the busiest first. The
   first two add "cpu1 was saturated 40 % of the time" and "97 % of its processor time". */
void bottleneck_add_saturation(const struct result_part *part, struct text *out);
void bottleneck_add_use(const struct result_part *part, struct text *out);
void section_bottlenecks(const struct result *r, struct document *out);

/* plots.c: the warnings or the other notes, one paragraph each. */
void section_notes(const struct result *r, bool warnings, struct document *out);

/* metric_table.c: the main metrics; the latencies by percentile. */
void section_metrics(const struct result *r, struct document *out);
/* Adds the titles of a table of metrics; and its rows of an operation's latencies. */
void metric_titles(struct document *out);
void metric_print(const struct result *r, const struct result_row *row, struct document *out);
void latency_print(const struct result *r, const char *op, struct document *out);
void section_latency(const struct result *r, struct document *out);

/* timing.c: whether requests were issued on time, in words; response beside service times; the
   issue error; phases. Nothing for requests without due times. */
void section_on_time(const struct result *r, struct document *out);
void section_service(const struct result *r, struct document *out);
void section_issue_error(const struct result *r, struct document *out);
void section_phases(const struct result *r, struct document *out);

/* timing.c: the rate of completed requests of all operations, or NULL; and the requests that the
   target did not keep up with: "12.3k of 20k requests per second; the backlog grew by 7.7k per
   second; ...". */
bool timing_is_late(const struct result *r); /* many requests were not issued about on time */
const struct result_row *timing_completed(const struct result *r);
void timing_add_saturation(const struct result *r, struct text *out);

/* priorities.c: the effect of a priority, one sentence for each comparison; the latencies of each
   kind of request. Nothing when all have one priority. */
void section_priority_answer(const struct result *r, struct document *out);
void section_priorities(const struct result *r, struct document *out);

/* fidelity.c: a trace and its replay side by side, in figures and plots. */
void section_fidelity(const struct result *r, struct document *out);

/* plots.c: the headline's series over time; the latency histograms. */
void series_print(const struct result *r, size_t lines,
                  struct document *out); /* `lines`: at least PLOT_AXIS_LINES + 2 */
void section_series(const struct result *r, struct document *out);
void section_histograms(const struct result *r, struct document *out);
void histogram_draw(const void *what, size_t number, const struct report_style *style,
                    struct text *out); /* draws the histogram with that number */

/* percentiles.c: p50 and p99 over time, of each operation. Nothing for only a few intervals. */
void section_percentiles(const struct result *r, struct document *out);

/* slowest.c: the largest stall in a line; the slowest requests one by one, those of them that
   waited together, and the machine's state at that moment. */
void section_stalled(const struct result *r, struct document *out);
void section_kernel_log(const struct result *r, struct document *out);
void section_slowest(const struct result *r, struct document *out);

/* timeline.c: what was watched over time, and its changes. */
void section_state(const struct result *r, struct document *out);

/* context.c: the data path in figures; how the result was measured, and on which hardware. */
void section_path(const struct result *r, struct document *out);
void section_method(const struct result *r, struct document *out);
/* Does the number depend on this node? `context` is the result. */
bool section_is_concerned(const void *context, const struct inventory *v, int node);
void section_hardware(const struct result *r, struct document *out);

/* Returns the headline's series (the first one if none has its name), or NULL. */
const struct result_series *headline_series(const struct result *r);

/* Fills in the phase view of the headline's series; false when there is no series. */
bool headline_phase(const struct result *r, struct phase_view *view);

/* level.c: what may be claimed about the headline's level. Appends the time that the requested
   precision would take: "; +-5 % would take about 9 h". */
void level_add_price(const struct result *r, struct text *out);
/* Appends the mean of a stretch of time that has no level, and what was seen in it. */
void level_add_stretch(const struct result *r, const struct result_row *row, struct text *out);
/* Appends the reason for the verdict BEST_POSSIBLE or UNSETTLED, or for one about the level. */
void level_add_reason(const struct result *r, struct text *out);
/* Appends what a reader can do about that verdict. */
void level_add_advice(const struct result *r, struct text *out);

/* The fields of the tables of the sections, for CSV and JSON. */
extern const struct field metric_row_fields[];
extern const struct field session_fields[];
extern const struct field round_fields[];
extern const struct field phase_fields[];
extern const struct field fidelity_fields[];
extern const struct field slow_fields[];
extern const struct field kernel_line_fields[];
extern const struct field period_fields[];
extern const struct field priority_fields[];
extern const struct field probe_fields[];
extern const struct field group_fields[];

#endif
