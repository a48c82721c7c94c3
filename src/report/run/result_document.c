/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the report of a run, a replay or a merge: its sections in the order of a page, or of the
   whole text. first_screen.c prints the text of one screen. */
#include <string.h>

#include "report/run/formats.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

typedef void section(const struct result *r, struct document *out);

static void section_warnings(const struct result *r, struct document *out)
{
    section_notes(r, true, out);
}

static void section_remarks(const struct result *r, struct document *out)
{
    section_notes(r, false, out);
}

static section *const whole[] = {section_rates_answer,
                                 section_rates_table,
                                 section_rates_curve,
                                 section_rates_heading,
                                 section_clauses,
                                 section_verdict,
                                 section_prediction_check,
                                 section_read_back,
                                 section_system,
                                 section_differences,
                                 section_on_time,
                                 section_priority_answer,
                                 section_bottlenecks,
                                 section_stalled,
                                 section_warnings,
                                 section_sessions,
                                 section_averages,
                                 section_metrics,
                                 section_predictions,
                                 section_service,
                                 section_phases,
                                 section_latency,
                                 section_priorities,
                                 section_groups,
                                 section_series,
                                 section_percentiles,
                                 section_histograms,
                                 section_issue_error,
                                 section_fidelity,
                                 section_slowest,
                                 section_kernel_log,
                                 section_path,
                                 section_state,
                                 section_method,
                                 section_remarks,
                                 section_hardware,
                                 NULL};

/* What a page shows first: the result, and what to do about it. The figures follow, then the
   numbers and the machine. */
static section *const page_verdict[] = {
    section_rates_answer,     section_clauses,         section_verdict,
    section_prediction_check, section_read_back,       section_advice,
    section_system,           section_differences,     section_on_time,
    section_bottlenecks,      section_stalled,         section_warnings,
    section_averages,         section_priority_answer, NULL};
static section *const page_numbers[] = {section_issue_error,
                                        section_fidelity,
                                        section_rates_table,
                                        section_rates_heading,
                                        section_sessions,
                                        section_metrics,
                                        section_predictions,
                                        section_service,
                                        section_phases,
                                        section_latency,
                                        section_priorities,
                                        section_groups,
                                        NULL};
static section *const page_machine[] = {
    section_slowest, section_kernel_log, section_path,     section_state,
    section_method,  section_remarks,    section_hardware, NULL};

/* The figures of a page, between the verdict and the numbers. */
static const struct figure page_figures[] = {
    {.page = figures_of_numbers},
    {.page = figures_of_sessions},
    {.page = figures_of_groups},
    {.page = figures_over_time, .title = "Over time"},
    {.page = figures_of_state, .title = "The machine meanwhile"},
    {.page = figures_of_latency, .title = "Distribution"},
};

static void add_sections(const struct result *r, section *const sections[], struct document *out)
{
    for (; *sections; sections++)
        (*sections)(r, out);
}

void result_sections(const struct result *r, struct document *out)
{
    add_sections(r, whole, out);
}

static void result_document(const void *what, struct document *out)
{
    const struct result *r = what;
    document_title(out, r->target);
    if (!out->style.full) {
        document_figure(out, (struct figure){.text = screen_draw, .context = r});
        return;
    }
    if (!out->style.page) {
        result_sections(r, out);
        return;
    }
    add_sections(r, page_verdict, out);
    document_part(out);
    for (size_t i = 0; i < sizeof page_figures / sizeof *page_figures; i++) {
        struct figure figure = page_figures[i];
        figure.context = r;
        document_figure(out, figure);
    }
    add_sections(r, page_numbers, out);
    add_sections(r, page_machine, out);
}

const struct report_kind result_report = {result_document, result_csv, result_json,
                                          result_fio_json};
