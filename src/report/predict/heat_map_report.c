/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints heat maps as a figure, CSV and JSON. In characters, each cell has a number and a shade;
 * with many columns, only a shade.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/fields.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { CELL = 44, CELL_HEIGHT = 22, LEGEND = 120 }; /* pixels of the picture */

enum { LABEL_MAX = 12, NUMBER_CELL = 7, NARROW_CELL = 2, ROWS_MAX = 60 };

/* Finds the range of the cells. For changes, it is symmetric about 0. */
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

/* Returns true if the values have such a wide range that shades follow their logarithms. */
static bool is_wide(const struct heat_map *h, double low, double high)
{
    return !h->is_change && low > 0 && high > 20 * low;
}

/* Returns the position of a value in the range of a heat map, from 0 to 1. For changes, 0.5 means
   no change. */
static double heat_map_share(const struct heat_map *h, double value)
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

/* Writes a number with three digits and a prefix for its power of 1000: "15.2P". */
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

/* Returns how dark a cell is, 0 to 1. For a change, the darkness shows its size, whether it is an
   increase or a decrease. */
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

static void heat_map_draw(const void *what, size_t number, const struct report_style *style,
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

/* Adds a colour between light and dark. For changes, blue means less and red means more. */
static void add_colour(struct text *out, double share, bool is_change)
{
    static const double light[3] = {255, 247, 236}, dark[3] = {127, 0, 0}, less[3] = {5, 48, 97};
    double strength = is_change ? fabs(share - 0.5) * 2 : share;
    const double *end = is_change && share < 0.5 ? less : dark;
    text_addf(out, "#%02x%02x%02x", (unsigned)(light[0] + (end[0] - light[0]) * strength),
              (unsigned)(light[1] + (end[1] - light[1]) * strength),
              (unsigned)(light[2] + (end[2] - light[2]) * strength));
}

static void add_cell(struct text *out, const struct heat_map *h, size_t x, size_t y)
{
    double value = h->value[y * h->width + x], share = heat_map_share(h, value);
    double left = MAP_LEFT + (double)x * CELL,
           top = MAP_TOP + (double)(h->height - 1 - y) * CELL_HEIGHT;
    char number[NUMBER_BUFFER];
    if (isnan(value))
        return;
    text_addf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"", left, top,
              CELL, CELL_HEIGHT);
    add_colour(out, share, h->is_change);
    double strength = h->is_change ? fabs(share - 0.5) * 2 : share;
    text_addf(out, "\"/>\n<g fill=\"%s\">", strength > 0.55 ? "#ffffff" : "#000000");
    snprintf(number, sizeof number, "%.3g", value);
    map_svg_words(out, left + CELL / 2.0, top + 15, "middle", number);
    text_add(out, "</g>\n");
}

/* Adds the colour scale at the right, as in Cameron et al.: five steps from the smallest to the
   largest value. */
static void add_picture_legend(struct text *out, const struct heat_map *h)
{
    double left = MAP_LEFT + (double)h->width * CELL + 20;
    for (int step = 0; step < 5; step++) {
        text_addf(out, "<rect x=\"%.0f\" y=\"%d\" width=\"16\" height=\"16\" fill=\"", left,
                  MAP_TOP + (4 - step) * 16);
        add_colour(out, step / 4.0, h->is_change);
        text_add(out, "\"/>\n");
    }
    map_svg_words(out, left + 22, MAP_TOP + 12, "start", h->is_change ? "more" : "most");
    map_svg_words(out, left + 22, MAP_TOP + 76, "start", h->is_change ? "less" : "least");
}

void heat_map_words(const struct heat_map *h, struct text *out)
{
    text_addf(out, "%s%s", h->is_change ? "change of " : "", h->response);
    if (h->per[0])
        text_addf(out, " per %s", h->per);
    text_addf(out, " by %s", h->x);
    if (h->y[0])
        text_addf(out, " and %s", h->y);
}

