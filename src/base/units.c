/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units: parsing is exact, in whole numbers; formatting writes three significant
   digits. */
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* A number as it was typed: digits / 10^decimals, exactly. */
struct decimal {
    uint64_t digits;
    unsigned decimals;
};

struct unit {
    const char *name;
    uint64_t scale;
};

static const struct unit size_units[] = {
    {"", 1},
    {"b", 1},
    {"k", 1ull << 10},
    {"kb", 1ull << 10},
    {"kib", 1ull << 10},
    {"m", 1ull << 20},
    {"mb", 1ull << 20},
    {"mib", 1ull << 20},
    {"g", 1ull << 30},
    {"gb", 1ull << 30},
    {"gib", 1ull << 30},
    {"t", 1ull << 40},
    {"tb", 1ull << 40},
    {"tib", 1ull << 40},
};

static const struct unit time_units[] = {
    {"", 1000000000},  {"ns", 1},           {"us", 1000},          {"ms", 1000000},
    {"s", 1000000000}, {"m", 60000000000u}, {"min", 60000000000u}, {"h", 3600000000000u},
};

enum decimal_fault { DECIMAL_OK, DECIMAL_NONE, DECIMAL_TOO_LONG };

/* Reads "12" or "12.5" at *text and moves *text past it. */
static enum decimal_fault read_decimal(const char **text, struct decimal *d)
{
    const char *p = *text;
    bool any = false, fraction = false;
    *d = (struct decimal){0};
    for (;; p++) {
        if (*p == '.' && !fraction && any) {
            fraction = true;
            continue;
        }
        if (*p < '0' || *p > '9')
            break;
        if (__builtin_mul_overflow(d->digits, 10u, &d->digits) ||
            __builtin_add_overflow(d->digits, (unsigned)(*p - '0'), &d->digits))
            return DECIMAL_TOO_LONG;
        d->decimals += fraction;
        any = true;
    }
    if (!any || p[-1] == '.')
        return DECIMAL_NONE;
    while (d->decimals && d->digits % 10 == 0) {
        d->digits /= 10;
        d->decimals--;
    }
    if (d->decimals > 18)
        return DECIMAL_TOO_LONG;
    *text = p;
    return DECIMAL_OK;
}

static const struct unit *find_unit(const struct unit *units, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(units[i].name, name))
            return &units[i];
    return NULL;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

/* Reads a number with one of the units. In messages, `what` names the quantity, `expected` its
   form, `atom` its smallest unit. */
static int parse_with_unit(const char *text, const struct unit *units, size_t count,
                           const char *what, const char *expected, const char *atom,
                           uint64_t *value, struct err *e)
{
    const char *rest = text;
    struct decimal d;
    enum decimal_fault fault = read_decimal(&rest, &d);
    const struct unit *unit = fault == DECIMAL_OK ? find_unit(units, count, rest) : NULL;
    if (fault == DECIMAL_TOO_LONG)
        return err_set(e, ERR_USAGE, "\"%.60s\" is too large or too long for %s", text, what);
    if (!unit)
        return err_set(e, ERR_USAGE, "\"%.60s\" is not %s: %s", text, what, expected);

    uint64_t scaled;
    if (__builtin_mul_overflow(d.digits, unit->scale, &scaled))
        return err_set(e, ERR_USAGE, "\"%.60s\" is too large or too long for %s", text, what);
    uint64_t divisor = power_of_ten(d.decimals);
    if (scaled % divisor)
        return err_set(e, ERR_USAGE, "\"%.60s\" is not %s: it is no whole number of %s", text, what,
                       atom);
    *value = scaled / divisor;
    return 0;
}

int parse_size(const char *text, uint64_t *bytes, struct err *e)
{
    return parse_with_unit(text, size_units, sizeof size_units / sizeof *size_units, "a size",
                           "a number and one of k, m, g, t is expected, as in 4k", "bytes", bytes,
                           e);
}

