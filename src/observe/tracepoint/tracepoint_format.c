/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading format files. */
#include "observe/tracepoint/tracepoint.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The number behind `key` in the text before `end`; -1: there is none. */
static long number_behind(const char *text, const char *end, const char *key)
{
    const char *at = strstr(text, key);
    if (!at || at >= end)
        return -1;
    at += strlen(key);
    char *stop;
    long value = strtol(at, &stop, 10);
    return stop == at || value < 0 || value > UINT16_MAX ? -1 : value;
}

int format_number(const char *text)
{
    return (int)number_behind(text, text + strlen(text), "ID:");
}

/* Does the declaration [begin, end) declare `name`: "char rwbs[10]", "unsigned int bytes"? */
static bool declares(const char *begin, const char *end, const char *name)
{
    size_t length = strlen(name);
    const char *last = end;
    while (last > begin && last[-1] != ' ')
        last--;
    return (size_t)(end - last) >= length && !strncmp(last, name, length) &&
           (last + length == end || last[length] == '[');
}

struct tracepoint_field format_field(const char *text, const char *name)
{
    struct tracepoint_field field = {0};
    for (const char *at = strstr(text, "field:"); at; at = strstr(at + 1, "field:")) {
        const char *end = strchr(at, ';'), *line = strchr(at, '\n');
        if (!end || !line || end > line || !declares(at, end, name))
            continue;
        long offset = number_behind(end, line, "offset:");
        long size = number_behind(end, line, "size:");
        if (offset < 0 || size < 0)
            break;
        field.offset = (uint16_t)offset;
        field.size = (uint16_t)size;
        field.is_signed = number_behind(end, line, "signed:") == 1;
        break;
    }
    return field;
}
