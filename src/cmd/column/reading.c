/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses a reading in the forms that programs print: 1.42, 1.5 ms, time=1.42, "bandwidth = 512
 * MB/s", 1-02:03:04. All readings of a column have the same name, and units of one quantity.
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/column/internal.h"

static const struct column_unit units[] = {
    {"ns", COLUMN_TIME, 1},          {"us", COLUMN_TIME, 1e3},
    {"\xc2\xb5s", COLUMN_TIME, 1e3}, /* micro sign */
    {"\xce\xbcs", COLUMN_TIME, 1e3}, /* Greek mu */
    {"ms", COLUMN_TIME, 1e6},        {"s", COLUMN_TIME, 1e9},
    {"sec", COLUMN_TIME, 1e9},       {"min", COLUMN_TIME, 60e9},
    {"h", COLUMN_TIME, 3600e9},      {"B/s", COLUMN_RATE, 1},
    {"kB/s", COLUMN_RATE, 1e3},      {"KB/s", COLUMN_RATE, 1e3},
    {"MB/s", COLUMN_RATE, 1e6},      {"GB/s", COLUMN_RATE, 1e9},
    {"KiB/s", COLUMN_RATE, 0x1p10},  {"MiB/s", COLUMN_RATE, 0x1p20},
    {"GiB/s", COLUMN_RATE, 0x1p30},  {"K", COLUMN_BYTES, 0x1p10},
    {"M", COLUMN_BYTES, 0x1p20},     {"G", COLUMN_BYTES, 0x1p30},
    {"T", COLUMN_BYTES, 0x1p40},
};

const struct column_unit *column_unit_of(struct span name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (span_is(name, units[i].name))
            return &units[i];
    return NULL;
}

/* Parses a duration such as 02:15, 1:02:03.5 or 1-02:03:04 into seconds. */
static bool read_clock(struct span text, double *seconds)
{
    const char *at = text.text, *end = text.text + text.length;
    double parts = 0, part = 0;
    size_t colons = 0;
    const char *dash = memchr(at, '-', text.length);
    *seconds = 0;
    if (dash) {
        if (number_parse(at, (size_t)(dash - at), &part) != NUMBER_OK || part < 0 ||
            part != floor(part))
            return false;
        parts = part * 24;
        at = dash + 1;
    }
    for (;;) {
        const char *colon = memchr(at, ':', (size_t)(end - at));
        const char *stop = colon ? colon : end;
        if (stop == at || !isdigit((unsigned char)*at) ||
            number_parse(at, (size_t)(stop - at), &part) != NUMBER_OK ||
            (colon && part != floor(part)))
            return false;
        parts = parts * (colons || !dash ? 60 : 1) + part;
        if (!colon)
            break;
        colons++;
        at = colon + 1;
    }
    *seconds = parts;
    return (dash ? colons == 2 : colons == 1 || colons == 2) && reading_fits(parts);
}

enum number_status reading_of_text(struct span text, struct reading *r)
{
    text = span_trimmed(text);
    *r = (struct reading){0};
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
    if (memchr(text.text, ':', text.length)) {
        r->unit = column_unit_of(span_of("s"));
        return read_clock(text, &r->value) ? NUMBER_OK : NUMBER_NONE;
    }
    size_t digits = text.length; /* number of characters up to the last digit */
    while (digits > 0 && !isdigit((unsigned char)text.text[digits - 1]))
        digits--;
    struct span unit = span_trimmed((struct span){text.text + digits, text.length - digits});
    r->unit = column_unit_of(unit);
    if (unit.length && !r->unit)
        return NUMBER_NONE;
    return reading_parse(text.text, digits, &r->value);
}

bool reading_is_missing(struct span s)
{
    if (s.length && (s.text[0] == '-' || s.text[0] == '+')) {
        s.text++;
        s.length--;
    }
    bool infinity = (s.length == 3 && !strncasecmp(s.text, "inf", 3)) ||
                    (s.length == 8 && !strncasecmp(s.text, "infinity", 8));
    return infinity || (s.length && field_is_missing(s));
}
