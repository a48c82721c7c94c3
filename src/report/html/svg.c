/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the SVG elements of figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/internal.h"

void svg_add_place(struct text *out, double place)
{
    double tenths = isfinite(place) ? round(fmin(fmax(place, -9999), 9999) * 10) : 0;
    text_addf(out, fmod(tenths, 10) == 0 ? "%.0f" : "%.1f", tenths / 10 + 0.0);
}

static void add_attribute(struct text *out, const char *name, double place)
{
    text_addf(out, " %s=\"", name);
    svg_add_place(out, place);
    text_add(out, "\"");
}

void svg_add_words(struct text *out, double x, double y, const char *class, const char *words)
{
    text_add(out, "<text");
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    text_addf(out, " class=\"%s\">", class);
    html_add(out, words);
    text_add(out, "</text>\n");
}

void svg_add_line(struct text *out, double x1, double y1, double x2, double y2, const char *class)
{
    text_add(out, "<line");
    add_attribute(out, "x1", x1);
    add_attribute(out, "y1", y1);
    add_attribute(out, "x2", x2);
    add_attribute(out, "y2", y2);
    text_addf(out, " class=\"%s\"/>\n", class);
}

void svg_add_box(struct text *out, double x, double y, double width, double height,
                 const char *class)
{
    text_add(out, "<rect");
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    add_attribute(out, "width", fmax(width, 0));
    add_attribute(out, "height", fmax(height, 0));
    text_addf(out, " class=\"%s\"/>\n", class);
}

void figure_begin(struct text *out, const char *class, const char *title, const char *words)
{
    const bool scrolls = !strcmp(class, "broad");
    text_addf(out, "<figure class=\"%s\"%s>\n<figcaption><b>", class,
              scrolls ? " tabindex=\"0\"" : "");
    html_add(out, title);
    text_add(out, "</b> ");
    if (words) {
        text_add(out, "<small>");
        html_add(out, words);
        text_add(out, "</small> ");
    }
}

void svg_begin(struct text *out, double width, double height, const char *title, const char *words)
{
    text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"");
    html_add(out, title);
    text_add(out, words[0] ? ": " : "");
    html_add(out, words);
    text_addf(out, "\" viewBox=\"0 0 %.0f %.0f\"%s>\n<title>", width, height,
              width == FIGURE_NARROW ? " class=\"narrow\"" : "");
    html_add(out, title);
    text_add(out, "</title>\n");
    if (words[0]) {
        text_add(out, "<desc>");
        html_add(out, words);
        text_add(out, "</desc>\n");
    }
}

void figure_draw(struct text *out, void (*draw)(const void *what, double width, struct text *out),
                 const void *what)
{
    draw(what, FIGURE_WIDE, out);
    draw(what, FIGURE_NARROW, out);
}

void figure_end(struct text *out)
{
    text_add(out, "</figure>\n");
}
