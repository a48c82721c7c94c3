/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a program's rounds: the sections of the text, and its index over the rounds. */
#include "report/exec/internal.h"
#include "report/html/chart.h"
#include "report/html/html.h"

static void add_rounds(const void *context, size_t number, struct text *out)
{
    const struct execution *x = context;
    const struct plot plot = execution_plot(x->indices);
    if (number == 0)
        chart_series(out, &plot, x->indices->name, x->indices->name, 0, CHART_WHOLE, NULL, 0);
}

void execution_print_html(const struct execution *x, const struct report_style *style,
                          struct text *out)
{
    struct text marked = html_marked();
    (void)style;
    html_begin(out, x->command, "");
    execution_print_text(x, &html_style, &marked);
    html_add_report(out, &marked, add_rounds, x);
    html_end(out);
}
