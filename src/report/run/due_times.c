/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints, for requests with due times, whether they were issued on time, how long they took from
   their due time and from their issue, and whether the target kept up. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

enum { NAME_WIDTH = 14, VALUE_WIDTH = 16, ARM_WIDTH = 10 };

/* Requests are issued on time if this share of them is within the bound. */
#define ON_TIME_SHARE 0.95

/* If all slots are in use for more than this share of the time, the target made requests late. */
#define WAITED_SHARE 0.01

static const struct result_row *row_with_value(const struct result *r, enum metric_id metric,
                                               const char *op)
{
    const struct result_row *row = result_find(r, metric, op);
    return row && !isnan(row->value) ? row : NULL;
}

static const char *add_metric(char to[NUMBER_BUFFER], const struct result_row *row)
{
    return number_value(to, NUMBER_BUFFER, metric_of(row->metric)->kind, row->value);
}

/* ---- in words ---- */

static const struct {
    enum metric_id metric;
    const char *words;
} bounds[] = {{METRIC_ISSUED_1US, "1 us"},
              {METRIC_ISSUED_10US, "10 us"},
              {METRIC_ISSUED_50US, "50 us"},
              {METRIC_ISSUED_100US, "100 us"},
              {METRIC_ISSUED_1MS, "1 ms"}};
enum { BOUNDS = sizeof bounds / sizeof *bounds, ON_TIME = 1, ABOUT_ON_TIME = 3 };

static void add_extremes(const struct result *r, struct text *out)
{
    static const struct {
        enum metric_id metric;
        const char *words;
    } rows[] = {{METRIC_ISSUE_ERROR_P50, "median"},
                {METRIC_ISSUE_ERROR_P99, "p99"},
                {METRIC_ISSUE_ERROR_MAX, "worst"}};
    char value[NUMBER_BUFFER];
    const char *before = " (";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct result_row *row = row_with_value(r, rows[i].metric, "all");
        if (!row)
            continue;
        text_addf(out, "%s%s %s", before, rows[i].words, add_metric(value, row));
        before = ", ";
    }
    text_add(out, before[0] == ',' ? ")." : ".");
}

static void add_rate_asked(const struct result_phase *phase, struct text *out)
{
    char value[NUMBER_BUFFER];
    text_add(out, number_value(value, sizeof value, METRIC_KIND_COUNT_RATE, phase->rate_begin));
    if (phase->rate_begin != phase->rate_end)
        text_addf(out, "-%s",
                  number_value(value, sizeof value, METRIC_KIND_COUNT_RATE, phase->rate_end));
}

/* Adds the phases in which the target did not keep up: "in phase 2 of 4 (5k-50k requests per second
   from 10.0 s on) and 1 more." Returns false if there are none. */
static bool add_phases(const struct result *r, struct text *out)
{
    char begin[NUMBER_BUFFER];
    size_t count = 0;
    for (size_t i = 0; i < r->phase_count; i++) {
        if (r->phases[i].kept_up || count++ > 0)
            continue;
        text_addf(out, "in phase %zu of %zu (", i + 1, r->phase_count);
        add_rate_asked(&r->phases[i], out);
        text_addf(out, " requests per second from %s on)",
                  number_seconds(begin, sizeof begin, r->phases[i].begin_seconds));
    }
    if (count > 1)
        text_addf(out, " and %zu more", count - 1);
    text_add(out, count > 0 ? "." : "");
    return count > 0;
}

static bool is_phase_behind(const struct result *r)
{
    for (size_t i = 0; i < r->phase_count; i++)
        if (!r->phases[i].kept_up)
            return true;
    return false;
}

/* Returns true if requests were late because of the target, not because of the issuing program. */
static bool is_target_late(const struct result *r)
{
    return r->saturated || is_phase_behind(r) || r->waited_share > WAITED_SHARE;
}

/* Adds how late the target made requests, except what print_saturation of verdict.c prints. */
static void add_target(const struct result *r, struct text *out)
{
    char share[NUMBER_BUFFER];
    if (r->waited_share > WAITED_SHARE)
        text_addf(out, " For %s of the time requests were due and every slot was in use.",
                  number_share(share, sizeof share, r->waited_share));
    else if (!is_target_late(r) && row_with_value(r, METRIC_RATE_ASKED, "all"))
        text_add(out, " The target kept up.");
    if (!r->saturated && is_phase_behind(r)) {
        text_add(out, " The target did not keep up ");
        add_phases(r, out);
    }
}

