/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Laying out text: wrapped paragraphs, cells of a given width, colours.
 *
 * Widths are columns of a terminal: two for wide characters, none for combining marks. All
 * functions append to a text of the caller. Control characters (span_steers), which a file's name
 * or a device's model may hold, are printed as '?', so that no measured string can steer the
 * reader's terminal.
 */
#ifndef CUPEL_REPORT_LAYOUT_LAYOUT_H
#define CUPEL_REPORT_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/report.h"

enum tone { TONE_PLAIN, TONE_BOLD, TONE_GREEN, TONE_YELLOW, TONE_RED };

/* Returns the style's width, or a default when it is unset or out of range. */
size_t layout_width(const struct report_style *style);

/* Returns the columns that a UTF-8 string takes. */
size_t layout_length(const char *s);

/* Returns the string of a text, "" while it is empty. */
const char *layout_string(const struct text *t);

/* Switches the colour on, or with TONE_PLAIN off; does nothing unless style->colour. */
void layout_tone(struct text *out, const struct report_style *style, enum tone tone);

/*
 * Prints a paragraph: `lead` in its tone, then `words` wrapped at the style's width; further lines
 * are indented by the length of `lead`. A word longer than a line is broken.
 */
void layout_paragraph(struct text *out, const struct report_style *style, const char *lead,
                      enum tone tone, const char *words);

/* Prints a paragraph in plain tone; further lines start with `hang`, which is as long as `lead`. */
void layout_hanging(struct text *out, const struct report_style *style, const char *lead,
                    const char *hang, const char *words);

/* Ends a line, and removes the blanks at its end. */
void layout_end_line(struct text *out);

/* Returns the lead of a branch of a tree, and the lead for the lines below it. */
const char *layout_branch(const struct report_style *style, bool last);
const char *layout_stem(const struct report_style *style, bool last);

/* Adds `s` padded to `width` columns, flush left or right; a longer one is not cut. */
void layout_left(struct text *out, const char *s, size_t width);
void layout_right(struct text *out, const char *s, size_t width);

/* A column of a line of titles, flush right; flush left where the width is below 0. */
struct layout_column {
    const char *title;
    int width;
};
void layout_titles(struct text *out, const struct layout_column columns[], size_t count);

/* Copies at most `width` columns of `s`, shortened in the middle, and no more characters than fit
   into `to`; returns `to`. */
char *layout_shorten(char *to, size_t size, const char *s, size_t width);

#endif
