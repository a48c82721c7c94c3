/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the parts of a line of Prometheus' text. */
#include "many/merge/bins/bins.h"

#include <math.h>
#include <string.h>

#include "base/number_parse.h"

double prometheus_number(struct span s)
{
    double value;
    if (span_is(s, "+Inf") || span_is(s, "Inf"))
        return INFINITY;
    return number_parse(s.text, s.length, &value) == NUMBER_OK ? value : NAN;
}

/* Returns the length of the part in braces that `text` begins with, its braces included; 0: it has
   no end. Quotes hide braces. */
static size_t braces_at(const char *text, const char *end)
{
    bool quoted = false;
    size_t depth = 0;
    for (const char *p = text; p < end; p++) {
        if (quoted && *p == '\\' && p + 1 < end)
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted && *p == '{')
            depth++;
        else if (!quoted && *p == '}' && --depth == 0)
            return (size_t)(p - text) + 1;
    }
    return 0;
}

bool prometheus_sample_parse(struct span line, struct prometheus_sample *to)
{
    const char *p = line.text, *end = p + line.length;
    while (p < end && *p != '{' && *p != ' ' && *p != '\t')
        p++;
    *to = (struct prometheus_sample){.name = {line.text, (size_t)(p - line.text)},
                                     .labels = span_of("")};
    if (!to->name.length)
        return false;
    if (p < end && *p == '{') {
        const size_t length = braces_at(p, end);
        if (!length)
            return false;
        to->labels = (struct span){p + 1, length - 2};
        p += length;
    }
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    size_t length = p < end && *p == '{' ? braces_at(p, end) : 0;
    if (!length)
        while (p + length < end && p[length] != ' ' && p[length] != '\t')
            length++;
    to->value = (struct span){p, length};
    return length > 0;
}

bool prometheus_label_next(struct span *rest, struct span *key, struct span *value)
{
    const char *p = rest->text, *end = p + rest->length;
    while (p < end && (*p == ',' || *p == ' '))
        p++;
    const char *equals = p < end ? memchr(p, '=', (size_t)(end - p)) : NULL;
    if (!equals || end - equals < 3 || equals[1] != '"')
        return false;
    const char *stop = equals + 2;
    while (stop < end && *stop != '"')
        stop += *stop == '\\' ? 2 : 1;
    if (stop >= end)
        return false;
    *key = (struct span){p, (size_t)(equals - p)};
    *value = (struct span){equals + 2, (size_t)(stop - equals) - 2};
    *rest = (struct span){stop + 1, (size_t)(end - stop) - 1};
    return true;
}

struct span prometheus_label(struct span labels, const char *name)
{
    struct span key, value;
    while (prometheus_label_next(&labels, &key, &value))
        if (span_is(span_trimmed(key), name))
            return value;
    return span_of("");
}

struct span prometheus_field(struct span native, const char *name)
{
    const size_t length = strlen(name);
    const char *p = native.text, *end = p + native.length;
    while ((p = memmem(p, (size_t)(end - p), name, length)) != NULL) {
        const bool whole =
            p > native.text && strchr("{, ", p[-1]) && p + length < end && p[length] == ':';
        p += length;
        if (!whole)
            continue;
        p++;
        const bool list = p < end && *p == '[';
        const char *begin = p + list;
        for (p = begin; p < end && (list ? *p != ']' : !strchr(",} ", *p)); p++)
            ;
        return (struct span){begin, (size_t)(p - begin)};
    }
    return span_of("");
}

double prometheus_number_next(struct span *rest)
{
    size_t begin = 0;
    while (begin < rest->length && strchr(",: ", rest->text[begin]))
        begin++;
    size_t end = begin;
    while (end < rest->length && !strchr(",: ", rest->text[end]))
        end++;
    const double value = prometheus_number((struct span){rest->text + begin, end - begin});
    *rest = (struct span){rest->text + end, rest->length - end};
    return value;
}