void section_on_time(const struct result *r, struct document *out)
{
    const struct result_row *first = row_with_value(r, bounds[ON_TIME].metric, "all");
    if (!first)
        return;
    struct text words = {0};
    char share[NUMBER_BUFFER], requests[NUMBER_BUFFER];
    /* Finds the smallest bound that nearly all requests keep, beginning with the bound for "on
       time". */
    size_t kept = ON_TIME;
    const struct result_row *further = first;
    while (kept < BOUNDS - 1 && !(further && further->value >= ON_TIME_SHARE))
        further = row_with_value(r, bounds[++kept].metric, "all");
    bool late = kept > ABOUT_ON_TIME, of_target = late && is_target_late(r);
    text_addf(&words, "%s%s of %s requests within %s of their instant",
              of_target ? "because the target was: " : "",
              number_share(share, sizeof share, first->value),
              number_count(requests, sizeof requests, (double)first->n), bounds[ON_TIME].words);
    if (kept > ON_TIME && further)
        text_addf(&words, ", %s within %s", number_share(share, sizeof share, further->value),
                  bounds[kept].words);
    add_extremes(r, &words);
    add_target(r, &words);
    document_paragraph_from(out,
                            kept == ON_TIME ? "Issued on time: "
                            : of_target     ? "Issued late "
                            : late          ? "ISSUED LATE: "
                                            : "Issued about on time: ",
                            late && !of_target ? TONE_YELLOW : TONE_PLAIN, &words);
}

const struct result_row *timing_completed(const struct result *r)
{
    const struct result_row *row = row_with_value(r, METRIC_IOPS, "all");
    return row ? row : row_with_value(r, METRIC_IOPS, r->headline_op);
}

void timing_add_saturation(const struct result *r, struct text *out)
{
    if (add_phases(r, out))
        return;
    const struct result_row *completed = timing_completed(r),
                            *asked = row_with_value(r, METRIC_RATE_ASKED, "all"),
                            *backlog = row_with_value(r, METRIC_BACKLOG, "all"),
                            *growth = row_with_value(r, METRIC_BACKLOG_GROWTH, "all");
    char value[NUMBER_BUFFER];
    text_addf(out, "%s", completed ? add_metric(value, completed) : "none");
    if (asked)
        text_addf(out, " of %s", add_metric(value, asked));
    text_add(out, " requests per second");
    if (growth && growth->value > 0)
        text_addf(out, "; the backlog grew by %s per second", add_metric(value, growth));
    if (backlog && backlog->value > 0)
        text_addf(out, "; %s were left at the end%s%s%s", add_metric(value, backlog),
                  backlog->note[0] ? " (" : "", backlog->note, backlog->note[0] ? ")" : "");
    text_add(out, ".");
}

/* ---- tables ---- */

bool timing_is_late(const struct result *r)
{
    const struct result_row *row = row_with_value(r, bounds[ABOUT_ON_TIME].metric, "all");
    return row && !(row->value >= ON_TIME_SHARE);
}

static void timing_add_cell(const struct result_row *row, struct document *out)
{
    char cell[NUMBER_BUFFER];
    document_right(out, row ? add_metric(cell, row) : "-", VALUE_WIDTH);
    bool has_arm = row && isfinite(row->low) && isfinite(row->high);
    document_right(
        out, has_arm ? number_arm_signed(cell, sizeof cell, row->value, row->low, row->high) : "",
        ARM_WIDTH);
}

