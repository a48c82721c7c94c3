/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and formats the quantities of expectations: numbers with units, and links. */
#include "machine/qualify/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number_parse.h"
#include "base/units.h"

struct unit {
    const char *name;
    double scale;
    bool binary;
};

static const struct unit no_units[] = {{"", 1, false}, {NULL, 0, false}};
static const struct unit percent_units[] = {{"", 1, false}, {"%", 1, false}, {NULL, 0, false}};
static const struct unit share_units[] = {{"", 1, false}, {"%", 0.01, false}, {NULL, 0, false}};
static const struct unit hour_units[] = {{"", 1, false}, {"h", 1, false}, {NULL, 0, false}};
static const struct unit degree_units[] = {{"", 1, false}, {"C", 1, false}, {NULL, 0, false}};
static const struct unit size_units[] = {
    {"B", 1, false},       {"kB", 1e3, false},    {"KB", 1e3, false},    {"MB", 1e6, false},
    {"GB", 1e9, false},    {"TB", 1e12, false},   {"PB", 1e15, false},   {"KiB", 0x1p10, true},
    {"MiB", 0x1p20, true}, {"GiB", 0x1p30, true}, {"TiB", 0x1p40, true}, {"PiB", 0x1p50, true},
    {NULL, 0, false}};
static const struct unit rate_units[] = {
    {"B/s", 1, false},       {"kB/s", 1e3, false},    {"MB/s", 1e6, false},
    {"GB/s", 1e9, false},    {"TB/s", 1e12, false},   {"KiB/s", 0x1p10, true},
    {"MiB/s", 0x1p20, true}, {"GiB/s", 0x1p30, true}, {NULL, 0, false}};
static const struct unit count_rate_units[] = {
    {"", 1, false}, {"k", 1e3, false}, {"M", 1e6, false}, {NULL, 0, false}};
static const struct unit time_units[] = {{"ns", 1, false},     {"us", 1e3, false},
                                         {"ms", 1e6, false},   {"s", 1e9, false},
                                         {"min", 6e10, false}, {NULL, 0, false}};
static const struct unit frequency_units[] = {
    {"MHz", 1e6, false}, {"GHz", 1e9, false}, {NULL, 0, false}};
static const struct unit link_units[] = {{"GT/s", 1e9, true},  {"Gbit/s", 1e9, false},
                                         {"Gb/s", 1e9, false}, {"Mbit/s", 1e6, false},
                                         {"Mb/s", 1e6, false}, {NULL, 0, false}};

static const struct {
    const struct unit *units;
    const char *expected;
} forms[] = {
    [QUANTITY_COUNT] = {no_units, "a whole number is expected, as in 24"},
    [QUANTITY_PERCENT] = {percent_units, "a number of percent is expected, as in 5 or 5 %"},
    [QUANTITY_SHARE] = {share_units, "a share is expected, as in 0.95 or 95 %"},
    [QUANTITY_HOURS] = {hour_units, "a number of hours is expected, as in 100 or 100 h"},
    [QUANTITY_TEMPERATURE] = {degree_units, "degrees Celsius are expected, as in 70 or 70 C"},
    [QUANTITY_SIZE] = {size_units, "a size with its unit is expected, as in 7.6 TB (powers of "
                                   "1000) or 512 GiB (powers of 1024)"},
    [QUANTITY_RATE] = {rate_units, "a rate is expected, as in 6.5 GB/s, 550 MB/s or 500 MiB/s"},
    [QUANTITY_COUNT_RATE] = {count_rate_units, "a number is expected, as in 95000, 900k or 1.2M"},
    [QUANTITY_TIME] = {time_units, "a time with its unit is expected, as in 500us, 1.5ms or 2s"},
    [QUANTITY_FREQUENCY] = {frequency_units, "a frequency is expected, as in 3.1 GHz or 2400 MHz"},
    [QUANTITY_LINK] = {link_units, "a link is expected, as in 16.0 GT/s x4 or 6.0 Gbit/s"},
    [QUANTITY_TEXT] = {NULL, "a text or a shell pattern is expected, as in SAMSUNG MZWL*"},
};

/* ---- from text ---- */

static size_t blanks_at(struct span s, size_t at)
{
    size_t n = 0;
    while (at + n < s.length && (s.text[at + n] == ' ' || s.text[at + n] == '\t'))
        n++;
    return n;
}

/* Parses a number without a sign and without an exponent, which nobody writes here: number_parse
   alone would take "2e" for the begin of one. */
static int read_number(struct span s, double *number, size_t *end)
{
    size_t n = 0;
    while (n < s.length && strchr("0123456789.", s.text[n]) && s.text[n])
        n++;
    *end = n;
    return number_parse(s.text, n, number) == NUMBER_OK ? 0 : -1;
}

