/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints a response over a factor, a line for each level of a second factor (Cameron et al.,
 * *MOANA* (2019), Figures 1 to 3 and 5): as a figure, CSV and JSON.
 */
#include <math.h>
#include <stdio.h>

#include "report/layout/fields.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 20 };                      /* characters */
enum { WIDE = 460, HIGH = 280, LEGEND = 150, LEGEND_STEP = 16 }; /* pixels of the picture */

/* maximum number of lines, because each has a letter */
#define LINES_MAX  26
#define LEVEL_MAX  14 /* characters of a level or a name */
#define LABELS_MAX 12 /* labels of levels below the picture */

static const char *const colours[] = {"#7f0000", "#053061", "#1b7837", "#b35806",
                                      "#542788", "#000000", "#01665e", "#c51b7d"};
#define COLOURS (sizeof colours / sizeof *colours)

/* Coordinates of the lines: positions of the levels and values, both scaled to 0 ... 1. */
struct frame {
    const struct heat_map *h;
    double low, high; /* range of the values, which includes 0 */
    bool logarithmic; /* x is */
    size_t lines;     /* number of lines that are shown */
};

static struct frame frame_of(const struct heat_map *h)
{
    struct frame f = {.h = h, .lines = h->height < LINES_MAX ? h->height : LINES_MAX};
    for (size_t i = 0; i < h->width * f.lines; i++)
        if (!isnan(h->value[i])) {
            f.low = fmin(f.low, h->value[i]);
            f.high = fmax(f.high, h->value[i]);
        }
    f.logarithmic = h->x_numbers && h->width > 1 && h->x_numbers[0] > 0 &&
                    h->x_numbers[h->width - 1] > 20 * h->x_numbers[0];
    return f;
}

/* Returns the position of a level: levels that are texts are equally far apart. */
static double x_share(const struct frame *f, size_t x)
{
    const double *at = f->h->x_numbers, last = (double)(f->h->width - 1);
    if (f->h->width < 2)
        return 0.5;
    if (!at)
        return (double)x / last;
    return f->logarithmic ? log(at[x] / at[0]) / log(at[f->h->width - 1] / at[0])
                          : (at[x] - at[0]) / (at[f->h->width - 1] - at[0]);
}

static double y_share(const struct frame *f, double value)
{
    return f->high > f->low ? (value - f->low) / (f->high - f->low) : 0.5;
}

/* ---- characters ---- */

static void draw_line(char cells[PLOT_HEIGHT][PLOT_WIDTH], const struct frame *f, size_t line)
{
    for (size_t x = 0; x < f->h->width; x++) {
        const double value = f->h->value[line * f->h->width + x];
        if (isnan(value))
            continue;
        char *cell = &cells[(int)(y_share(f, value) * (PLOT_HEIGHT - 1) + 0.5)]
                           [(int)(x_share(f, x) * (PLOT_WIDTH - 1) + 0.5)];
        *cell = *cell ? '*' : (char)('a' + line);
    }
}

static void add_legend(struct text *out, const struct frame *f)
{
    const struct heat_map *h = f->h;
    size_t used = 0;
    if (!h->y[0])
        return;
    for (size_t line = 0; line < f->lines; line++) {
        char level[4 * LEVEL_MAX + 8], words[sizeof level + 2];
        snprintf(words, sizeof words, "%c %s", (int)('a' + line),
                 layout_shorten(level, sizeof level, h->y_levels[line], LEVEL_MAX));
        if (!used || used + layout_length(words) > PLOT_WIDTH) {
            if (used)
                layout_end_line(out);
            text_add(out, "   ");
            used = 0;
        }
        text_addf(out, "%s  ", words);
        used += layout_length(words) + 2;
    }
    layout_end_line(out);
    char name[4 * LEVEL_MAX + 8];
    text_addf(out, "   the letters are levels of %s, * is several",
              layout_shorten(name, sizeof name, h->y, LEVEL_MAX));
    layout_end_line(out);
    if (f->lines < h->height)
        text_addf(out, "   %zu of %zu lines are shown: --format csv has all\n", f->lines,
                  h->height);
}

static void lines_draw(const void *what, size_t number, const struct report_style *style,
                       struct text *out)
{
    const struct heat_map *h = what;
    const struct frame f = frame_of(h);
    char cells[PLOT_HEIGHT][PLOT_WIDTH] = {{0}}, low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    (void)number;
    (void)style;
    for (size_t line = 0; line < f.lines; line++)
        draw_line(cells, &f, line);
    text_addf(out, "\n  %s\n", number_plain(high, sizeof high, f.high));
    for (int y = PLOT_HEIGHT - 1; y >= 0; y--) {
        text_add(out, "  |");
        for (int x = 0; x < PLOT_WIDTH; x++)
            text_addf(out, "%c", cells[y][x] ? cells[y][x] : ' ');
        layout_end_line(out);
    }
    char name[4 * LEVEL_MAX + 8], first[4 * LEVEL_MAX + 8], last[4 * LEVEL_MAX + 8];
    text_addf(out,
              "  +------------------------------------------------------------\n"
              "  %s; %s from %s to %s%s\n",
              number_plain(low, sizeof low, f.low),
              layout_shorten(name, sizeof name, h->x, LEVEL_MAX),
              layout_shorten(first, sizeof first, h->x_levels[0], LEVEL_MAX),
              layout_shorten(last, sizeof last, h->x_levels[h->width - 1], LEVEL_MAX),
              f.logarithmic ? ", logarithmic" : "");
    add_legend(out, &f);
}

