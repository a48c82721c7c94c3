/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SVG elements of figures. Places are in units of the view box. */
#ifndef CUPEL_REPORT_HTML_SVG_H
#define CUPEL_REPORT_HTML_SVG_H

#include "base/text.h"

/* Writes a place with at most one decimal. Never writes a NaN. */
void svg_add_place(struct text *out, double place);

/* Writes <text> with a `class` of page.css. */
void svg_add_words(struct text *out, double x, double y, const char *class, const char *words);
void svg_add_line(struct text *out, double x1, double y1, double x2, double y2, const char *class);
void svg_add_box(struct text *out, double x, double y, double width, double height,
                 const char *class);

/* Begin a figure and end it. figure_begin writes <figure> with the beginning of its caption,
   svg_begin writes <svg> up to its first element, figure_end ends all. `title` and `words` (which
   may be "") name and describe the figure for people who cannot see it. A figure of the class
   "broad" has only one width, and scrolls in a narrow window. */
void figure_begin(struct text *out, const char *class, const char *title, const char *words);
void svg_begin(struct text *out, double width, double height, const char *title, const char *words);
void figure_end(struct text *out);

/*
 * Draws a figure twice, with two widths: for usual windows, and for narrow ones such as on a
 * telephone, where the letters of the first would be too small. The style shows one of them. `draw`
 * writes an <svg> of the given width.
 */
enum { FIGURE_WIDE = 760, FIGURE_NARROW = 360 };
void figure_draw(struct text *out, void (*draw)(const void *what, double width, struct text *out),
                 const void *what);

#endif
