/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lays out headings, wrapped paragraphs and cells of the text report. */
#include "report/layout/layout.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/span.h"

#define BLANKS        " "
#define WIDTH_DEFAULT 80
#define WIDTH_MIN     60
#define NARROW_MIN    19
#define WIDTH_MAX     200

size_t layout_width(const struct report_style *style)
{
    if (style->width <= 0)
        return WIDTH_DEFAULT;
    int min = style->narrow ? NARROW_MIN : WIDTH_MIN;
    if (style->width < min)
        return (size_t)min;
    return style->width > WIDTH_MAX ? WIDTH_MAX : (size_t)style->width;
}

/* Returns true for printable ASCII, which nearly all text is. */
static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7f;
}

/* Returns the length of the next character in bytes; 1 for a byte that is not UTF-8. */
static size_t step(const char *s, size_t bytes)
{
    size_t length = is_plain(*s) ? 1 : span_character((struct span){s, bytes});
    return length ? length : 1;
}

/* Returns the number of columns that the next character takes. A character that is printed as '?'
   or that the C library does not know takes 1. */
static size_t columns_of(const char *s, size_t bytes)
{
    uint32_t code;
    if (is_plain(*s) || !span_decode((struct span){s, bytes}, &code) || span_steers(code))
        return 1;
    int columns = wcwidth((wchar_t)code);
    return columns < 0 ? 1 : (size_t)columns;
}

static size_t columns_in(const char *s, size_t bytes)
{
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i += step(s + i, bytes - i))
        columns += columns_of(s + i, bytes - i);
    return columns;
}

size_t layout_length(const char *s)
{
    return columns_in(s, strlen(s));
}

/* Returns how many of the `bytes` bytes at `s` fit into this number of columns. */
static size_t bytes_within(const char *s, size_t bytes, size_t columns)
{
    size_t i = 0;
    while (i < bytes && columns_of(s + i, bytes - i) <= columns) {
        columns -= columns_of(s + i, bytes - i);
        i += step(s + i, bytes - i);
    }
    return i;
}

static void add_visible(struct text *out, const char *s, size_t bytes)
{
    size_t begin = 0; /* begin of the text that is still to be copied */
    for (size_t i = 0; i < bytes;) {
        size_t length = step(s + i, bytes - i);
        uint32_t code = 0;
        /* not a valid character, or one that controls a terminal */
        if (!is_plain(s[i]) &&
            (!span_decode((struct span){s + i, bytes - i}, &code) || span_steers(code))) {
            text_add_bytes(out, s + begin, i - begin);
            text_add(out, "?");
            begin = i + length;
        }
        i += length;
    }
    text_add_bytes(out, s + begin, bytes - begin);
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

void layout_end_line(struct text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    text_add(out, "\n");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Returns the number of bytes at `s` that must stay on one line: one word, or a number together
 * with the next word. No line ends between a number and its unit, nor before the lanes of "8.0 GT/s
 * x4".
 */
static size_t unbroken_bytes(const char *s)
{
    const size_t max_bytes = 32;
    size_t bytes = strcspn(s, BLANKS);
    while (bytes > 0 && bytes < max_bytes && s[bytes] == ' ' &&
           (is_digit(s[bytes - 1]) || (s[bytes + 1] == 'x' && is_digit(s[bytes + 2]))))
        bytes += 1 + strcspn(s + bytes + 1, BLANKS);
    return bytes;
}

/* Returns the width for wrapped words, which may be less than layout_width on a narrow terminal.
   Tables are never narrower than layout_width. */
static size_t words_width(const struct report_style *style)
{
    struct report_style words = *style;
    words.narrow = true;
    return layout_width(&words);
}

/* Adds a wrapped paragraph. Further lines begin with `hang`, which is as long as `lead`. With
   `hang` NULL they are indented by the length of `lead`, or by only two blanks if `lead` leaves no
   room. */
static void add_paragraph(struct text *out, const struct report_style *style, const char *lead,
                          enum tone tone, const char *hang, const char *words)
{
    const size_t min_room = 8, short_indent = 2;
    size_t width = words_width(style), column = layout_length(lead), indent = column;
    if (indent + min_room > width && !hang)
        indent = short_indent;
    width = width > indent + min_room ? width : indent + min_room;
    if (tone != TONE_PLAIN)
        layout_tone(out, style, tone);
    add_visible(out, lead, strlen(lead));
    if (tone != TONE_PLAIN)
        layout_tone(out, style, TONE_PLAIN);
    bool is_first = true; /* no blank is needed after the lead or an indentation */
    for (words += strspn(words, BLANKS); *words; words += strspn(words, BLANKS)) {
        size_t bytes = unbroken_bytes(words);
        if (columns_in(words, bytes) > width - indent)
            bytes = strcspn(words, BLANKS);
        size_t length = columns_in(words, bytes);
        if (column > indent && column + !is_first + length > width) {
            layout_end_line(out);
            text_add(out, hang ? hang : "");
            add_blanks(out, hang ? 0 : indent);
            column = indent;
        } else if (!is_first) {
            text_add(out, " ");
            column++;
        }
        if (column + length > width) {
            bytes = bytes_within(words, bytes, width - column);
            length = columns_in(words, bytes);
        }
        add_visible(out, words, bytes);
        column += length;
        words += bytes;
        is_first = false;
    }
    layout_end_line(out);
}

void layout_paragraph(struct text *out, const struct report_style *style, const char *lead,
                      enum tone tone, const char *words)
{
    add_paragraph(out, style, lead, tone, NULL, words);
}

void layout_hanging(struct text *out, const struct report_style *style, const char *lead,
                    const char *hang, const char *words)
{
    add_paragraph(out, style, lead, TONE_PLAIN, hang, words);
}

const char *layout_branch(const struct report_style *style, bool last)
{
    return style->unicode ? (last ? "└─ " : "├─ ") : (last ? "`- " : "|- ");
}

const char *layout_stem(const struct report_style *style, bool last)
{
    return last ? "   " : style->unicode ? "│  " : "|  ";
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

void layout_titles(struct text *out, const struct layout_column columns[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].width < 0)
            layout_left(out, columns[i].title, (size_t)-columns[i].width);
        else
            layout_right(out, columns[i].title, (size_t)columns[i].width);
    layout_end_line(out);
}

/* Appends as many whole characters as fit. Returns the new length. */
static size_t put(char *to, size_t size, size_t used, struct span s)
{
    for (size_t i = 0, length; i < s.length; i += length) {
        length = step(s.text + i, s.length - i);
        if (used + length >= size)
            break;
        memcpy(to + used, s.text + i, length);
        used += length;
    }
    to[used] = '\0';
    return used;
}

char *layout_shorten(char *to, size_t size, const char *s, size_t width)
{
    size_t length = layout_length(s), bytes = strlen(s);
    if (length <= width || width < 5) {
        put(to, size, 0, (struct span){s, bytes});
        return to;
    }
    /* the end of a path identifies it, so more of the end is kept */
    size_t head = (width - 3) / 3, tail = width - 3 - head;
    size_t from = bytes_within(s, bytes, length - tail);
    if (columns_in(s + from, bytes - from) > tail) /* the cut is inside a wide character */
        from += step(s + from, bytes - from);
    /* combining marks belong to a character that is left out */
    while (from < bytes && columns_of(s + from, bytes - from) == 0)
        from += step(s + from, bytes - from);
    size_t used = put(to, size, 0, (struct span){s, bytes_within(s, bytes, head)});
    used = put(to, size, used, span_of("..."));
    put(to, size, used, (struct span){s + from, bytes - from});
    return to;
}