/* ---- the picture ---- */

static double left_of(const struct frame *f, size_t x)
{
    return MAP_LEFT + WIDE * x_share(f, x);
}

static double top_of(const struct frame *f, double value)
{
    return MAP_TOP + HIGH * (1 - y_share(f, value));
}

/* Adds a line with its points; it is broken where nothing was measured. */
static void add_line(struct text *out, const struct frame *f, size_t line)
{
    const double *value = f->h->value + line * f->h->width;
    const char *colour = colours[line % COLOURS],
               *dashes = line / COLOURS % 2 ? " stroke-dasharray=\"5 3\"" : "";
    bool open = false;
    text_addf(out, "<path fill=\"none\" stroke=\"%s\"%s d=\"", colour, dashes);
    for (size_t x = 0; x < f->h->width; x++) {
        if (!isnan(value[x]))
            text_addf(out, "%c%.1f %.1f", open ? 'L' : 'M', left_of(f, x), top_of(f, value[x]));
        open = !isnan(value[x]);
    }
    text_add(out, "\"/>\n");
    for (size_t x = 0; x < f->h->width; x++)
        if (!isnan(value[x]))
            text_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
                      left_of(f, x), top_of(f, value[x]), colour);
    if (!f->h->y[0])
        return;
    const double top = MAP_TOP + (double)line * LEGEND_STEP;
    text_addf(out, "<path stroke=\"%s\"%s d=\"M%d %.0fh20\"/>\n", colour, dashes,
              MAP_LEFT + WIDE + 10, top + 2);
    map_svg_words(out, MAP_LEFT + WIDE + 36, top + 6, "start", f->h->y_levels[line]);
}

static void add_axes(struct text *out, const struct frame *f)
{
    const struct heat_map *h = f->h;
    const size_t every = (h->width + LABELS_MAX - 1) / LABELS_MAX;
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    text_addf(out,
              "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
              "stroke=\"#888888\"/>\n",
              MAP_LEFT, MAP_TOP, WIDE, HIGH);
    for (size_t x = 0; x < h->width; x += every)
        map_svg_words(out, left_of(f, x), MAP_TOP + HIGH + 16, "middle", h->x_levels[x]);
    map_svg_words(out, MAP_LEFT + WIDE / 2.0, MAP_TOP + HIGH + 36, "middle", h->x);
    map_svg_words(out, MAP_LEFT - 6, MAP_TOP + HIGH, "end", number_plain(low, sizeof low, f->low));
    map_svg_words(out, MAP_LEFT - 6, MAP_TOP + 10, "end", number_plain(high, sizeof high, f->high));
    if (h->y[0])
        map_svg_words(out, MAP_LEFT + WIDE + 16, MAP_TOP - 10, "start", h->y);
}

void lines_print_svg(const struct heat_map *h, struct text *out)
{
    const struct frame f = frame_of(h);
    const double legend = (double)f.lines * LEGEND_STEP, high = legend > HIGH ? legend : HIGH;
    struct text words = {0};
    heat_map_words(h, &words);
    const char *title = words.data ? words.data : "";
    map_svg_begin(out, MAP_LEFT + WIDE + LEGEND, MAP_TOP + high + MAP_BELOW, title);
    text_add(out, "<g font-size=\"14\">");
    map_svg_words(out, 10, 20, "start", title);
    text_add(out, "</g>\n");
    map_svg_words(out, 10, 38, "start", h->where);
    add_axes(out, &f);
    for (size_t line = 0; line < f.lines; line++)
        add_line(out, &f, line);
    text_add(out, "</svg>\n");
    text_free(&words);
}

static void lines_page(const void *what, size_t number, struct text *out)
{
    (void)number;
    text_add(out, "<figure class=\"broad\" tabindex=\"0\">\n");
    lines_print_svg(what, out);
    text_add(out, "</figure>\n");
}

static void lines_document(const void *what, struct document *out)
{
    const struct heat_map *h = what;
    struct text words = {0};
    predict_title(out, h->response);
    heat_map_words(h, &words);
    if (h->where[0])
        text_addf(&words, ", %s", h->where);
    document_paragraph_from(out, "LINES: ", TONE_GREEN, &words);
    print_notes(h->notes, out);
    document_figure(out, (struct figure){.text = lines_draw, .page = lines_page, .context = h});
}

static void lines_json(const void *what, struct text *out)
{
    heat_map_json_as(what, "predict_lines", out);
}

const struct report_kind lines_report = {lines_document, heat_map_csv, lines_json, NULL};
