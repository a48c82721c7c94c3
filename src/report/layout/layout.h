/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lays out text: wrapped paragraphs, cells of a given width, colours.
 *
 * Widths are columns of a terminal: a wide character takes two, a combining mark none. All
 * functions append to the caller's text. Control characters (span_steers) are printed as '?',
 * because the name of a file or the model of a device may contain them and so control the reader's
 * terminal.
 */
#ifndef CUPEL_REPORT_LAYOUT_LAYOUT_H
#define CUPEL_REPORT_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/report.h"

enum tone { TONE_PLAIN, TONE_BOLD, TONE_GREEN, TONE_YELLOW, TONE_RED };

/* Returns the style's width, or the default if it is not set or out of range. */
size_t layout_width(const struct report_style *style);

/* Returns the number of columns that a UTF-8 string takes. */
size_t layout_length(const char *s);

/* Returns the string of a text; "" while the text is empty. */
const char *layout_string(const struct text *t);

/* Switches to the colour of a tone; TONE_PLAIN ends it. Does nothing unless style->colour. */
void layout_tone(struct text *out, const struct report_style *style, enum tone tone);

/*
 * Adds a paragraph: `lead` in its tone, then `words`, wrapped at the style's width. Further lines
 * are indented by the length of `lead`. A word longer than a line is broken.
 */
void layout_paragraph(struct text *out, const struct report_style *style, const char *lead,
                      enum tone tone, const char *words);

/* Adds a paragraph without a tone. Further lines begin with `hang`, which is as long as `lead`. */
void layout_hanging(struct text *out, const struct report_style *style, const char *lead,
                    const char *hang, const char *words);

/* Ends a line, and removes the blanks at its end. */
void layout_end_line(struct text *out);

/* Return the characters before the first line of a branch of a tree, and those before its other
   lines. `last`: no further branch follows. */
const char *layout_branch(const struct report_style *style, bool last);
const char *layout_stem(const struct report_style *style, bool last);

/* Add `s`, padded to `width` columns and aligned left or right. A longer string is not cut. */
void layout_left(struct text *out, const char *s, size_t width);
void layout_right(struct text *out, const char *s, size_t width);

/* The title of a column, right-aligned in `width`; below 0: left-aligned. */
struct layout_column {
    const char *title;
    int width;
};
void layout_titles(struct text *out, const struct layout_column columns[], size_t count);

/* Copies `s`; if it takes more than `width` columns, its middle is replaced by "...". Copies only
   whole characters that fit into `to`. Returns `to`. */
char *layout_shorten(char *to, size_t size, const char *s, size_t width);

#endif
