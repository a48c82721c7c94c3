/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws large letters, each as a few rows of points. */
#include "report/layout/large_letters.h"

#include <string.h>

enum { ROWS = 5, POINTS = 5 };

static const struct letter {
    char name;
    char rows[ROWS][POINTS + 1];
} letters[] = {
    {' ', {"  ", "  ", "  ", "  ", "  "}},
    {'A', {" ## ", "#  #", "####", "#  #", "#  #"}},
    {'C', {" ###", "#   ", "#   ", "#   ", " ###"}},
    {'D', {"### ", "#  #", "#  #", "#  #", "### "}},
    {'E', {"####", "#   ", "### ", "#   ", "####"}},
    {'F', {"####", "#   ", "### ", "#   ", "#   "}},
    {'I', {"###", " # ", " # ", " # ", "###"}},
    {'L', {"#   ", "#   ", "#   ", "#   ", "####"}},
    {'N', {"#  #", "## #", "# ##", "#  #", "#  #"}},
    {'O', {" ## ", "#  #", "#  #", "#  #", " ## "}},
    {'P', {"### ", "#  #", "### ", "#   ", "#   "}},
    {'R', {"### ", "#  #", "### ", "# # ", "#  #"}},
    {'S', {" ###", "#   ", " ## ", "   #", "### "}},
    {'T', {"###", " # ", " # ", " # ", " # "}},
    {'W', {"#   #", "#   #", "# # #", "## ##", "#   #"}},
};

/* The size of a point in characters. A point is 2n by n characters, since a character is twice as
   high as wide; where even 2 by 1 is too wide, it is 1 by 1. {0}: there is no room for the word. */
struct point {
    size_t width, height;
};

static const struct letter *find_letter(char name)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].name == name)
            return &letters[i];
    return NULL;
}

/* Returns the width of the word in points, with one empty point between letters; 0 if a letter is
   not in the table. */
static size_t points_of(const char *word)
{
    size_t points = 0;
    for (const char *c = word; *c; c++) {
        const struct letter *letter = find_letter(*c);
        if (!letter)
            return 0;
        points += strlen(letter->rows[0]) + (c > word);
    }
    return points;
}

static struct point choose_point(const char *word, const struct report_style *style,
                                 size_t max_lines)
{
    size_t points = points_of(word), width = layout_width(style);
    struct point best = {0};
    if (points == 0 || points > width || ROWS > max_lines)
        return best;
    best = (struct point){1, 1};
    for (size_t n = 1; n * ROWS <= max_lines && 2 * n * points <= width; n++)
        best = (struct point){2 * n, n};
    return best;
}

size_t large_letters_lines(const char *word, const struct report_style *style, size_t max_lines)
{
    struct point point = choose_point(word, style, max_lines);
    return point.height ? point.height * ROWS : 1;
}

static void add_points(struct text *out, bool filled, size_t count, enum tone tone,
                       const struct report_style *style)
{
    /* The character's colour is that of its background, so that any font shows a solid block. */
    static const char *const solid[] = {
        [TONE_GREEN] = "\033[32;42m", [TONE_YELLOW] = "\033[33;43m", [TONE_RED] = "\033[31;41m"};
    bool coloured = filled && style->colour && tone >= TONE_GREEN;
    if (coloured && style->unicode)
        layout_tone(out, style, tone);
    else if (coloured)
        text_add(out, solid[tone]);
    for (size_t i = 0; i < count; i++)
        text_add(out, !filled ? " " : style->unicode ? "█" : "#");
    if (coloured)
        layout_tone(out, style, TONE_PLAIN);
}

static void add_row(struct text *out, const char *word, size_t row, struct point point,
                    enum tone tone, const struct report_style *style)
{
    size_t blanks = 0;
    for (const char *c = word; *c; c++) {
        const char *at = find_letter(*c)->rows[row];
        blanks += c > word; /* the gap between two letters */
        while (*at) {
            blanks += strspn(at, " ");
            at += strspn(at, " ");
            size_t points = strspn(at, "#");
            at += points;
            if (points) {
                add_points(out, false, blanks * point.width, tone, style);
                add_points(out, true, points * point.width, tone, style);
                blanks = 0;
            }
        }
    }
    text_add(out, "\n");
}

void large_letters_add(struct text *out, const char *word, enum tone tone,
                       const struct report_style *style, size_t max_lines)
{
    struct point point = choose_point(word, style, max_lines);
    for (size_t line = 0; line < point.height * ROWS; line++)
        add_row(out, word, line / point.height, point, tone, style);
    if (point.height)
        return;
    layout_tone(out, style, tone);
    text_addf(out, "*** %s ***", word);
    layout_tone(out, style, TONE_PLAIN);
    text_add(out, "\n");
}
