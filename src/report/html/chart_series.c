/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the chart of one series: slices over time, or readings in their order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/html/chart.h"
#include "report/layout/number.h"

#define CUTS_MAX 64

void chart_series(struct text *out, const struct plot *p, const char *title, const char *name,
                  double end, enum chart_shape shape, const struct chart_mark marks[],
                  size_t mark_count)
{
    const bool of_time = p->slice_seconds > 0;
    const double step = of_time ? p->slice_seconds : 1;
    struct chart_mark all[2 * CUTS_MAX];
    size_t count = 0;
    char words[NUMBER_BUFFER + 16], slice[NUMBER_BUFFER];
    double *x = calloc(p->count + 1, sizeof *x);
    out->failed |= !x;
    if (!x)
        return;
    for (size_t i = 0; i < p->count; i++)
        x[i] = of_time ? ((double)i + 0.5) * step : (double)(i + 1);
    for (size_t i = 0; i < p->changepoint_count && i < CUTS_MAX; i++)
        all[count++] =
            (struct chart_mark){(double)p->changepoints[i] * step, i ? NULL : "change of level"};
    for (size_t i = 0; i < mark_count && count < 2 * CUTS_MAX; i++)
        all[count++] = marks[i];
    snprintf(words, sizeof words, "in slices of %s", number_seconds(slice, sizeof slice, step));
    struct chart chart = {.title = title,
                          .words = of_time ? words : NULL,
                          .x_label = of_time ? "measured time" : "reading",
                          .x_kind = of_time ? METRIC_KIND_SECONDS : METRIC_KIND_NUMBER,
                          .y_kind = of_time ? p->kind : METRIC_KIND_NUMBER,
                          .x = x,
                          .count = p->count,
                          .shape = shape,
                          .x_end = fmax(end, (double)p->count * step),
                          .lines = {{.name = name, .y = p->values}},
                          .line_count = 1,
                          .counted_begin = (double)p->stable_begin * step,
                          .counted_end = (double)p->stable_end * step,
                          .marks = all,
                          .mark_count = count};
    chart_add(out, &chart);
    free(x);
}
