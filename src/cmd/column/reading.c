/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings with a name and a unit. */
#include "cmd/column/column.h"

#include <ctype.h>
#include <string.h>

#define TIME "a time"
#define RATE "a rate in bytes"

static const struct column_unit units[] = {
    {"ns", TIME, 1},          {"us", TIME, 1e3},       {"\xc2\xb5s", TIME, 1e3}, /* micro sign */
    {"\xce\xbcs", TIME, 1e3},                                                    /* Greek mu */
    {"ms", TIME, 1e6},        {"s", TIME, 1e9},        {"sec", TIME, 1e9},
    {"min", TIME, 60e9},      {"h", TIME, 3600e9},     {"B/s", RATE, 1},
    {"kB/s", RATE, 1e3},      {"KB/s", RATE, 1e3},     {"MB/s", RATE, 1e6},
    {"GB/s", RATE, 1e9},      {"KiB/s", RATE, 0x1p10}, {"MiB/s", RATE, 0x1p20},
    {"GiB/s", RATE, 0x1p30},
};

static const struct column_unit *unit_of(struct span s)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (s.length == strlen(units[i].name) && !memcmp(s.text, units[i].name, s.length))
            return &units[i];
    return NULL;
}

enum number_status column_reading_parse(struct span text, struct column_reading *r)
{
    text = span_trimmed(text);
    *r = (struct column_reading){0};
    enum number_status status = reading_parse(text.text, text.length, &r->value);
    if (status != NUMBER_NONE || !text.length)
        return status;
    const char *equals = memchr(text.text, '=', text.length);
    if (equals) {
        const size_t length = (size_t)(equals - text.text);
        r->name = span_trimmed((struct span){text.text, length});
        text = span_trimmed((struct span){equals + 1, text.length - length - 1});
        if (!r->name.length)
            return NUMBER_NONE;
    }
    size_t digits = text.length; /* up to and including the last digit */
    while (digits > 0 && !isdigit((unsigned char)text.text[digits - 1]))
        digits--;
    struct span unit = span_trimmed((struct span){text.text + digits, text.length - digits});
    r->unit = unit_of(unit);
    if (unit.length && !r->unit)
        return NUMBER_NONE;
    return reading_parse(text.text, digits, &r->value);
}