/* Returns the rounding error of a number that was copied from a page with four digits: half of its
   last digit. A number with fewer digits is taken as exact. */
static double half_digit_of(struct span s, double number)
{
    const double max = 0.0005;
    double half = 0.5;
    bool past_point = false;
    for (size_t i = 0; i < s.length && s.text[i] && strchr("0123456789.", s.text[i]); i++) {
        if (past_point)
            half /= 10;
        past_point |= s.text[i] == '.';
    }
    return fmin(half, max * number);
}

/* Upper and lower case matter in names with B (byte) or b (bit) only. */
static const struct unit *find_unit(const struct unit *units, struct span name)
{
    for (const struct unit *u = units; u->name; u++)
        if (strlen(u->name) == name.length && !strncmp(u->name, name.text, name.length))
            return u;
    for (const struct unit *u = units; u->name; u++)
        if (!strpbrk(u->name, "Bb") && strlen(u->name) == name.length &&
            !strncasecmp(u->name, name.text, name.length))
            return u;
    return NULL;
}

/* Reads a link. The caller handles the text after the lanes, from *at on. */
static int read_link(struct span s, struct amount *a, size_t *at)
{
    double number;
    if (read_number(s, &number, at))
        return -1;
    size_t begin = *at + blanks_at(s, *at), end = begin;
    while (end < s.length && s.text[end] != ' ' && s.text[end] != '\t')
        end++;
    const struct unit *unit = find_unit(link_units, (struct span){s.text + begin, end - begin});
    *at = begin;
    if (!unit)
        return -1;
    *at = end;
    *a = (struct amount){.number = number * unit->scale, .transfers = unit->binary};
    /* Lanes are " x4". An x without a number is a mistake; without an x, lanes stays 0. */
    size_t i = end + blanks_at(s, end);
    if (i == s.length || (s.text[i] != 'x' && s.text[i] != 'X'))
        return 0;
    size_t first = ++i;
    for (; i < s.length && s.text[i] >= '0' && s.text[i] <= '9' && i - first < 3; i++)
        a->lanes = a->lanes * 10 + (unsigned)(s.text[i] - '0');
    *at = i;
    return a->lanes > 0 ? 0 : -1;
}

int quantity_parse(enum quantity quantity, struct span s, struct amount *a, size_t *at,
                   const char **expected)
{
    *a = (struct amount){0};
    *at = 0;
    *expected = forms[quantity].expected;
    if (!s.length)
        return -1;
    if (quantity == QUANTITY_TEXT)
        return 0;
    if (quantity == QUANTITY_LINK) {
        int status = read_link(s, a, at);
        return status || *at == s.length ? status : -1;
    }
    if (read_number(s, &a->number, at)) {
        *at = 0;
        return -1;
    }
    *at += blanks_at(s, *at);
    const struct unit *unit =
        find_unit(forms[quantity].units, (struct span){s.text + *at, s.length - *at});
    if (!unit)
        return -1;
    if (quantity == QUANTITY_SIZE)
        a->half_digit = half_digit_of(s, a->number) * unit->scale;
    a->number *= unit->scale;
    a->binary = unit->binary;
    if ((quantity == QUANTITY_COUNT && a->number != floor(a->number)) ||
        (quantity == QUANTITY_SHARE && a->number > 1)) {
        *at = 0;
        return -1;
    }
    return 0;
}

bool quantity_read_link(const char *text, struct amount *a)
{
    size_t at;
    return !read_link(span_of(text), a, &at);
}

bool quantity_link_reaches(const struct amount *link, const struct amount *limit)
{
    bool wide = !link->lanes || !limit->lanes || link->lanes >= limit->lanes;
    return link->transfers == limit->transfers && link->number >= limit->number && wide;
}

/* ---- to text ---- */

static char *format_size_digits(char *to, size_t size, double bytes, bool binary, int digits)
{
    static const char *const names[][2] = {{"B", "B"},    {"kB", "KiB"}, {"MB", "MiB"},
                                           {"GB", "GiB"}, {"TB", "TiB"}, {"PB", "PiB"}};
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof *names && bytes >= (binary ? 1023.5 : 999.95)) {
        bytes /= binary ? 1024 : 1000;
        i++;
    }
    snprintf(to, size, "%.*g %s", digits, bytes, names[i][binary]);
    return to;
}

/* Formats a size with four digits, because 7.68 TB and 7.6 TB are different drives. It gets more
   digits if the expected size would otherwise look the same. */
static char *format_size_beside(char *to, size_t size, double bytes, const struct amount *like)
{
    const int max = 15;
    bool binary = like && like->binary;
    char other[40];
    for (int digits = 4; digits <= max; digits++) {
        format_size_digits(to, size, bytes, binary, digits);
        if (!like || bytes == like->number ||
            strcmp(to, format_size_digits(other, sizeof other, like->number, binary, digits)) != 0)
            break;
    }
    return to;
}