int parse_time(const char *text, uint64_t *ns, struct err *e)
{
    return parse_with_unit(text, time_units, sizeof time_units / sizeof *time_units, "a time",
                           "a number and one of ns, us, ms, s, m, h is expected, as in 10ms",
                           "nanoseconds", ns, e);
}

int parse_rate(const char *text, double *per_second, struct err *e)
{
    static const struct unit units[] = {
        {"", 1000000}, {"k", 1000000000u}, {"m", 1000000000000u}, {"/s", 1000000}};
    uint64_t millionths = 0;
    if (parse_with_unit(text, units, sizeof units / sizeof *units, "a rate",
                        "a number of requests per second is expected, as in 500 or 20k",
                        "millionths", &millionths, e))
        return -1;
    *per_second = (double)millionths / 1e6;
    return 0;
}

int parse_frequency(const char *text, uint64_t *hertz, struct err *e)
{
    static const struct unit units[] = {{"", 1},           {"hz", 1},          {"k", 1000},
                                        {"khz", 1000},     {"m", 1000000},     {"mhz", 1000000},
                                        {"g", 1000000000}, {"ghz", 1000000000}};
    return parse_with_unit(text, units, sizeof units / sizeof *units, "a frequency",
                           "a number and one of k, m, g is expected, as in 2.1g", "hertz", hertz,
                           e);
}

int parse_share(const char *text, double *share, struct err *e)
{
    /* With these limits the quotient is correctly rounded (a number up to 2^53 divided by a power
       of ten up to 10^22), so 99.9% and 0.999 give the same double. */
    const uint64_t max = 1ull << 53;
    const unsigned max_decimals = 16;
    const char *rest = text;
    struct decimal d;
    enum decimal_fault fault = read_decimal(&rest, &d);
    bool percent = fault == DECIMAL_OK && !strcmp(rest, "%");
    if (fault == DECIMAL_NONE || (fault == DECIMAL_OK && !percent && *rest))
        return err_set(e, ERR_USAGE, "\"%.60s\" is not a share: 5%% or 0.05 is expected", text);
    if (fault == DECIMAL_TOO_LONG || d.digits > max || d.decimals > max_decimals)
        return err_set(e, ERR_USAGE, "\"%.60s\" has too many digits for a share", text);

    double value = (double)d.digits / (double)power_of_ten(d.decimals + (percent ? 2 : 0));
    if (value > 1)
        return err_set(e, ERR_USAGE,
                       "\"%.60s\" is not a share: it is above 100%% (5%% or 0.05 is expected)",
                       text);
    *share = value;
    return 0;
}

int parse_width(const char *text, double *share, struct err *e)
{
    bool is_half = !strncmp(text, "+-", 2);
    if (parse_share(is_half ? text + 2 : text, share, e))
        return -1;
    *share *= is_half ? 2 : 1;
    return 0;
}

int parse_unsigned(const char *text, uint64_t *value, struct err *e)
{
    const char *rest = text;
    struct decimal d;
    enum decimal_fault fault = read_decimal(&rest, &d);
    if (fault == DECIMAL_TOO_LONG)
        return err_set(e, ERR_USAGE, "\"%.60s\" is too large: at most %llu is possible", text,
                       (unsigned long long)UINT64_MAX);
    if (fault == DECIMAL_NONE || *rest || strchr(text, '.'))
        return err_set(e, ERR_USAGE, "\"%.60s\" is not a whole number of 0 or more", text);
    *value = d.digits;
    return 0;
}

/* One unit of a display scale. It is used while the rounded value in this unit is below `limit`. */
struct step {
    double scale;
    double limit;
    const char *suffix;
};

static const struct step size_steps[] = {
    {1, 1023.5, " B"},        {0x1p10, 1023.5, " KiB"}, {0x1p20, 1023.5, " MiB"},
    {0x1p30, 1023.5, " GiB"}, {0x1p40, 1023.5, " TiB"}, {0x1p50, INFINITY, " PiB"},
};

