/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the files that `-o DIR` makes from a result. */
#include <math.h>
#include <string.h>

#include "facts/merged.h"
#include "report/inventory/inventory.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* ---- files ---- */

static const struct report_style plain = {.full = true, .width = 80};

static void render_report(const struct result *r, struct text *out)
{
    report_print(&result_report, r, "text", &plain, out);
}

static void render_page(const struct result *r, struct text *out)
{
    report_print(&result_report, r, "html", &plain, out);
}

static void render_summary(const struct result *r, struct text *out)
{
    result_csv(r, out);
}

/* Writes each probe of a search for a rate. */
static void render_rates(const struct result *r, struct text *out)
{
    if (r->rates)
        csv_add_lines(out, NULL, probe_fields, r->rates->probes, r->rates->count,
                      sizeof *r->rates->probes);
}

/* Writes each metric of each session. */
static void render_sessions(const struct result *r, struct text *out)
{
    if (!r->repeat)
        return;
    csv_add_names(out, session_fields);
    csv_add_names(out, metric_row_fields);
    text_add(out, "\n");
    for (size_t i = 0; i < r->repeat->session_count; i++) {
        const struct result_session *s = &r->repeat->sessions[i];
        for (size_t k = 0; k < s->row_count; k++) {
            csv_add_fields(out, session_fields, s);
            csv_add_fields(out, metric_row_fields, &s->rows[k]);
            text_add(out, "\n");
        }
    }
}

static void render_rounds(const struct result *r, struct text *out)
{
    csv_add_lines(out, "round", round_fields, r->rounds, r->round_count, sizeof *r->rounds);
}

static void add_reading(struct text *out, size_t round, enum metric_id metric, double value)
{
    text_addf(out, "%zu,%s,all", round, metric_of(metric)->name);
    csv_add_field(out, value);
    text_add(out, "\n");
}

/* Writes the readings of each round. Trial rounds have none: they only determine the size of later
   rounds. */
static void render_readings(const struct result *r, struct text *out)
{
    text_add(out, "round,metric,op,value\n");
    for (size_t i = 0; i < r->round_count; i++) {
        const struct result_round *round = &r->rounds[i];
        if (round->trial)
            continue;
        add_reading(out, i, METRIC_IOPS, round->iops);
        add_reading(out, i, METRIC_BANDWIDTH, round->bandwidth);
        add_reading(out, i, METRIC_RESPONSE_TIME, round->response_time_ns);
    }
}

static void render_unit_readings(const struct result *r, struct text *out)
{
    const struct result_series *headline = headline_series(r);
    size_t count = 0;
    text_add(out, "time_s");
    for (size_t s = 0; s < r->series_count; s++) {
        text_add(out, ",");
        text_add_csv(out, r->series[s].name);
        count = r->series[s].count > count ? r->series[s].count : count;
    }
    for (size_t s = 0; s < r->original_count; s++)
        text_addf(out, ",original_%s", r->original[s].name);
    text_add(out, ",stable\n");
    for (size_t i = 0; headline && i < count; i++) {
        text_addf(out, "%.12g", (double)i * headline->slice_seconds);
        for (size_t s = 0; s < r->series_count; s++)
            csv_add_field(out, i < r->series[s].count ? r->series[s].values[i] : NAN);
        for (size_t s = 0; s < r->original_count; s++)
            csv_add_field(out, i < r->original[s].count ? r->original[s].values[i] : NAN);
        text_addf(out, ",%d\n", i >= headline->stable_begin && i < headline->stable_end);
    }
}

static void add_histogram(struct text *out, const char *before,
                          const struct result_histogram *histogram)
{
    for (size_t i = 0; i < histogram->count; i++) {
        if (histogram->counts[i] == 0)
            continue;
        text_addf(out, "%s%s", before, histogram->op);
        csv_add_field(out, histogram->edges[i]);
        csv_add_field(out, histogram->edges[i + 1]);
        text_addf(out, ",%llu\n", (unsigned long long)histogram->counts[i]);
    }
}

static const char histogram_columns[] = "op,low_ns,high_ns,count\n";

/* Writes the histograms, for a replay also those of its trace as "original read". */
static void render_histogram(const struct result *r, struct text *out)
{
    text_add(out, histogram_columns);
    for (size_t h = 0; h < r->histogram_count; h++)
        add_histogram(out, "", &r->histograms[h]);
    for (size_t h = 0; h < r->original_histogram_count; h++)
        add_histogram(out, "original ", &r->original_histograms[h]);
}

static void render_issue_error(const struct result *r, struct text *out)
{
    if (!r->has_issue_error)
        return;
    text_add(out, histogram_columns);
    add_histogram(out, "", &r->issue_error);
}

static void render_phases(const struct result *r, struct text *out)
{
    if (r->phase_count > 0)
        csv_add_lines(out, "phase", phase_fields, r->phases, r->phase_count, sizeof *r->phases);
}

static void render_fidelity(const struct result *r, struct text *out)
{
    if (r->fidelity_count > 0)
        csv_add_lines(out, NULL, fidelity_fields, r->fidelity, r->fidelity_count,
                      sizeof *r->fidelity);
}

