/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a series over time as bars, with its stable part and change points on the axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum { ROWS_DEFAULT = 8, COLUMNS_MAX = PLOT_COLUMNS_MAX, GUTTER = 11, EIGHTHS = 8 };

/* Minimum span of the vertical axis as a share of the values, so that small noise is not
   magnified. */
#define MIN_SPAN 0.02

struct canvas {
    size_t columns;
    int rows;
    double level[COLUMNS_MAX]; /* mean of the column's slices; NaN: a gap */
    double bottom, top;        /* values at the lower and upper end of the axis */
};

static size_t column_begin(const struct plot *p, const struct canvas *c, size_t column)
{
    return (size_t)((double)column * (double)p->count / (double)c->columns);
}

static size_t column_of(const struct plot *p, const struct canvas *c, size_t position)
{
    size_t column = (size_t)((double)position * (double)c->columns / (double)p->count);
    return column < c->columns ? column : c->columns - 1;
}

double plot_mean(const double values[], size_t begin, size_t end)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        if (isfinite(values[i])) {
            sum += values[i];
            n++;
        }
    }
    return n > 0 && isfinite(sum) ? sum / (double)n : NAN;
}

size_t plot_columns(size_t width, size_t beside)
{
    const size_t usual = 60, max = width > 80 ? PLOT_COLUMNS_MAX : usual;
    return width - beside < max ? width - beside : max;
}

/* Prepares the canvas. Returns false if no reading is finite. */
static bool canvas_make(const struct plot *p, size_t width, struct canvas *c)
{
    double min = INFINITY, max = -INFINITY;
    c->rows = p->rows ? (int)p->rows : ROWS_DEFAULT;
    c->columns = plot_columns(width, GUTTER + 3);
    if (p->count < c->columns && p->count > 0)
        c->columns -= c->columns % p->count;
    for (size_t i = 0; i < c->columns; i++) {
        size_t begin = column_begin(p, c, i), end = column_begin(p, c, i + 1);
        c->level[i] =
            p->count == 0 ? NAN : plot_mean(p->values, begin, end > begin ? end : begin + 1);
        min = fmin(min, isnan(c->level[i]) ? min : c->level[i]);
        max = fmax(max, isnan(c->level[i]) ? max : c->level[i]);
    }
    if (min > max)
        return false;
    bool from_zero = min >= 0 && min < 0.5 * max;
    double room = fmax(max - min, MIN_SPAN * fmax(fabs(max), fabs(min)));
    room = room == 0 ? 1 : room;
    c->bottom = from_zero ? 0 : min - 0.25 * room;
    c->top = from_zero ? max : fmax(max, c->bottom + 1.25 * room);
    if (min >= 0 && c->bottom < 0)
        c->bottom = 0;
    return true;
}

const char *plot_cell(int eighths, bool unicode)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (eighths < 0)
        eighths = 0;
    if (eighths > EIGHTHS)
        eighths = EIGHTHS;
    if (unicode)
        return blocks[eighths];
    return eighths == 0 ? " " : eighths < 3 ? "." : eighths < 6 ? ":" : "#";
}

static void add_label(const struct plot *p, const struct canvas *c, double value, struct text *out)
{
    char label[NUMBER_BUFFER];
    struct number_scale scale = number_scale_plain(c->top, NAN, NAN);
    if (p->slice_seconds > 0)
        number_value(label, sizeof label, p->kind, value);
    else
        number_scaled(label, sizeof label, &scale, value);
    layout_right(out, label, GUTTER);
}