void heat_map_print_svg(const struct heat_map *h, struct text *out)
{
    double width = MAP_LEFT + (double)h->width * CELL + LEGEND;
    double bottom = MAP_TOP + (double)h->height * CELL_HEIGHT;
    struct text words = {0};
    heat_map_words(h, &words);
    const char *title = words.data ? words.data : "";
    map_svg_begin(out, width, bottom + MAP_BELOW, title);
    text_add(out, "<g font-size=\"14\">");
    map_svg_words(out, 10, 20, "start", title);
    text_add(out, "</g>\n");
    map_svg_words(out, 10, 38, "start", h->where);
    for (size_t y = 0; y < h->height; y++)
        map_svg_words(out, MAP_LEFT - 6, MAP_TOP + (double)(h->height - 1 - y) * CELL_HEIGHT + 15,
                      "end", h->y_levels[y]);
    for (size_t x = 0; x < h->width; x++)
        map_svg_words(out, MAP_LEFT + ((double)x + 0.5) * CELL, bottom + 15, "middle",
                      h->x_levels[x]);
    map_svg_words(out, MAP_LEFT + (double)h->width * CELL / 2, bottom + 36, "middle", h->x);
    map_svg_words(out, 10, MAP_TOP - 6, "start", h->y);
    for (size_t y = 0; y < h->height; y++)
        for (size_t x = 0; x < h->width; x++)
            add_cell(out, h, x, y);
    add_picture_legend(out, h);
    text_add(out, "</svg>\n");
    text_free(&words);
}

static void heat_map_page(const void *what, size_t number, struct text *out)
{
    (void)number;
    text_add(out, "<figure class=\"broad\" tabindex=\"0\">\n");
    heat_map_print_svg(what, out);
    text_add(out, "</figure>\n");
}

static void heat_map_document(const void *what, struct document *out)
{
    const struct heat_map *h = what;
    predict_title(out, h->response);
    struct text words = {0};
    heat_map_words(h, &words);
    if (h->where[0])
        text_addf(&words, ", %s", h->where);
    document_paragraph_from(out, "HEAT MAP: ", TONE_GREEN, &words);
    print_notes(h->notes, out);
    document_figure(out,
                    (struct figure){.text = heat_map_draw, .page = heat_map_page, .context = h});
}

void heat_map_csv(const void *what, struct text *out)
{
    const struct heat_map *h = what;
    text_add_csv(out, h->x);
    if (h->y[0]) {
        text_add(out, ",");
        text_add_csv(out, h->y);
    }
    text_addf(out, ",%s\n", h->is_change ? "change" : "value");
    for (size_t y = 0; y < h->height; y++)
        for (size_t x = 0; x < h->width; x++) {
            if (isnan(h->value[y * h->width + x]))
                continue;
            text_add_csv(out, h->x_levels[x]);
            if (h->y[0]) {
                text_add(out, ",");
                text_add_csv(out, h->y_levels[y]);
            }
            csv_add_field(out, h->value[y * h->width + x]);
            text_add(out, "\n");
        }
}

static void json_strings(struct json *j, const char *key, const char *const words[], size_t count)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < count; i++)
        json_string(j, NULL, words[i]);
    json_end_array(j);
}

void heat_map_json_as(const struct heat_map *h, const char *kind, struct text *out)
{
    struct json j = json_report(out, kind);
    json_string(&j, "response", h->response);
    json_string(&j, "x", h->x);
    json_string(&j, "y", h->y);
    json_string(&j, "where", h->where);
    json_string(&j, "per", h->per);
    json_bool(&j, "change", h->is_change);
    json_strings(&j, "x_levels", h->x_levels, h->width);
    json_strings(&j, "y_levels", h->y_levels, h->height);
    json_begin_array(&j, "rows");
    for (size_t y = 0; y < h->height; y++)
        json_numbers(&j, NULL, h->value + y * h->width, h->width);
    json_end_array(&j);
    json_notes(&j, h->notes);
    json_end_object(&j);
}

static void heat_map_json(const void *what, struct text *out)
{
    heat_map_json_as(what, "predict_heat_map", out);
}

const struct report_kind heat_map_report = {heat_map_document, heat_map_csv, heat_map_json, NULL};
