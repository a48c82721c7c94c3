/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heat map in characters: a number and its shade in each cell, or shades alone when there are
   many columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { LABEL_MAX = 12, NUMBER_CELL = 7, NARROW_CELL = 2, ROWS_MAX = 60 };

/* Finds the range of the cells; for changes it is symmetric about 0. */
static void range_of(const struct heat_map *h, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < h->width * h->height; i++)
        if (!isnan(h->value[i])) {
            *low = fmin(*low, h->value[i]);
            *high = fmax(*high, h->value[i]);
        }
    if (h->is_change) {
        *high = fmax(fabs(*low), fabs(*high));
        *low = -*high;
    }
}

/* Do values spread so widely that shades are those of their logarithms? */
static bool is_wide(const struct heat_map *h, double low, double high)
{
    return !h->is_change && low > 0 && high > 20 * low;
}

double heat_map_share(const struct heat_map *h, double value)
{
    double low, high;
    range_of(h, &low, &high);
    if (!(high > low))
        return 0.5;
    return is_wide(h, low, high) ? log(value / low) / log(high / low)
                                 : (value - low) / (high - low);
}

static const char *shade(double share, bool unicode)
{
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    static const char *const letters[] = {" ", ".", ":", "*", "#"};
    int step = (int)fmin(4, fmax(0, share * 5));
    return unicode ? blocks[step] : letters[step];
}

static size_t label_width(const struct heat_map *h)
{
    size_t width = layout_length(h->y);
    for (size_t i = 0; i < h->height; i++) {
        size_t length = layout_length(h->y_levels[i]);
        width = length > width ? length : width;
    }
    return width > LABEL_MAX ? LABEL_MAX : width;
}

static void add_label(struct text *out, const char *label, size_t width)
{
    char shown[4 * LABEL_MAX + 8];
    layout_right(out, layout_shorten(shown, sizeof shown, label, width), width);
}

/* Writes three digits and a prefix for a power of 1000: "15.2P". */
static const char *compact(char to[16], double value)
{
    static const char *const powers[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t power = 0;
    while (fabs(value) >= 999.5 && power + 1 < sizeof powers / sizeof *powers) {
        value /= 1000;
        power++;
    }
    snprintf(to, 16, "%.3g%s", value, powers[power]);
    return to;
}

static void add_number_cell(struct text *out, double value, double share, bool unicode)
{
    char number[16];
    layout_right(out, isnan(value) ? "-" : compact(number, value), NUMBER_CELL - 1);
    text_add(out, isnan(value) ? " " : shade(share, unicode));
}

/* Returns how dark a cell is; the darkness of a change depends on its size, not on its sign. */
static double darkness(const struct heat_map *h, double value)
{
    double share = heat_map_share(h, value);
    return h->is_change ? fabs(share - 0.5) * 2 : share;
}

static void add_row(struct text *out, const struct heat_map *h, size_t y, size_t columns,
                    bool numbers, size_t label, bool unicode)
{
    add_label(out, h->y_levels[y], label);
    text_add(out, " ");
    for (size_t x = 0; x < columns; x++) {
        double value = h->value[y * h->width + x], share = darkness(h, value);
        if (numbers) {
            add_number_cell(out, value, share, unicode);
        } else {
            const char *mark = isnan(value) ? "?" : shade(share, unicode);
            text_addf(out, "%s%s", mark, isnan(value) ? " " : mark);
        }
    }
    layout_end_line(out);
}

static void add_axis(struct text *out, const struct heat_map *h, size_t columns, bool numbers,
                     size_t label)
{
    char shown[80];
    text_addf(out, "%*s ", (int)label, "");
    if (numbers) {
        for (size_t x = 0; x < columns; x++) {
            layout_right(out, layout_shorten(shown, sizeof shown, h->x_levels[x], NUMBER_CELL - 2),
                         NUMBER_CELL - 1);
            text_add(out, " ");
        }
    } else {
        text_addf(out, "%.20s ... %.20s", h->x_levels[0], h->x_levels[columns - 1]);
    }
    layout_end_line(out);
    text_addf(out, "%*s %s\n", (int)label, "", layout_shorten(shown, sizeof shown, h->x, 60));
}

static void add_legend(struct text *out, const struct heat_map *h, bool unicode)
{
    char least[16], most[16];
    double low, high;
    range_of(h, &low, &high);
    text_addf(out, "shades: from %s (\"%s\") to %s (\"%s\")%s\n",
              compact(least, h->is_change ? 0 : low), shade(0, unicode), compact(most, high),
              shade(1, unicode), is_wide(h, low, high) ? ", logarithmic" : "");
}

void heat_map_draw(const void *what, size_t number, const struct report_style *style,
                   struct text *out)
{
    const struct heat_map *h = what;
    (void)number;
    size_t label = label_width(h), room = layout_width(style) - label - 1;
    bool numbers = h->width * NUMBER_CELL <= room;
    size_t columns = h->width, max = numbers ? room / NUMBER_CELL : room / NARROW_CELL;
    columns = columns > max ? max : columns;
    size_t rows = h->height > ROWS_MAX ? ROWS_MAX : h->height;
    text_add(out, "\n");
    add_label(out, h->y, label);
    text_add(out, "\n");
    for (size_t i = 0; i < rows; i++)
        add_row(out, h, h->height - 1 - i, columns, numbers, label, style->unicode);
    add_axis(out, h, columns, numbers, label);
    add_legend(out, h, style->unicode);
    if (columns < h->width || rows < h->height)
        text_addf(out, "%zu of %zu columns and %zu of %zu rows are shown: --format csv has all\n",
                  columns, h->width, rows, h->height);
}
