/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

size_t text_lines(const struct text *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->length; i++)
        lines += t->data[i] == '\n';
    return lines;
}

static bool make_room(struct text *t, size_t extra)
{
    size_t needed = t->length + extra + 1;
    if (needed <= t->capacity)
        return true;
    size_t capacity = t->capacity ? t->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(t->data, capacity);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_add_bytes(struct text *t, const char *s, size_t n)
{
    if (!make_room(t, n))
        return;
    span_copy(t->data + t->length, (struct span){s, n});
    t->length += n;
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

/* Returns true if %s is the format's only conversion. Most formats are of this kind, and copying
   strings is faster than printf. */
static bool has_strings_alone(const char *format)
{
    for (const char *p = strchr(format, '%'); p; p = strchr(p + 2, '%'))
        if (p[1] != 's')
            return false;
    return true;
}

static void add_strings(struct text *t, const char *format, va_list args)
{
    size_t before = t->length;
    bool failed = t->failed;
    t->failed = false;
    for (const char *p; (p = strchr(format, '%')); format = p + 2) {
        text_add_bytes(t, format, (size_t)(p - format));
        text_add(t, va_arg(args, const char *));
    }
    text_add(t, format);
    if (t->failed && t->data) {
        t->length = before;
        t->data[before] = '\0';
    }
    t->failed = t->failed || failed;
}

static void add_printed(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = t->capacity - t->length;
    int n = vsnprintf(t->data ? t->data + t->length : NULL, room, format, args);
    bool fits = n >= 0 && (size_t)n < room;
    if (!fits && n >= 0 && make_room(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
        fits = true;
    }
    if (fits)
        t->length += (size_t)n;
    else if (t->data)
        t->data[t->length] = '\0';
    va_end(again);
}

void text_addf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (has_strings_alone(format))
        add_strings(t, format, args);
    else
        add_printed(t, format, args);
    va_end(args);
}

char *text_digits(char to[TEXT_DIGITS], uint64_t value)
{
    char digits[TEXT_DIGITS], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    span_copy(to, (struct span){at, (size_t)(digits + sizeof digits - at)});
    return to;
}

/* Returns true if a spreadsheet would run this field. Spreadsheets run text that begins with one of
   these characters, quoted or not, unless it is a number or a single dash; an apostrophe before it
   prevents that. */
static bool is_formula(const char *field)
{
    double number;
    return field[0] && strchr("=+-@\t\r", field[0]) && field[1] && field[1] != ' ' &&
           number_parse(field, strlen(field), &number) == NUMBER_NONE;
}

void text_add_csv(struct text *t, const char *field)
{
    const char *quote = strpbrk(field, ",\"\r\n") ? "\"" : "";
    text_add(t, quote);
    text_add(t, is_formula(field) ? "'" : "");
    for (struct span rest = span_of(field); rest.length;) {
        uint32_t code;
        size_t length = span_decode(rest, &code), step = length ? length : 1;
        bool shown = length && (!span_steers(code) || strchr("\t\r\n", rest.text[0]));
        if (rest.text[0] == '"')
            text_add_bytes(t, "\"", 1);
        text_add_bytes(t, shown ? rest.text : "?", shown ? length : 1);
        rest.text += step;
        rest.length -= step;
    }
    text_add(t, quote);
}

char *text_number(char to[TEXT_NUMBER], double value)
{
    if (!isfinite(value)) {
        snprintf(to, TEXT_NUMBER, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return to;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(to, TEXT_NUMBER, "%.*g", precision, value);
        if (strtod(to, NULL) == value)
            break;
    }
    return to;
}

void text_add_number(struct text *t, double value)
{
    char digits[TEXT_NUMBER];
    text_add(t, text_number(digits, value));
}

void text_add_shell(struct text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=,%+@";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(t, word);
        return;
    }
    text_add(t, "'");
    for (; *word; word++)
        text_add_bytes(t, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    text_add(t, "'");
}

void text_add_base64(struct text *t, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t rest = length - i;
        uint32_t bits = (uint32_t)bytes[i] << 16 | (rest > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                        (rest > 2 ? bytes[i + 2] : 0);
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              rest > 1 ? digits[bits >> 6 & 63] : '=',
                              rest > 2 ? digits[bits & 63] : '='};
        text_add_bytes(t, four, sizeof four);
    }
}
