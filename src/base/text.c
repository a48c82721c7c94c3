/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
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
    memcpy(t->data + t->length, s, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

void text_addf(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && make_room(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

void text_add_csv(struct text *t, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        text_add(t, field);
        return;
    }
    text_add_bytes(t, "\"", 1);
    for (const char *p = field; *p; p++) {
        if (*p == '"')
            text_add_bytes(t, "\"", 1);
        text_add_bytes(t, p, 1);
    }
    text_add_bytes(t, "\"", 1);
}

void text_add_number(struct text *t, double value)
{
    if (isnan(value)) {
        text_add(t, "nan");
        return;
    }
    if (isinf(value)) {
        text_add(t, value < 0 ? "-inf" : "inf");
        return;
    }
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_add(t, digits);
}
