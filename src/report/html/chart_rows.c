/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws named rows below each other on one axis: intervals with a point, or boxes. */
#include <math.h>

#include "report/html/internal.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"

/* In a narrow figure, each row has its name and its words above it, at the left and at the right
   end. */
enum { WORDS_WIDTH = 150, TOP = 6, ROW = 24, NARROW_ROW = 38, BOTTOM = 24, GAP = 10 };
enum { NAME_LETTERS_MIN = 16, NAME_LETTERS_MAX = 56, WORDS_LETTERS = 24, LETTER = 6 };

struct rows_drawing {
    const struct chart_rows *rows;
    /* axis that is drawn; in the narrow figure, it has the same ends as in the wide one */
    struct axis axis;
    const char *words;
};

/* Returns the number of letters of the longest name, within limits. */
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
                       .to = FIGURE_WIDE - WORDS_WIDTH,
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

static void draw_names(const struct chart_row *row, const struct axis *a, double width, double y,
                       struct text *out)
{
    const bool narrow = width == FIGURE_NARROW;
    const size_t letters = narrow ? (size_t)width / LETTER - WORDS_LETTERS : NAME_LETTERS_MAX;
    char cut[4 * NAME_LETTERS_MAX];
    svg_add_words(out, narrow ? 0 : a->from - GAP, narrow ? y - 12 : y + 4,
                  narrow ? "name" : "end name",
                  layout_shorten(cut, sizeof cut, row->name, letters));
    if (row->words)
        svg_add_words(out, narrow ? width : width - WORDS_WIDTH + GAP, narrow ? y - 12 : y + 4,
                      narrow ? "end" : "",
                      layout_shorten(cut, sizeof cut, row->words, WORDS_LETTERS));
}

static void draw_row(const struct chart_row *row, const struct axis *a, double y, struct text *out)
{
    double value = axis_place(a, row->value);
    double low = isfinite(row->low) ? axis_place(a, row->low) : a->from;
    double high = isfinite(row->high) ? axis_place(a, row->high) : a->to;
    if (!isfinite(row->value))
        return;
    svg_add_line(out, low, y, high, y, row->odd ? "line cbad" : "line c0");
    if (row->quartile3 > row->quartile1) {
        double from = axis_place(a, row->quartile1), to = axis_place(a, row->quartile3);
        svg_add_box(out, from, y - 7, to - from, 14, "box");
    }
    svg_add_box(out, value - 3, y - 6, 6, 12, row->odd ? "fbad" : "f0");
}

static void draw(const void *what, double width, struct text *out)
{
    const struct rows_drawing *d = what;
    const struct chart_rows *c = d->rows;
    const bool narrow = width == FIGURE_NARROW;
    const double height = narrow ? NARROW_ROW : ROW, below = narrow ? 12 : ROW * 0.5;
    const double bottom = TOP + height * (double)c->count;
    struct axis axis = d->axis;
    struct axis_tick ticks[AXIS_TICKS_MAX];
    if (narrow) {
        axis.from = GAP;
        axis.to = width - GAP;
    }
    svg_begin(out, width, bottom + BOTTOM, c->title, d->words);
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
    for (size_t i = 0; i < c->count; i++) {
        const double y = TOP + height * ((double)i + 1) - below;
        draw_names(&c->rows[i], &axis, width, y, out);
        draw_row(&c->rows[i], &axis, y, out);
    }
    text_add(out, "</svg>\n");
}

/* Adds the rows in words: "A 12.3k, 12.1k to 12.5k; B ...". */
static void add_words(const struct chart_rows *c, struct text *out)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct chart_row *row = &c->rows[i];
        char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
        text_addf(out, "%s%s %s", i ? "; " : "", row->name,
                  number_value(value, sizeof value, c->kind, row->value));
        if (isfinite(row->low) && isfinite(row->high))
            text_addf(out, ", %s to %s", number_value(low, sizeof low, c->kind, row->low),
                      number_value(high, sizeof high, c->kind, row->high));
    }
}

void chart_rows_add(struct text *out, const struct chart_rows *c)
{
    struct rows_drawing d = {.rows = c};
    struct text words = {0};
    if (c->count == 0 || !make_axis(c, &d.axis))
        return;
    add_words(c, &words);
    d.words = layout_string(&words);
    figure_begin(out, "rows", c->title, c->words);
    text_add(out, "</figcaption>\n");
    figure_draw(out, draw, &d);
    figure_end(out);
    out->failed |= words.failed;
    text_free(&words);
}
