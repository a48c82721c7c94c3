/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a recording: the sections of the text, with figures instead of plots. */
#include "report/html/html.h"
#include "report/recording/recording.h"
#include "report/run/run_figures.h"

/* Either figure may be missing: the text has a place for the course over time only with a
   headline. */
static void add_figure(const void *context, size_t number, struct text *out)
{
    const struct recording *a = context;
    struct text course = {0};
    figures_over_time(&a->result, &course);
    if (number == 0 && course.length)
        text_add(out, course.data);
    else
        figures_of_latency(&a->result, out);
    out->failed |= course.failed;
    text_free(&course);
}

void recording_print_html(const struct recording *a, const struct report_style *style,
                          struct text *out)
{
    struct text marked = html_marked();
    (void)style;
    html_begin(out, a->result.target, "");
    recording_print_text(a, &html_style, &marked);
    html_add_report(out, &marked, add_figure, a);
    html_end(out);
}