static const struct step rate_steps[] = {
    {1, 999.5, " B/s"},    {1e3, 999.5, " kB/s"},     {1e6, 999.5, " MB/s"},
    {1e9, 999.5, " GB/s"}, {1e12, INFINITY, " TB/s"},
};

static const struct step count_steps[] = {
    {1, 999.5, ""}, {1e3, 999.5, "k"}, {1e6, 999.5, "M"}, {1e9, 999.5, "G"}, {1e12, INFINITY, "T"},
};

static const struct step time_steps[] = {
    {1, 999.5, " ns"},  {1e3, 999.5, " us"},   {1e6, 999.5, " ms"},
    {1e9, 119.5, " s"}, {6e10, 119.5, " min"}, {3.6e12, INFINITY, " h"},
};

/* Writes whole values without decimals, others with three significant digits: 12 s, 1.20 ms,
   0.00312 ns. */
static char *format_step(char *to, size_t size, double value, const struct step *steps)
{
    if (!isfinite(value)) {
        snprintf(to, size, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return to;
    }
    const struct step *step = steps;
    while (fabs(value) / step->scale >= step->limit)
        step++;
    double shown = value / step->scale, magnitude = fabs(shown);
    if (magnitude < 1e15 && shown == nearbyint(shown))
        snprintf(to, size, "%.0f%s", shown, step->suffix);
    else if (magnitude < 0.9995 || magnitude >= 1e6)
        snprintf(to, size, "%.3g%s", shown, step->suffix);
    else
        snprintf(to, size, "%.*f%s",
                 magnitude < 9.995   ? 2
                 : magnitude < 99.95 ? 1
                                     : 0,
                 shown, step->suffix);
    return to;
}

/* Sizes are chosen rather than measured, so trailing zeros are left out: 1.5 GiB, not 1.50 GiB. */
char *format_size(char *to, size_t size, double bytes)
{
    format_step(to, size, bytes, size_steps);
    char *point = strchr(to, '.'), *space = strchr(to, ' ');
    if (point && space) {
        char *end = space;
        while (end[-1] == '0')
            end--;
        if (end[-1] == '.')
            end--;
        memmove(end, space, strlen(space) + 1);
    }
    return to;
}

char *format_rate(char *to, size_t size, double bytes)
{
    return format_step(to, size, bytes, rate_steps);
}

char *format_count(char *to, size_t size, double count)
{
    return format_step(to, size, count, count_steps);
}

char *format_time_left(char *to, size_t size, double seconds)
{
    const unsigned minute = 60, hour = 3600;
    unsigned s = (unsigned)ceil(fmin(fmax(seconds, 0), 1e9));
    if (s >= hour)
        snprintf(to, size, "%u h %u min", s / hour, s % hour / minute);
    else if (s >= minute)
        snprintf(to, size, "%u min %u s", s / minute, s % minute);
    else
        snprintf(to, size, "%u s", s);
    return to;
}

char *format_time(char *to, size_t size, double ns)
{
    return format_step(to, size, ns, time_steps);
}

char *format_instant(char *to, size_t size, uint64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000u);
    struct tm utc;
    char date[24] = "";
    if (gmtime_r(&seconds, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(to, size, "%s.%03uZ", date, (unsigned)(ns / 1000000u % 1000));
    return to;
}

char *format_date_iso(char *to, size_t size, const char *words)
{
    static const char form[] = "0000-00-00 00:00:00 UTC";
    size_t same = 0;
    while (words[same] && (form[same] == '0' ? words[same] >= '0' && words[same] <= '9'
                                             : words[same] == form[same]))
        same++;
    bool holds = same == sizeof form - 1 && !words[same];
    snprintf(to, size, "%.10s%s%.8s%s", holds ? words : "", holds ? "T" : "",
             holds ? words + 11 : "", holds ? "Z" : "");
    return to;
}
