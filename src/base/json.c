/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A JSON writer. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/span.h"

struct json json_on(struct text *out)
{
    return (struct json){.out = out, .depth = 0, .empty = true};
}

/* Writes an escape for characters of at most 16 bits. */
static void add_escaped(struct text *out, uint32_t code)
{
    static const char letters[] = "\b\f\n\r\t\"\\", escapes[] = "bfnrt\"\\";
    const char *found = code < 0x80 ? memchr(letters, (int)code, sizeof letters - 1) : NULL;
    if (found)
        text_addf(out, "\\%c", escapes[found - letters]);
    else
        text_addf(out, "\\u%04x", (unsigned)code);
}

/* Returns true for printable ASCII that needs no escape; nearly all text consists of it. */
static bool is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void add_string(struct text *out, const char *value)
{
    text_add(out, "\"");
    const unsigned char *s = (const unsigned char *)value;
    while (*s) {
        const unsigned char *plain = s;
        while (is_plain(*s))
            s++;
        text_add_bytes(out, (const char *)plain, (size_t)(s - plain));
        if (!*s)
            break;
        uint32_t code;
        size_t length =
            span_decode((struct span){(const char *)s, strnlen((const char *)s, 4)}, &code);
        if (length == 0)
            text_add(out, "\xef\xbf\xbd");
        else if (span_steers(code) || code == '"' || code == '\\')
            add_escaped(out, code);
        else
            text_add_bytes(out, (const char *)s, length);
        s += length > 0 ? length : 1;
    }
    text_add(out, "\"");
}

static void add_number(struct text *out, double value)
{
    if (isfinite(value))
        text_add_number(out, value);
    else
        text_add(out, "null");
}

static void new_line(struct json *j)
{
    text_add(j->out, "\n");
    for (int i = 0; i < j->depth; i++)
        text_add(j->out, "  ");
}

/* Writes the comma, the line break and the key before a value. */
static void begin_value(struct json *j, const char *key)
{
    if (!j->empty)
        text_add(j->out, ",");
    if (j->depth > 0)
        new_line(j);
    j->empty = false;
    if (key) {
        add_string(j->out, key);
        text_add(j->out, ": ");
    }
}

static void begin(struct json *j, const char *key, const char *bracket)
{
    begin_value(j, key);
    text_add(j->out, bracket);
    j->depth++;
    j->empty = true;
}

static void end(struct json *j, const char *bracket)
{
    j->depth--;
    if (!j->empty)
        new_line(j);
    text_add(j->out, bracket);
    j->empty = false;
    if (j->depth == 0)
        text_add(j->out, "\n");
}

void json_begin_object(struct json *j, const char *key)
{
    begin(j, key, "{");
}

void json_end_object(struct json *j)
{
    end(j, "}");
}

void json_begin_array(struct json *j, const char *key)
{
    begin(j, key, "[");
}

void json_end_array(struct json *j)
{
    end(j, "]");
}

void json_string(struct json *j, const char *key, const char *value)
{
    begin_value(j, key);
    add_string(j->out, value);
}

void json_number(struct json *j, const char *key, double value)
{
    begin_value(j, key);
    add_number(j->out, value);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    text_addf(j->out, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin_value(j, key);
    text_add(j->out, value ? "true" : "false");
}

void json_numbers(struct json *j, const char *key, const double values[], size_t count)
{
    begin_value(j, key);
    text_add(j->out, "[");
    for (size_t i = 0; i < count; i++) {
        text_add(j->out, i > 0 ? ", " : "");
        add_number(j->out, values[i]);
    }
    text_add(j->out, "]");
}

void json_sizes(struct json *j, const char *key, const size_t values[], size_t count)
{
    begin_value(j, key);
    text_add(j->out, "[");
    for (size_t i = 0; i < count; i++)
        text_addf(j->out, "%s%zu", i > 0 ? ", " : "", values[i]);
    text_add(j->out, "]");
}
