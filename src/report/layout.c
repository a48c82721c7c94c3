/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headings, wrapped paragraphs and cells of the text report. */
#include "report/layout.h"

#include <stdio.h>
#include <string.h>

#define BLANKS        " "
#define WIDTH_DEFAULT 80
#define WIDTH_LEAST   60
#define WIDTH_MOST    200

size_t layout_width(const struct report_style *style)
{
    if (style->width <= 0)
        return WIDTH_DEFAULT;
    if (style->width < WIDTH_LEAST)
        return WIDTH_LEAST;
    return style->width > WIDTH_MOST ? WIDTH_MOST : (size_t)style->width;
}

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t layout_length(const char *s)
{
    size_t length = 0;
    for (; *s; s++)
        length += starts_character(*s);
    return length;
}

/* Bytes taken by the first `characters` characters of s[0..bytes). */
static size_t bytes_of(const char *s, size_t bytes, size_t characters)
{
    size_t i = 0;
    while (i < bytes && characters > 0) {
        i++;
        while (i < bytes && !starts_character(s[i]))
            i++;
        characters--;
    }
    return i;
}

static bool is_control(const char *s)
{
    unsigned char c = (unsigned char)s[0], next = (unsigned char)s[1];
    return c < 0x20 || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

static void add_visible(struct text *out, const char *s, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (!is_control(s + i)) {
            text_add_bytes(out, s + i, 1);
            continue;
        }
        text_add_bytes(out, "?", 1);
        while (i + 1 < bytes && !starts_character(s[i + 1]))
            i++;
    }
}

static void add_blanks(struct text *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_add_bytes(out, " ", 1);
}

const char *layout_string(const struct text *t)
{
    return t->data ? t->data : "";
}

void layout_tone(struct text *out, const struct report_style *style, enum tone tone)
{
    static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[1;32m", "\033[1;33m",
                                            "\033[1;31m"};
    if (style->colour)
        text_add(out, sequences[tone]);
}

void layout_heading(struct text *out, const struct report_style *style, const char *title)
{
    text_add(out, "\n");
    layout_tone(out, style, TONE_BOLD);
    text_add(out, title);
    layout_tone(out, style, TONE_PLAIN);
    text_add(out, "\n");
}

/*
 * Bytes of the words at `s` that stay on one line: one word, and what follows a number, so that no
 * line ends between a number and its unit.
 */
static size_t unbroken_bytes(const char *s)
{
    const size_t most = 32;
    size_t bytes = strcspn(s, BLANKS);
    while (bytes > 0 && bytes < most && s[bytes] == ' ' && s[bytes - 1] >= '0' &&
           s[bytes - 1] <= '9')
        bytes += 1 + strcspn(s + bytes + 1, BLANKS);
    return bytes;
}

static size_t characters_in(const char *s, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += starts_character(s[i]);
    return count;
}

static void add_lead(struct text *out, const struct report_style *style, const char *lead,
                     enum tone tone)
{
    if (tone != TONE_PLAIN)
        layout_tone(out, style, tone);
    text_add(out, lead);
    if (tone != TONE_PLAIN)
        layout_tone(out, style, TONE_PLAIN);
}

void layout_paragraph(struct text *out, const struct report_style *style, const char *lead,
                      enum tone tone, const char *words)
{
    size_t indent = layout_length(lead), width = layout_width(style), column = indent;
    add_lead(out, style, lead, tone);
    for (words += strspn(words, BLANKS); *words; words += strspn(words, BLANKS)) {
        size_t bytes = unbroken_bytes(words);
        size_t length = characters_in(words, bytes);
        if (column > indent && column + 1 + length > width) {
            text_add(out, "\n");
            add_blanks(out, indent);
            column = indent;
        } else if (column > indent) {
            text_add(out, " ");
            column++;
        }
        if (column + length > width) {
            length = width - column;
            bytes = bytes_of(words, bytes, length);
        }
        add_visible(out, words, bytes);
        column += length;
        words += bytes;
    }
    text_add(out, "\n");
}

void layout_left(struct text *out, const char *s, size_t width)
{
    size_t length = layout_length(s);
    add_visible(out, s, strlen(s));
    add_blanks(out, length < width ? width - length : 0);
}

void layout_right(struct text *out, const char *s, size_t width)
{
    size_t length = layout_length(s);
    add_blanks(out, length < width ? width - length : 0);
    add_visible(out, s, strlen(s));
}

char *layout_shorten(char *to, size_t size, const char *s, size_t width)
{
    size_t length = layout_length(s), bytes = strlen(s);
    if (length <= width || width < 5) {
        snprintf(to, size, "%s", s);
        return to;
    }
    /* The end of a path names it; keep more of that. */
    size_t head = (width - 3) / 3, tail = width - 3 - head;
    size_t head_bytes = bytes_of(s, bytes, head);
    size_t tail_from = bytes_of(s, bytes, length - tail);
    snprintf(to, size, "%.*s...%s", (int)head_bytes, s, s + tail_from);
    return to;
}