void section_service(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {{"", -(2 + NAME_WIDTH)},
                                                  {"since it was due", VALUE_WIDTH},
                                                  {"+-", ARM_WIDTH},
                                                  {"since its issue", VALUE_WIDTH},
                                                  {"+-", ARM_WIDTH}};
    static const struct {
        enum metric_id response, service;
        const char *words;
    } rows[] = {{METRIC_RESPONSE_TIME, METRIC_SERVICE_TIME, "mean"},
                {METRIC_LATENCY_P50, METRIC_SERVICE_P50, "p50"},
                {METRIC_LATENCY_P99, METRIC_SERVICE_P99, "p99"},
                {METRIC_LATENCY_P999, METRIC_SERVICE_P999, "p99.9"},
                {METRIC_LATENCY_MAX, METRIC_SERVICE_MAX, "max"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    if (!r->timed || r->row_count == 0)
        return;
    document_heading(out, "Response and service time");
    document_titles(out, titles, sizeof titles / sizeof *titles);
    /* If there is only one operation, its service times may be under "all". */
    bool alone = !result_find(r, METRIC_RESPONSE_TIME, "all");
    for (size_t i = 0; i < r->row_count * ROWS; i++) {
        const struct result_row *mean = &r->rows[i / ROWS];
        if (mean->metric != METRIC_RESPONSE_TIME)
            continue;
        const struct result_row *response = row_with_value(r, rows[i % ROWS].response, mean->op);
        const struct result_row *service = row_with_value(r, rows[i % ROWS].service, mean->op);
        if (!service && alone)
            service = row_with_value(r, rows[i % ROWS].service, "all");
        char name[24];
        if (!response && !service)
            continue;
        snprintf(name, sizeof name, "%-6s%s", mean->op, rows[i % ROWS].words);
        document_add(out, "  ");
        document_left(out, name, NAME_WIDTH);
        timing_add_cell(response, out);
        timing_add_cell(service, out);
        document_end_row(out);
    }
    document_paragraph(out, "  ", TONE_PLAIN,
                       "Since it was due: what a user waits, who asks at that instant whether the "
                       "target is ready or not. Since its issue: what the target needs.");
}

static void draw_issue_error(const void *what, size_t number, const struct report_style *style,
                             struct text *out)
{
    const struct result *r = what;
    (void)number;
    plot_cdf(&(struct plot_distribution){&r->issue_error, 1}, &(struct plot_distribution){0}, style,
             out);
}

static void chart_lateness(const void *context, size_t number, struct text *out)
{
    const struct result *r = context;
    const struct distribution d = {"requests", &r->issue_error, 1};
    (void)number;
    distributions_chart("Issue error", "lateness of the issue", &d, 1, out);
}

void section_issue_error(const struct result *r, struct document *out)
{
    char share[NUMBER_BUFFER];
    struct text words = {0};
    if (!r->has_issue_error)
        return;
    document_heading(out, "Issue error (lateness of the issue): share of requests at most so late");
    for (size_t i = 0; i < BOUNDS; i++) {
        const struct result_row *row = row_with_value(r, bounds[i].metric, "all");
        if (!row)
            continue;
        text_addf(&words, "%s%s %s", words.length > 0 ? ", " : "", bounds[i].words,
                  number_share(share, sizeof share, row->value));
    }
    if (words.length > 0)
        document_paragraph(out, "  within ", TONE_PLAIN, layout_string(&words));
    if (is_target_late(r))
        document_paragraph(out, "  ", TONE_PLAIN, "The wait for the target is part of it.");
    out->failed = out->failed || words.failed;
    text_free(&words);
    document_figure(
        out, (struct figure){.text = draw_issue_error, .page = chart_lateness, .context = r});
}

/* ---- phases ---- */

static void phase_asked(const void *phase, struct text *words)
{
    add_rate_asked(phase, words);
}

static void phase_kept_up(const void *phase, struct text *words)
{
    text_add(words, ((const struct result_phase *)phase)->kept_up ? "yes" : "NO");
}

/* clang-format off */
const struct field phase_fields[] = {
    FIELD_SHOWN(result_phase, begin_seconds, "begin_s", "begin_seconds", "from", -11, SECONDS),
    FIELD_ALL(result_phase, seconds, "length", -11, SECONDS),
    FIELD_CELL(phase_asked, "asked", 11),
    FIELD_BOTH(result_phase, rate_begin),
    FIELD_BOTH(result_phase, rate_end),
    FIELD_ALL(result_phase, iops, "completed", 10, COUNT_RATE),
    FIELD_ALL(result_phase, response_time_ns, "response", 9, TIME),
    FIELD_ALL(result_phase, service_time_ns, "service", 9, TIME),
    FIELD_ALL(result_phase, backlog, "backlog", 8, COUNT_RATE),
    FIELD_BOTH(result_phase, kept_up),
    FIELD_CELL(phase_kept_up, "kept up", 8),
    FIELD_LAST,
};
/* clang-format on */

void section_phases(const struct result *r, struct document *out)
{
    if (r->phase_count == 0)
        return;
    document_heading(out, "Phases, in requests per second");
    document_records(out, phase_fields, r->phases, r->phase_count, sizeof *r->phases);
    const struct result_row *limit = row_with_value(r, METRIC_SATURATION, "all");
    if (!limit)
        return;
    struct text words = {0};
    char rate[NUMBER_BUFFER];
    text_addf(&words,
              "Saturation: the target completed %s requests per second while it was behind.",
              add_metric(rate, limit));
    document_paragraph_from(out, "  ", TONE_PLAIN, &words);
}
