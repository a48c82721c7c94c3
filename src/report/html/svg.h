/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SVG elements of figures. Places are in units of the view box. */
#ifndef CUPEL_REPORT_HTML_SVG_H
#define CUPEL_REPORT_HTML_SVG_H

#include "base/text.h"

/* Writes a place with at most one decimal; never a NaN. */
void svg_add_place(struct text *out, double place);

/* Writes <text> with a `class` of page.css. */
void svg_add_words(struct text *out, double x, double y, const char *class, const char *words);
void svg_add_line(struct text *out, double x1, double y1, double x2, double y2, const char *class);
void svg_add_box(struct text *out, double x, double y, double width, double height,
                 const char *class);

/* Writes <figure>, its caption without an end, and <svg> up to its first element; and the end of
   all. `title` names the figure, and `words`, which may be "", say what is to be seen: both are for
   people who do not see it. A figure of the class "broad" has one width, and scrolls in a narrow
   window. */
void figure_begin(struct text *out, const char *class, const char *title, const char *words);
void svg_begin(struct text *out, double width, double height, const char *title, const char *words);
void figure_end(struct text *out);

/*
 * A figure is drawn twice, for windows of a usual width and for narrow ones such as that of a
 * telephone, where the letters of the first would be too small; the style shows one of them. `draw`
 * writes an <svg> of this width.
 */
enum { FIGURE_WIDE = 760, FIGURE_NARROW = 360 };
void figure_draw(struct text *out, void (*draw)(const void *what, double width, struct text *out),
                 const void *what);

#endif
