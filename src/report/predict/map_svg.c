/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws what pictures of maps share: their frame and their words. They are static SVG without
   scripts, for use in a page or as a file. */
#include "base/span.h"
#include "report/layout/layout.h"
#include "report/predict/internal.h"

enum { LABEL = 48 };

/* Adds words to an element, escaped because names come from files. */
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

void map_svg_words(struct text *out, double x, double y, const char *anchor, const char *words)
{
    char shown[4 * LABEL + 8];
    text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    add_escaped(out, layout_shorten(shown, sizeof shown, words, LABEL));
    text_add(out, "</text>\n");
}

void map_svg_begin(struct text *out, double width, double height, const char *label)
{
    text_add(out, "<svg role=\"img\" aria-label=\"");
    add_escaped(out, label);
    text_addf(out,
              "\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
              "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n"
              "<title>",
              width, height, width, height);
    add_escaped(out, label);
    text_add(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}
