/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a sweep: the text, and a figure of the most variable configurations. */
#include <math.h>
#include <stdio.h>

#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/sweep/sweep.h"

enum { SHOWN = 24, WORDS = 120 };

/* Finds the configurations that vary most in a response, the most variable first; returns their
   number. */
static size_t most_variable(const struct sweep_result *r, size_t response, size_t to[SHOWN])
{
    const struct sweep_cell *cells = &r->cells[response];
    size_t count = 0;
    for (size_t i = 0; i < r->number_count; i++) {
        double spread = sweep_spread(&cells[i * r->response_count]);
        size_t at = count;
        if (isnan(spread))
            continue;
        for (; at > 0 && sweep_spread(&cells[to[at - 1] * r->response_count]) < spread; at--)
            if (at < SHOWN)
                to[at] = to[at - 1];
        if (at < SHOWN)
            to[at] = i;
        count += count < SHOWN;
    }
    return count;
}

static void add_variability(const struct sweep_result *r, size_t response, struct text *out)
{
    struct chart_row rows[SHOWN];
    char names[SHOWN][WORDS], title[120];
    size_t configurations[SHOWN], count = most_variable(r, response, configurations);
    for (size_t i = 0; i < count; i++) {
        const struct sweep_cell *c = &r->cells[configurations[i] * r->response_count + response];
        const double spread = sweep_spread(c), size = fabs(c->mean);
        rows[i] =
            (struct chart_row){.name = sweep_words(r, configurations[i], names[i], sizeof names[i]),
                               .low = isfinite(c->sd_low) ? c->sd_low / size : spread,
                               .value = spread,
                               .high = isfinite(c->sd_high) ? c->sd_high / size : spread};
    }
    snprintf(title, sizeof title, "Variability of %.60s", r->responses[response].name);
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "SD over mean with its interval, the "
                                                      "largest first",
                                             .kind = METRIC_KIND_SHARE,
                                             .log = true,
                                             .rows = rows,
                                             .count = count});
}

void sweep_print_html(const struct sweep_result *r, const struct report_style *style,
                      struct text *out)
{
    struct text marked = html_marked();
    (void)style;
    html_begin(out, r->source, "");
    sweep_print_text(r, &html_style, &marked);
    html_add_report(out, &marked, NULL, NULL);
    for (size_t k = 0; k < r->response_count; k++)
        add_variability(r, k, out);
    html_end(out);
}
