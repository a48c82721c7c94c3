/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints predicted against measured values: as a figure, CSV and JSON. */
#include <math.h>
#include <stdio.h>

#include "report/layout/fields.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { SIDE = 360 }; /* pixels of the picture */

enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 20 };

/* The range of both axes of a scatter plot. */
struct scatter_range {
    double low, high;
    bool logarithmic;
};

static struct scatter_range scatter_range_of(const struct map_scatter *s)
{
    struct scatter_range r = {INFINITY, -INFINITY, s->logarithmic};
    for (size_t i = 0; i < s->count; i++) {
        r.low = fmin(r.low, fmin(s->measured[i], s->predicted[i]));
        r.high = fmax(r.high, fmax(s->measured[i], s->predicted[i]));
    }
    return r;
}

/* Returns the position of a value in the range, from 0 to 1. */
static double scatter_share(const struct scatter_range *r, double value)
{
    if (!(r->high > r->low))
        return 0.5;
    return r->logarithmic ? log(value / r->low) / log(r->high / r->low)
                          : (value - r->low) / (r->high - r->low);
}

/* Returns the character for a cell with `count` configurations. `diagonal`: measured and predicted
   values of this cell are equal. */
static const char *mark_of(unsigned count, bool diagonal)
{
    if (!count)
        return diagonal ? "." : " ";
    return count > 9 ? "#" : count > 3 ? "*" : count > 1 ? "+" : "o";
}

static void scatter_draw(const void *what, size_t number, const struct report_style *style,
                         struct text *out)
{
    const struct map_scatter *s = what;
    unsigned cells[PLOT_HEIGHT][PLOT_WIDTH] = {{0}};
    struct scatter_range range = scatter_range_of(s);
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    (void)number;
    (void)style;
    for (size_t i = 0; i < s->count; i++) {
        int x = (int)(scatter_share(&range, s->measured[i]) * (PLOT_WIDTH - 1) + 0.5);
        int y = (int)(scatter_share(&range, s->predicted[i]) * (PLOT_HEIGHT - 1) + 0.5);
        cells[y][x]++;
    }
    text_add(out, "\n  predicted\n");
    for (int y = PLOT_HEIGHT - 1; y >= 0; y--) {
        text_add(out, "  |");
        for (int x = 0; x < PLOT_WIDTH; x++) {
            bool diagonal = (int)((double)x / (PLOT_WIDTH - 1) * (PLOT_HEIGHT - 1) + 0.5) == y;
            text_add(out, mark_of(cells[y][x], diagonal));
        }
        layout_end_line(out);
    }
    text_add(out, "  +------------------------------------------------------------ measured\n");
    text_addf(out, "   %s to %s%s; the dots are where both are the same\n",
              number_plain(low, sizeof low, range.low), number_plain(high, sizeof high, range.high),
              range.logarithmic ? ", logarithmic" : "");
}

void scatter_print_svg(const struct map_scatter *s, struct text *out)
{
    struct scatter_range range = scatter_range_of(s);
    char words[200], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    snprintf(words, sizeof words, "%.60s: predicted by %s against measured", s->response,
             s->method);
    map_svg_begin(out, MAP_LEFT + SIDE + 40, MAP_TOP + SIDE + MAP_BELOW, words);
    text_add(out, "<g font-size=\"14\">");
    map_svg_words(out, 10, 20, "start", words);
    text_addf(out,
              "</g>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
              "stroke=\"#888888\"/>\n<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
              "stroke=\"#888888\" stroke-dasharray=\"4\"/>\n",
              MAP_LEFT, MAP_TOP, SIDE, SIDE, MAP_LEFT, MAP_TOP + SIDE, MAP_LEFT + SIDE, MAP_TOP);
    for (size_t i = 0; i < s->count; i++)
        text_addf(out,
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"#7f0000\" "
                  "fill-opacity=\"0.5\"/>\n",
                  MAP_LEFT + SIDE * scatter_share(&range, s->measured[i]),
                  MAP_TOP + SIDE * (1 - scatter_share(&range, s->predicted[i])));
    number_plain(low, sizeof low, range.low);
    number_plain(high, sizeof high, range.high);
    map_svg_words(out, MAP_LEFT, MAP_TOP + SIDE + 16, "start", low);
    map_svg_words(out, MAP_LEFT + SIDE, MAP_TOP + SIDE + 16, "end", high);
    map_svg_words(out, MAP_LEFT - 6, MAP_TOP + SIDE, "end", low);
    map_svg_words(out, MAP_LEFT - 6, MAP_TOP + 10, "end", high);
    map_svg_words(out, MAP_LEFT + SIDE / 2.0, MAP_TOP + SIDE + 34, "middle", "measured");
    map_svg_words(out, 10, MAP_TOP + SIDE / 2.0, "start", "predicted");
    text_add(out, "</svg>\n");
}

static void scatter_page(const void *what, size_t number, struct text *out)
{
    (void)number;
    text_add(out, "<figure class=\"broad\" tabindex=\"0\">\n");
    scatter_print_svg(what, out);
    text_add(out, "</figure>\n");
}

static void scatter_document(const void *what, struct document *out)
{
    const struct map_scatter *s = what;
    predict_title(out, s->response);
    char error[NUMBER_BUFFER];
    struct text words = {0};
    text_addf(&words,
              "%s of %zu configurations, each by %s on the %s scale from others; mean error ",
              s->response, s->count, s->method, s->scale);
    text_add(&words, number_percent(error, sizeof error, s->are_percent / 100));
    document_paragraph_from(out, "PREDICTED AGAINST MEASURED: ", TONE_GREEN, &words);
    print_notes(s->notes, out);
    document_figure(out, (struct figure){.text = scatter_draw, .page = scatter_page, .context = s});
}

static void scatter_csv(const void *what, struct text *out)
{
    const struct map_scatter *s = what;
    text_add(out, "measured,predicted\n");
    for (size_t i = 0; i < s->count; i++) {
        csv_add_number(out, s->measured[i]);
        csv_add_field(out, s->predicted[i]);
        text_add(out, "\n");
    }
}

static void scatter_json(const void *what, struct text *out)
{
    const struct map_scatter *s = what;
    struct json j = json_report(out, "predict_scatter");
    json_string(&j, "response", s->response);
    json_string(&j, "method", s->method);
    json_string(&j, "scale", s->scale);
    json_number(&j, "are_percent", s->are_percent);
    json_numbers(&j, "measured", s->measured, s->count);
    json_numbers(&j, "predicted", s->predicted, s->count);
    json_notes(&j, s->notes);
    json_end_object(&j);
}

const struct report_kind scatter_report = {scatter_document, scatter_csv, scatter_json, NULL};
