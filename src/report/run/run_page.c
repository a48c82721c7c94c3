/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a run, a replay or a merge: the sections of the text, with figures instead of
   plots. */
#include <math.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/path/path.h"
#include "report/run/formats.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

typedef void section(const struct result *r, const struct report_style *style, struct text *out);

/* Adds sections; `figure` adds the figures at their places. */
static void add_sections(const struct result *r, section *const sections[], html_figure *figure,
                         struct text *out)
{
    struct text marked = html_marked();
    for (; *sections; sections++)
        (*sections)(r, &html_style, &marked);
    html_add_marked(out, &marked, figure, r);
}

static void add_path(const void *context, size_t number, struct text *out)
{
    const struct path_view path = path_of_result(context);
    if (number == 0)
        path_draw(&path, out);
}

static void add_figures(const char *title, void (*figures)(const struct result *, struct text *),
                        const struct result *r, struct text *out)
{
    struct text own = {0};
    figures(r, &own);
    if (own.length > 0)
        text_addf(out, "<section>\n<h2>%s</h2>\n%s</section>\n", title, own.data);
    out->failed |= own.failed;
    text_free(&own);
}

static void section_warnings(const struct result *r, const struct report_style *style,
                             struct text *out)
{
    section_notes(r, true, style, out);
}

static void section_remarks(const struct result *r, const struct report_style *style,
                            struct text *out)
{
    section_notes(r, false, style, out);
}

/* The first screen: the result, and what to do about it. */
static section *const verdict[] = {section_rates_answer,    section_clauses,
                                   section_verdict,         section_read_back,
                                   section_advice,          section_system,
                                   section_differences,     section_on_time,
                                   section_bottlenecks,     section_stalled,
                                   section_warnings,        section_averages,
                                   section_priority_answer, NULL};
static section *const numbers[] = {section_rates_table, section_rates_heading,
                                   section_sessions,    section_metrics,
                                   section_service,     section_phases,
                                   section_latency,     section_priorities,
                                   section_groups,      NULL};
static section *const lateness[] = {section_issue_error, NULL};
static section *const fidelity[] = {section_fidelity, NULL};
static section *const machine[] = {
    section_slowest, section_kernel_log, section_path,     section_state,
    section_method,  section_remarks,    section_hardware, NULL};

void html_print(const struct result *r, const struct report_style *style, struct text *out)
{
    (void)style;
    html_begin(out, r->target, "");
    text_add(out, "<div class=\"verdict\">\n");
    add_sections(r, verdict, NULL, out);
    text_add(out, "</div>\n");
    figures_of_numbers(r, out);
    figures_of_sessions(r, out);
    figures_of_groups(r, out);
    add_figures("Over time", figures_over_time, r, out);
    add_figures("The machine meanwhile", figures_of_state, r, out);
    add_figures("Distribution", figures_of_latency, r, out);
    add_sections(r, lateness, figure_of_lateness, out);
    add_sections(r, fidelity, figure_of_fidelity, out);
    add_sections(r, numbers, NULL, out);
    add_sections(r, machine, add_path, out);
    html_end(out);
}

static void add_readings(const void *context, size_t number, struct text *out)
{
    const struct plot plot = analysis_plot(context);
    if (number == 0)
        chart_series(out, &plot, "The readings in their order", "readings", 0, CHART_WHOLE, NULL,
                     0);
}

void html_print_analysis(const struct analysis *a, const struct report_style *style,
                         struct text *out)
{
    struct text marked = html_marked();
    (void)style;
    html_begin(out, strcmp(a->source, "-") ? a->source : "standard input", "");
    text_print_analysis(a, &html_style, &marked);
    html_add_report(out, &marked, add_readings, a);
    html_end(out);
}
