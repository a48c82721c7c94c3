/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a run's text report, and the fields of their tables. result_document.c has their
   order. */
#ifndef CUPEL_REPORT_RUN_SECTIONS_H
#define CUPEL_REPORT_RUN_SECTIONS_H

#include <stdbool.h>

#include "report/document/document.h"
#include "report/layout/phase.h"

/* Draws the report that fits on a screen of 24 lines. `what` is the result. In first_screen.c. */
void screen_draw(const void *what, size_t number, const struct report_style *style,
                 struct text *out);
/* Prints the first warnings, each cut to its first lines, and the number of the others. */
void screen_warnings(const struct result *r, struct document *out);

/* Prints the one thing to do about the result. In advice.c. */
void section_advice(const struct result *r, struct document *out);

/* Print the number; the workload; and both, with the decision and the part of the series that the
   number is computed from. Unless style->full, the number is printed without what may have changed
   it. In verdict.c. */
void section_number(const struct result *r, struct document *out);
void section_workload(const struct result *r, struct document *out);
const struct result_row *elapsed_row(const struct result *r); /* NULL: not known */
void section_verdict(const struct result *r, struct document *out);

/* Print the prediction for the next session: as a sentence for the headline, and as a table for all
   metrics. If nothing is predicted, only the full report says why. In next_session_prediction.c. */
void section_repetition(const struct result *r, struct document *out);
void section_predictions(const struct result *r, struct document *out);

/* Prints whether predictions held: "Repeated: inside the 16.9k to 19.6k that the session before
   predicted; of the last 20 predictions for this disk 19 held". Prints nothing without a history.
   In past_predictions.c. */
void section_prediction_check(const struct result *r, struct document *out);

/* Prints whether written data were read back: "DATA VERIFIED: 12.3 GiB written read back as
   written". Prints nothing without --verify. In verify_section.c. */
void section_read_back(const struct result *r, struct document *out);

/* Print the verdict on the SLA, and every clause of --sla and --precise. Print nothing without
   clauses. In clauses.c. */
void clauses_print(const struct result_clause clauses[], size_t count, double confidence,
                   struct document *out);
void section_clauses(const struct result *r, struct document *out);
/* Returns the row that a clause is about, or NULL if no row has an interval for it, as for service
   times and for percentiles that are not in the table of latencies. */
const struct result_row *clause_row(const struct result *r, const struct clause *c);
/* Adds the values of --precise other than the headline: ", read p99 163 us (+-4.6 %), BPS 352k (+-2
   %)". */
void clauses_add_numbers(const struct result *r, const struct result_row *headline,
                         struct text *out);

/* Print a search for a rate: the answer; the clause's value at each rate as a table and as a
   plot; and the heading of the following report on one probe. Print nothing without a search. In
   find_rate.c. */
void section_rates_answer(const struct result *r, struct document *out);
void section_rates_table(const struct result *r, struct document *out);
void section_rates_curve(const struct result *r, struct document *out);
void section_rates_heading(const struct result *r, struct document *out);

/* Print a result over several sessions: what the interval means; why it is not decided; how
   sessions differ; each session in a line. Print nothing for a single session. In
   repeated_sessions.c. */
void repeat_add_promise(const struct result *r, struct text *out);
void repeat_add_lack(const struct result *r, struct text *out);
void section_differences(const struct result *r, struct document *out);
void section_sessions(const struct result *r, struct document *out);

/* Print a result merged from many sources: as sentences, when they measured and how exact their
   clocks are; the percentiles of all I/Os; how wrong averages of percentiles would be; and the
   hosts (or jobs, ...) side by side. Print nothing for a single session. In merge_section.c. */
void merged_add_sources(const struct result *r, struct text *out);
void section_system(const struct result *r, struct document *out);
void section_averages(const struct result *r, struct document *out);
void section_groups(const struct result *r, struct document *out);

/* Print the saturated parts other than the disks under test, the busiest first. The first two
   functions add "cpu1 was saturated 40 % of the time" and "97 % of its processor time". In
   bottlenecks.c. */
void bottleneck_add_saturation(const struct result_part *part, struct text *out);
void bottleneck_add_use(const struct result_part *part, struct text *out);
void section_bottlenecks(const struct result *r, struct document *out);

