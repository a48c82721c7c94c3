/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One reading in the form that programs print: 1.42, 1.5 ms, time=1.42, "bandwidth = 512 MB/s",
 * 1-02:03:04. All readings of a column have the same name, and units of one quantity.
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "cmd/column/internal.h"

#define QUOTED 44 /* room for text of the input in a message */

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

/* Parses a clock's time, as in 02:15, 1:02:03.5 and 1-02:03:04, into seconds. */
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
    size_t digits = text.length; /* up to and including the last digit */
    while (digits > 0 && !isdigit((unsigned char)text.text[digits - 1]))
        digits--;
    struct span unit = span_trimmed((struct span){text.text + digits, text.length - digits});
    r->unit = column_unit_of(unit);
    if (unit.length && !r->unit)
        return NUMBER_NONE;
    return reading_parse(text.text, digits, &r->value);
}

bool reading_is(struct span text)
{
    struct reading r;
    return reading_of_text(text, &r) != NUMBER_NONE;
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

/* ---- a column of them ---- */

static int wrong_text(const struct filling *f, struct span s, const char *what, struct err *e)
{
    char text[QUOTED];
    return err_set(e, ERR_USAGE, "%s, %s %zu: \"%s\" %s", f->file, f->part, f->place,
                   span_printable(text, sizeof text, s), what);
}

int filling_add_number(struct filling *f, double value, struct err *e)
{
    struct column *column = f->column;
    if (!array_grow(&column->values, sizeof *column->values, column->count, &f->capacity))
        return err_no_memory(e, "more than %zu numbers of %s", column->count, f->file);
    column->values[column->count++] = value;
    return 0;
}

int filling_read(const struct filling *f, struct span text, struct reading *r, struct err *e)
{
    enum number_status status = reading_of_text(text, r);
    if (status == NUMBER_TOO_LARGE)
        return wrong_text(f, text, "is too large: readings are of at most 1e60", e);
    if (status == NUMBER_NONE)
        return wrong_text(f, text,
                          reading_is_missing(text)
                              ? "is no finite number: remove or replace such lines"
                              : "is not a number",
                          e);
    return 0;
}

/* Adds the name in the first reading, and its unit, to the name of the column. */
static void name_column(struct column *column, const char *name)
{
    if (*name)
        snprintf(column->name, sizeof column->name, "%.50s", name);
    if (column->unit)
        snprintf(column->name + strlen(column->name), sizeof column->name - strlen(column->name),
                 "%s%s%s", *column->name ? " (" : "", column->unit->name, *column->name ? ")" : "");
}

static bool all_are_zero(const struct column *column)
{
    size_t i = 0;
    while (i < column->count && column->values[i] == 0)
        i++;
    return i == column->count;
}

int filling_add(struct filling *f, const struct reading *r, struct span text, struct err *e)
{
    struct column *column = f->column;
    const struct column_unit *unit = r->unit;
    double value = r->value;
    char name[sizeof f->name] = "";
    if (r->name.length)
        span_printable(name, sizeof name, r->name);
    if (!column->count) {
        column->unit = unit;
        snprintf(f->name, sizeof f->name, "%s", name);
        name_column(column, name);
    }
    if (strcmp(name, f->name) != 0)
        return wrong_text(f, text, "has another name than the readings before", e);
    /* Programs that abbreviate amounts write 0 without a unit. */
    if (!unit && column->unit && value == 0)
        unit = column->unit;
    if (unit && !column->unit && all_are_zero(column)) {
        column->unit = unit;
        name_column(column, "");
    }
    if (!unit != !column->unit || (unit && unit->quantity != column->unit->quantity))
        return wrong_text(f, text,
                          column->unit ? "has not the unit of the readings before"
                                       : "has a unit, and the readings before have none",
                          e);
    if (unit && unit != column->unit)
        value *= unit->scale / column->unit->scale;
    if (!reading_fits(value))
        return wrong_text(f, text, "is too large in the unit of the readings before", e);
    return filling_add_number(f, value, e);
}