const char *quantity_example(enum quantity quantity)
{
    static const char *const examples[] = {
        [QUANTITY_COUNT] = "24",         [QUANTITY_PERCENT] = "5 %",
        [QUANTITY_SHARE] = "0.95",       [QUANTITY_HOURS] = "100 h",
        [QUANTITY_TEMPERATURE] = "70 C", [QUANTITY_SIZE] = "512 GiB",
        [QUANTITY_RATE] = "6.5 GB/s",    [QUANTITY_COUNT_RATE] = "900k",
        [QUANTITY_TIME] = "500us",       [QUANTITY_LINK] = "16.0 GT/s x4",
        [QUANTITY_TEXT] = "a text",      [QUANTITY_FREQUENCY] = "3.1 GHz",
    };
    return examples[quantity];
}

char *quantity_format(enum quantity quantity, double number, const struct amount *like, char *to,
                      size_t size)
{
    switch (quantity) {
    case QUANTITY_PERCENT:
        snprintf(to, size, "%.3g %%", number);
        return to;
    case QUANTITY_SHARE:
        snprintf(to, size, "%.3g", number);
        return to;
    case QUANTITY_HOURS:
        snprintf(to, size, "%.0f h", number);
        return to;
    case QUANTITY_TEMPERATURE:
        snprintf(to, size, "%.3g C", number);
        return to;
    case QUANTITY_SIZE:
        return format_size_beside(to, size, number, like);
    case QUANTITY_RATE:
        return format_rate(to, size, number);
    case QUANTITY_COUNT_RATE:
        return format_count(to, size, number);
    case QUANTITY_TIME:
        return format_time(to, size, number);
    case QUANTITY_FREQUENCY:
        snprintf(to, size, "%.4g GHz", number / 1e9);
        return to;
    default:
        snprintf(to, size, "%.0f", number);
        return to;
    }
}

/* Returns the unit for the numbers of an interval: the largest that does not exceed the number. */
static const struct unit *unit_for(enum quantity quantity, double number)
{
    static const struct unit rates[] = {
        {" GB/s", 1e9, false}, {" MB/s", 1e6, false}, {" kB/s", 1e3, false}, {" B/s", 1, false}};
    static const struct unit counts[] = {
        {"M", 1e6, false}, {"k", 1e3, false}, {"", 1, false}, {"", 1, false}};
    static const struct unit times[] = {
        {" s", 1e9, false}, {" ms", 1e6, false}, {" us", 1e3, false}, {" ns", 1, false}};
    static const struct unit frequencies[] = {
        {" GHz", 1e9, false}, {" MHz", 1e6, false}, {" Hz", 1, false}, {" Hz", 1, false}};
    static const struct unit others[] = {{"", 1, false}}, percents[] = {{" %", 1, false}};
    const struct unit *units = quantity == QUANTITY_RATE         ? rates
                               : quantity == QUANTITY_COUNT_RATE ? counts
                               : quantity == QUANTITY_TIME       ? times
                               : quantity == QUANTITY_FREQUENCY  ? frequencies
                                                                 : NULL;
    if (!units)
        return quantity == QUANTITY_PERCENT ? percents : others;
    for (int i = 0; i < 3; i++, units++)
        if (number >= units->scale)
            return units;
    return units;
}

static int magnitude(double number)
{
    return number > 0 ? (int)floor(log10(number)) : 0;
}

char *quantity_format_interval(enum quantity quantity, double number, double low, double high,
                               char *to, size_t size)
{
    const int max = 6;
    const struct unit *unit = unit_for(quantity, number);
    double shown = number / unit->scale, arm = fmax(high - number, number - low) / unit->scale;
    int decimals = 2 - magnitude(shown);
    if (isfinite(arm) && arm > 0)
        decimals = 1 - magnitude(arm) > decimals ? 1 - magnitude(arm) : decimals;
    decimals = decimals < 0 ? 0 : decimals > max ? max : decimals;
    int used = snprintf(to, size, "%.*f%s", decimals, shown, unit->name);
    bool counts = quantity == QUANTITY_COUNT_RATE;
    const char *each = counts ? unit->name : "";
    if (used >= 0 && (size_t)used < size)
        used += snprintf(to + used, size - (size_t)used, "%s", counts ? " IOPS" : "");
    if (isfinite(low) && isfinite(high) && used >= 0 && (size_t)used < size)
        snprintf(to + used, size - (size_t)used, " (%.*f%s to %.*f%s)", decimals, low / unit->scale,
                 each, decimals, high / unit->scale, each);
    return to;
}