/* Prints either the warnings or the other notes, one paragraph for each. In text_plots.c. */
void section_notes(const struct result *r, bool warnings, struct document *out);

/* Prints the table of the main metrics; section_latency prints latency percentiles. In
   metric_table.c. */
void section_metrics(const struct result *r, struct document *out);
/* Add the titles of a table of metrics, one row, and all rows of an operation's latencies. */
void metric_titles(struct document *out);
void metric_print(const struct result *r, const struct result_row *row, struct document *out);
void latency_print(const struct result *r, const char *op, struct document *out);
void section_latency(const struct result *r, struct document *out);

/* Print, for requests with due times: whether they were issued on time, in words; response times
   and service times; the issue error; and the phases. Print nothing for other requests. In
   due_times.c. */
void section_on_time(const struct result *r, struct document *out);
void section_service(const struct result *r, struct document *out);
void section_issue_error(const struct result *r, struct document *out);
void section_phases(const struct result *r, struct document *out);

/* Returns true if many requests were issued late. timing_completed returns the row of the rate of
   completed requests of all operations, or NULL. timing_add_saturation adds how far the target did
   not keep up: "12.3k of 20k requests per second; the backlog grew by 7.7k per second; ...". In
   due_times.c. */
bool timing_is_late(const struct result *r);
const struct result_row *timing_completed(const struct result *r);
void timing_add_saturation(const struct result *r, struct text *out);

/* Print the effect of priorities, as a sentence for each comparison, and the latencies of each kind
   of request. Print nothing if all requests have the same priority. In priorities.c. */
void section_priority_answer(const struct result *r, struct document *out);
void section_priorities(const struct result *r, struct document *out);

/* Prints a trace and its replay side by side, in numbers and plots. In fidelity.c. */
void section_fidelity(const struct result *r, struct document *out);

/* Print the headline's series over time, and the latency histograms. In text_plots.c. */
void series_print(const struct result *r, size_t lines,
                  struct document *out); /* at least PLOT_AXIS_LINES + 2 lines */
void section_series(const struct result *r, struct document *out);
void section_histograms(const struct result *r, struct document *out);
void histogram_draw(const void *what, size_t number, const struct report_style *style,
                    struct text *out); /* draws histograms[number] */

/* Prints p50 and p99 of each operation over time. Prints nothing if there are only a few intervals.
   In percentiles_over_time.c. */
void section_percentiles(const struct result *r, struct document *out);

/* Print the longest stall in a line; the kernel's messages; and the slowest requests one by one,
   which of them waited together, and the machine's state at that time. In slowest_requests.c and
   kernel_log.c. */
void section_stalled(const struct result *r, struct document *out);
void section_kernel_log(const struct result *r, struct document *out);
void section_slowest(const struct result *r, struct document *out);

/* Prints what was watched over time, and changes of the machine's state. In machine_timeline.c. */
void section_state(const struct result *r, struct document *out);

/* Print the data path in numbers; how the result was measured; and on which hardware. In
   how_measured.c. */
void section_path(const struct result *r, struct document *out);
void section_method(const struct result *r, struct document *out);
/* Returns true if the number may depend on this node. `context` is the result. */
bool section_is_concerned(const void *context, const struct inventory *v, int node);
void section_hardware(const struct result *r, struct document *out);

/* Returns the series of the headline, or the first series if none has its name, or NULL. */
const struct result_series *headline_series(const struct result *r);

/* Fills in `view` for the headline's series. Returns false if there is no series. */
bool headline_phase(const struct result *r, struct phase_view *view);

/* The functions of level_claim.c add what may be claimed of the headline's level. level_add_price
   adds how long the requested precision would take: "; +-5 % would take about 9 h". */
void level_add_price(const struct result *r, struct text *out);
/* For a headline whose level does not hold: adds its mean, and the range of the means of its
   tenths. */
void level_add_stretch(const struct result *r, const struct result_row *row, struct text *out);
/* Adds the reason for the verdict BEST_POSSIBLE or UNSETTLED, or for a verdict about the level. */
void level_add_reason(const struct result *r, struct text *out);
/* Adds what a reader can do about one of these verdicts. */
void level_add_advice(const struct result *r, struct text *out);

/* The fields of the sections' tables, for CSV and JSON. */
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