static void render_groups(const struct result *r, struct text *out)
{
    if (r->merged)
        csv_add_lines(out, NULL, group_fields, r->merged->groups, r->merged->group_count,
                      sizeof *r->merged->groups);
}

static void render_percentiles(const struct result *r, struct text *out)
{
    if (r->period_count > 0)
        csv_add_lines(out, NULL, period_fields, r->periods, r->period_count, sizeof *r->periods);
}

static void render_priorities(const struct result *r, struct text *out)
{
    if (r->priority_count > 0)
        csv_add_lines(out, NULL, priority_fields, r->priorities, r->priority_count,
                      sizeof *r->priorities);
}

static void render_clauses(const struct result *r, struct text *out)
{
    if (r->clause_count > 0)
        csv_add_lines(out, NULL, clause_fields, r->clauses, r->clause_count, sizeof *r->clauses);
}

static void render_events(const struct result *r, struct text *out)
{
    csv_add_lines(out, NULL, event_fields, r->events, r->event_count, sizeof *r->events);
}

static void render_kernel_log(const struct result *r, struct text *out)
{
    if (r->kernel_log.state[0])
        csv_add_lines(out, NULL, kernel_line_fields, r->kernel_log.lines, r->kernel_log.count,
                      sizeof *r->kernel_log.lines);
}

static void render_slowest(const struct result *r, struct text *out)
{
    if (r->slow_count > 0)
        csv_add_lines(out, "number", slow_fields, r->slow, r->slow_count, sizeof *r->slow);
}

static void render_hardware(const struct result *r, struct text *out)
{
    const struct inventory_view view = {.inventory = r->hardware};
    inventory_csv(&view, out);
}

static void add_part(const struct path_view *p, const struct result_part *part, int above,
                     struct text *out)
{
    text_add_csv(out, part->name);
    text_addf(out, ",%s,", node_kind_name(part->kind));
    text_add_csv(out, above < 0 ? "" : p->parts[above].name);
    text_addf(out, ",%d,%d,%d,%u", part->on_path, part->under_test, part->bottleneck, part->depth);
    csv_add_field(out, part->limit_read);
    csv_add_field(out, part->limit_write);
    csv_add_field(out, part->used_read);
    csv_add_field(out, part->used_write);
    csv_add_field(out, part->utilisation);
    csv_add_field(out, part->peak);
    text_add(out, ",");
    text_add_csv(out, part->measure);
    csv_add_field(out, part->saturated);
    text_add(out, "\n");
}

/* Writes a row for each edge, with the values of the part nearer to the processor. The target has a
   row without an edge, and so have parts that were watched beside the path. */
static void render_data_path(const struct result *r, struct text *out)
{
    struct path_view p = path_of_result(r);
    text_add(out, "part,kind,from,on_path,under_test,bottleneck,depth,limit_read,limit_write,"
                  "used_read,used_write,utilisation,peak,measure,saturated\n");
    for (size_t i = 0; i < p.part_count; i++) {
        if (path_above(&p, i) < 0)
            add_part(&p, &p.parts[i], -1, out);
        for (size_t e = 0; e < p.edge_count; e++)
            if (p.edges[e].to == i)
                add_part(&p, &p.parts[i], (int)p.edges[e].from, out);
    }
}

static void render_timeline(const struct result *r, struct text *out)
{
    const struct result_timeline *t = &r->timeline;
    text_add(out, "begin_s,end_s,node,key,unit,low,mean,high,limit\n");
    for (size_t i = 0; i < t->count; i++) {
        for (size_t g = 0; g < t->gauge_count; g++) {
            const struct result_gauge *gauge = &t->gauges[g];
            csv_add_number(out, t->begin[i]);
            csv_add_field(out, t->end[i]);
            text_add(out, ",");
            text_add_csv(out, gauge->node);
            text_add(out, ",");
            text_add_csv(out, gauge->key);
            text_addf(out, ",%s", gauge->unit);
            csv_add_field(out, number_of_float(gauge->low[i]));
            csv_add_field(out, number_of_float(gauge->mean[i]));
            csv_add_field(out, number_of_float(gauge->high[i]));
            csv_add_field(out, gauge->limit);
            text_add(out, "\n");
        }
    }
}

const struct report_file report_files[] = {
    {"report.txt", render_report, false},
    {"report.html", render_page, false},
    {"summary.csv", render_summary, false},
    {"rates.csv", render_rates, false},
    {"sessions.csv", render_sessions, false},
    {"rounds.csv", render_rounds, true},
    {"readings.csv", render_readings, true},
    {"unit_readings.csv", render_unit_readings, true},
    {"histogram.csv", render_histogram, true},
    {"hardware.csv", render_hardware, false},
    {"data_path.csv", render_data_path, true},
    {"timeline.csv", render_timeline, true},
    {"events.csv", render_events, true},
    {"kernel_log.csv", render_kernel_log, true},
    {"worst.csv", render_slowest, true},
    {"issue_error.csv", render_issue_error, true},
    {"phases.csv", render_phases, true},
    {"fidelity.csv", render_fidelity, true},
    {"clauses.csv", render_clauses, true},
    {"percentiles.csv", render_percentiles, true},
    {"groups.csv", render_groups, true},
    {"priorities.csv", render_priorities, true},
    {NULL, NULL, false},
};