static void add_bars(const struct plot *p, const struct canvas *c, bool unicode, struct text *out)
{
    for (int row = c->rows - 1; row >= 0; row--) {
        size_t line_begin = out->length;
        if (row == c->rows - 1)
            add_label(p, c, c->top, out);
        else if (row == c->rows / 2 - 1)
            add_label(p, c, (c->top + c->bottom) / 2, out);
        else
            layout_right(out, "", GUTTER);
        text_add(out, unicode ? " │" : " |");
        for (size_t i = 0; i < c->columns; i++) {
            double height = (c->level[i] - c->bottom) / (c->top - c->bottom);
            int eighths = isnan(height) ? 0 : (int)lround(height * c->rows * EIGHTHS);
            if (eighths == 0 && height > 0)
                eighths = 1;
            text_add(out, plot_cell(eighths - row * EIGHTHS, unicode));
        }
        while (out->length > line_begin && out->data[out->length - 1] == ' ')
            out->data[--out->length] = '\0';
        text_add(out, "\n");
    }
}

static void add_axis(const struct plot *p, const struct canvas *c, bool unicode, struct text *out)
{
    add_label(p, c, c->bottom, out);
    text_add(out, unicode ? " └" : " +");
    for (size_t i = 0; i < c->columns; i++) {
        size_t begin = column_begin(p, c, i);
        bool stable = begin >= p->stable_begin && begin < p->stable_end;
        bool cut = false;
        for (size_t k = 0; k < p->changepoint_count && p->count > 0; k++)
            cut = cut || column_of(p, c, p->changepoints[k]) == i;
        if (cut)
            text_add(out, unicode ? "┃" : "|");
        else if (stable)
            text_add(out, unicode ? "━" : "=");
        else
            text_add(out, unicode ? "╌" : "-");
    }
    text_add(out, "\n");
}

/* Puts `label` on the line, centred at `column`, unless it would touch another label. */
static void place_label(char *line, size_t width, size_t column, const char *label)
{
    size_t length = strlen(label);
    if (length > width)
        return;
    size_t at = column > length / 2 ? column - length / 2 : 0;
    if (at + length > width)
        at = width - length;
    for (size_t i = at > 1 ? at - 2 : 0; i < at + length + 2 && i < width; i++)
        if (line[i] != ' ')
            return;
    for (size_t i = 0; i < length; i++)
        line[at + i] = label[i];
}

static void position_label(const struct plot *p, size_t position, char *to, size_t size)
{
    if (p->slice_seconds > 0)
        number_seconds(to, size, (double)position * p->slice_seconds);
    else
        snprintf(to, size, "%zu", position);
}

static void add_positions(const struct plot *p, const struct canvas *c, struct text *out)
{
    char line[COLUMNS_MAX + 1], label[NUMBER_BUFFER];
    memset(line, ' ', c->columns);
    line[c->columns] = '\0';
    position_label(p, 0, label, sizeof label);
    place_label(line, c->columns, 0, label);
    position_label(p, p->count, label, sizeof label);
    place_label(line, c->columns, c->columns, label);
    for (size_t i = 0; i < p->changepoint_count; i++) {
        position_label(p, p->changepoints[i], label, sizeof label);
        place_label(line, c->columns, column_of(p, c, p->changepoints[i]), label);
    }
    layout_right(out, "", GUTTER + 2);
    text_add(out, line);
    text_add(out, "\n");
}

void plot_series(const struct plot *p, const struct report_style *style, struct text *out)
{
    struct canvas canvas;
    if (!canvas_make(p, layout_width(style), &canvas)) {
        text_add(out, "  no readings\n");
        return;
    }
    add_bars(p, &canvas, style->unicode, out);
    add_axis(p, &canvas, style->unicode, out);
    add_positions(p, &canvas, out);
    if (p->rows)
        return;
    struct text words = {0};
    text_add(&words,
             style->unicode ? "━ the part the number is of" : "= the part the number is of");
    if (p->changepoint_count > 0)
        text_add(&words, style->unicode ? "   ┃ change point" : "   | change point");
    if (canvas.bottom != 0)
        text_add(&words, "   (axis not from 0)");
    layout_right(out, "", GUTTER + 2);
    text_add(out, layout_string(&words));
    text_add(out, "\n");
    text_free(&words);
}
