/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named rows below each other on one axis: intervals with a point, or boxes. */
#include <math.h>

#include "report/html/internal.h"
#include "report/layout/layout.h"

enum { WIDTH = 760, WORDS_WIDTH = 150, TOP = 6, ROW = 24, BOTTOM = 24, GAP = 10 };
enum { NAME_LETTERS_MIN = 16, NAME_LETTERS_MAX = 56, WORDS_LETTERS = 24, LETTER = 6 };

/* Returns the number of letters of the longest name. */
static size_t name_letters(const struct chart_rows *c)
{
    size_t most = NAME_LETTERS_MIN;
    for (size_t i = 0; i < c->count; i++) {
        size_t letters = layout_length(c->rows[i].name);
        most = letters > most ? letters : most;
    }
    return most < NAME_LETTERS_MAX ? most : NAME_LETTERS_MAX;
}

static bool make_axis(const struct chart_rows *c, struct axis *a)
{
    *a = (struct axis){.log = c->log,
                       .low = c->reference != 0 ? c->reference : NAN,
                       .high = c->reference != 0 ? c->reference : NAN,
                       .from = (double)(name_letters(c) * LETTER + GAP),
                       .to = WIDTH - WORDS_WIDTH,
                       .kind = c->kind};
    for (size_t i = 0; i < c->count; i++) {
        const double ends[] = {c->rows[i].low, c->rows[i].value, c->rows[i].high};
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            bool shown = isfinite(ends[k]) && !(c->log && ends[k] <= 0);
            a->low = fmin(a->low, shown ? ends[k] : NAN);
            a->high = fmax(a->high, shown ? ends[k] : NAN);
        }
    }
    if (isnan(a->low))
        return false;
    if (c->log) {
        axis_round(a);
    } else {
        double room = a->high > a->low ? 0.06 * (a->high - a->low) : fabs(a->high) * 0.02 + 1e-9;
        a->low -= room;
        a->high += room;
    }
    return true;
}

static void draw_row(const struct chart_row *row, const struct axis *a, double y, struct text *out)
{
    char cut[4 * NAME_LETTERS_MAX];
    double value = axis_place(a, row->value);
    double low = isfinite(row->low) ? axis_place(a, row->low) : a->from;
    double high = isfinite(row->high) ? axis_place(a, row->high) : a->to;
    svg_add_words(out, a->from - GAP, y + 4, "end name",
                  layout_shorten(cut, sizeof cut, row->name, NAME_LETTERS_MAX));
    if (row->words)
        svg_add_words(out, WIDTH - WORDS_WIDTH + GAP, y + 4, "",
                      layout_shorten(cut, sizeof cut, row->words, WORDS_LETTERS));
    if (!isfinite(row->value))
        return;
    svg_add_line(out, low, y, high, y, row->odd ? "line cbad" : "line c0");
    if (row->quartile3 > row->quartile1) {
        double from = axis_place(a, row->quartile1), to = axis_place(a, row->quartile3);
        svg_add_box(out, from, y - 7, to - from, 14, "box");
    }
    svg_add_box(out, value - 3, y - 6, 6, 12, row->odd ? "fbad" : "f0");
}

void chart_rows_add(struct text *out, const struct chart_rows *c)
{
    struct axis axis;
    struct axis_tick ticks[AXIS_TICKS_MAX];
    if (c->count == 0 || !make_axis(c, &axis))
        return;
    double bottom = TOP + ROW * (double)c->count;
    figure_begin(out, "rows", c->title, c->words);
    text_add(out, "</figcaption>\n");
    svg_begin(out, WIDTH, bottom + BOTTOM, c->title);
    size_t count = axis_ticks(&axis, 4, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = axis_place(&axis, ticks[i].value);
        svg_add_line(out, x, TOP, x, bottom, "grid");
        if (ticks[i].labelled)
            svg_add_words(out, x, bottom + 16, "mid", ticks[i].label);
    }
    svg_add_line(out, axis.from, bottom, axis.to, bottom, "axis");
    if (c->reference != 0) {
        double x = axis_place(&axis, c->reference);
        svg_add_line(out, x, TOP, x, bottom, "mark");
    }
    for (size_t i = 0; i < c->count; i++)
        draw_row(&c->rows[i], &axis, TOP + ROW * ((double)i + 0.5), out);
    text_add(out, "</svg>\n");
    figure_end(out);
}
