/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws box plots: several distributions below each other on one axis. */
#include <math.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

#define LEAD      8 /* columns left of the axis */
#define CELLS_MAX 192

struct axis {
    double low, high;
    size_t cells;
};

static size_t cell_of(const struct axis *a, double value)
{
    double span = a->high - a->low;
    double share = span > 0 ? (value - a->low) / span : 0.5;
    return (size_t)(share * (double)(a->cells - 1) + 0.5);
}

static void fill(char cells[], size_t begin, size_t end, char with)
{
    for (size_t i = begin; i <= end; i++)
        cells[i] = with;
}

/* Draws a box as |---[==M==]-----|, with M at the median and + at the mean. */
static void draw_box(const struct axis *a, const struct plot_box *b, struct text *out)
{
    char cells[CELLS_MAX + 1];
    size_t low = cell_of(a, b->min), high = cell_of(a, b->max);
    size_t left = cell_of(a, b->quartile1), right = cell_of(a, b->quartile3);
    memset(cells, ' ', a->cells);
    cells[a->cells] = '\0';
    fill(cells, low, high, '-');
    cells[low] = cells[high] = '|';
    fill(cells, left, right, '=');
    cells[left] = '[';
    cells[right] = ']';
    cells[cell_of(a, b->mean)] = '+';
    cells[cell_of(a, b->median)] = 'M';
    text_add(out, "  ");
    layout_left(out, b->name, LEAD - 2);
    text_add(out, cells);
    layout_end_line(out);
}

static char *format_end(char to[NUMBER_BUFFER], const enum metric_kind *kind, double value)
{
    return kind ? number_value(to, NUMBER_BUFFER, *kind, value)
                : number_plain(to, NUMBER_BUFFER, value);
}

void plot_boxes(const struct plot_box boxes[], size_t count, const enum metric_kind *kind,
                const struct report_style *style, struct text *out)
{
    struct axis a = {INFINITY, -INFINITY, layout_width(style) - LEAD};
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    a.cells = a.cells < CELLS_MAX ? a.cells : CELLS_MAX;
    for (size_t i = 0; i < count; i++) {
        a.low = fmin(a.low, boxes[i].min);
        a.high = fmax(a.high, boxes[i].max);
    }
    for (size_t i = 0; i < count; i++)
        draw_box(&a, &boxes[i], out);
    format_end(low, kind, a.low);
    format_end(high, kind, a.high);
    layout_left(out, "", LEAD);
    layout_left(out, low, a.cells - layout_length(high));
    text_addf(out, "%s\n", high);
    layout_paragraph(out, style, "        ", TONE_PLAIN,
                     "[ ] hold the middle half of the readings, M is the median, + the mean");
}
