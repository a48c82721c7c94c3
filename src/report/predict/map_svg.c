/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat maps and scatter plots as SVG: static, without scripts, for use in a page or alone. */
#include <math.h>
#include <stdio.h>

#include "base/span.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { CELL = 44, CELL_HEIGHT = 22, LEFT = 110, TOP = 60, BELOW = 60, LEGEND = 120, LABEL = 48 };

/* Adds the text of an element, escaped, since names come from files. */
static void add_escaped(struct text *out, const char *words)
{
    char safe[400];
    span_printable(safe, sizeof safe, span_of(words));
    for (const char *at = safe; *at; at++)
        switch (*at) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        default:
            text_add_bytes(out, at, 1);
        }
}

static void add_words(struct text *out, double x, double y, const char *anchor, const char *words)
{
    char shown[4 * LABEL + 8];
    text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    add_escaped(out, layout_shorten(shown, sizeof shown, words, LABEL));
    text_add(out, "</text>\n");
}

static void begin(struct text *out, double width, double height, const char *label)
{
    text_add(out, "<svg role=\"img\" aria-label=\"");
    add_escaped(out, label);
    text_addf(out,
              "\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
              "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n"
              "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
              width, height, width, height);
}

/* Adds a colour from light to dark; for changes blue means less and red means more. */
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
    double left = LEFT + (double)x * CELL, top = TOP + (double)(h->height - 1 - y) * CELL_HEIGHT;
    char number[NUMBER_BUFFER];
    if (isnan(value))
        return;
    text_addf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"", left, top,
              CELL, CELL_HEIGHT);
    add_colour(out, share, h->is_change);
    double strength = h->is_change ? fabs(share - 0.5) * 2 : share;
    text_addf(out, "\"/>\n<g fill=\"%s\">", strength > 0.55 ? "#ffffff" : "#000000");
    snprintf(number, sizeof number, "%.3g", value);
    add_words(out, left + CELL / 2.0, top + 15, "middle", number);
    text_add(out, "</g>\n");
}

/* Adds the scale of Cameron et al. at the right: five steps from the smallest to the largest
   value. */
static void add_legend(struct text *out, const struct heat_map *h)
{
    double left = LEFT + (double)h->width * CELL + 20;
    for (int step = 0; step < 5; step++) {
        text_addf(out, "<rect x=\"%.0f\" y=\"%d\" width=\"16\" height=\"16\" fill=\"", left,
                  TOP + (4 - step) * 16);
        add_colour(out, step / 4.0, h->is_change);
        text_add(out, "\"/>\n");
    }
    add_words(out, left + 22, TOP + 12, "start", h->is_change ? "more" : "most");
    add_words(out, left + 22, TOP + 76, "start", h->is_change ? "less" : "least");
}

void heat_map_print_svg(const struct heat_map *h, struct text *out)
{
    double width = LEFT + (double)h->width * CELL + LEGEND;
    double bottom = TOP + (double)h->height * CELL_HEIGHT;
    char title[400];
    snprintf(title, sizeof title, "%s%.100s by %.60s and %.60s", h->is_change ? "change of " : "",
             h->response, h->x, h->y);
    begin(out, width, bottom + BELOW, title);
    text_add(out, "<g font-size=\"14\">");
    add_words(out, 10, 20, "start", title);
    text_add(out, "</g>\n");
    add_words(out, 10, 38, "start", h->where);
    for (size_t y = 0; y < h->height; y++)
        add_words(out, LEFT - 6, TOP + (double)(h->height - 1 - y) * CELL_HEIGHT + 15, "end",
                  h->y_levels[y]);
    for (size_t x = 0; x < h->width; x++)
        add_words(out, LEFT + ((double)x + 0.5) * CELL, bottom + 15, "middle", h->x_levels[x]);
    add_words(out, LEFT + (double)h->width * CELL / 2, bottom + 36, "middle", h->x);
    add_words(out, 10, TOP - 6, "start", h->y);
    for (size_t y = 0; y < h->height; y++)
        for (size_t x = 0; x < h->width; x++)
            add_cell(out, h, x, y);
    add_legend(out, h);
    text_add(out, "</svg>\n");
}

void scatter_print_svg(const struct map_scatter *s, struct text *out)
{
    enum { SIDE = 360 };
    struct scatter_range range = scatter_range_of(s);
    char words[200], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    snprintf(words, sizeof words, "%.60s: predicted by %s against measured", s->response,
             s->method);
    begin(out, LEFT + SIDE + 40, TOP + SIDE + BELOW, words);
    text_add(out, "<g font-size=\"14\">");
    add_words(out, 10, 20, "start", words);
    text_addf(out,
              "</g>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
              "stroke=\"#888888\"/>\n<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
              "stroke=\"#888888\" stroke-dasharray=\"4\"/>\n",
              LEFT, TOP, SIDE, SIDE, LEFT, TOP + SIDE, LEFT + SIDE, TOP);
    for (size_t i = 0; i < s->count; i++)
        text_addf(out,
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"#7f0000\" "
                  "fill-opacity=\"0.5\"/>\n",
                  LEFT + SIDE * scatter_share(&range, s->measured[i]),
                  TOP + SIDE * (1 - scatter_share(&range, s->predicted[i])));
    number_plain(low, sizeof low, range.low);
    number_plain(high, sizeof high, range.high);
    add_words(out, LEFT, TOP + SIDE + 16, "start", low);
    add_words(out, LEFT + SIDE, TOP + SIDE + 16, "end", high);
    add_words(out, LEFT - 6, TOP + SIDE, "end", low);
    add_words(out, LEFT - 6, TOP + 10, "end", high);
    add_words(out, LEFT + SIDE / 2.0, TOP + SIDE + 34, "middle", "measured");
    add_words(out, 10, TOP + SIDE / 2.0, "start", "predicted");
    text_add(out, "</svg>\n");
}
