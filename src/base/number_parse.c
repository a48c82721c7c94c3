/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts decimal text to double: with one exact multiplication or division where that suffices
   (Clinger 1990, section 3), otherwise with strtod of the C library. */
#include "base/number_parse.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The number that was read: digits * 10^exponent. `exact`: `digits` contains every digit of the
   text. */
struct scanned {
    uint64_t digits;
    int exponent;
    bool negative, exact;
};

#define DIGITS_MAX   19    /* decimal digits that always fit 64 bits */
#define EXPONENT_MAX 99999 /* far beyond any double; keeps the sums of exponents within an int */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a run of digits into s. Each digit after the point lowers the exponent: `fraction` is then
   1. */
static const char *scan_digits(const char *p, const char *end, struct scanned *s, int *used,
                               int fraction)
{
    for (; p < end && is_digit(*p); p++) {
        if (*used == DIGITS_MAX) {
            s->exact = s->exact && *p == '0';
            s->exponent += !fraction && s->exponent < EXPONENT_MAX;
            continue;
        }
        s->digits = s->digits * 10 + (uint64_t)(*p - '0');
        *used += s->digits != 0;
        s->exponent -= fraction && s->exponent > -EXPONENT_MAX;
    }
    return p;
}

static const char *scan_exponent(const char *p, const char *end, struct scanned *s)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return NULL;
    int exponent = 0;
    for (; p < end && is_digit(*p); p++)
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (*p - '0');
    s->exponent += negative ? -exponent : exponent;
    return p;
}

static bool scan(const char *text, size_t length, struct scanned *s)
{
    const char *p = text, *end = text + length;
    *s = (struct scanned){.exact = true};
    if (p < end && (*p == '-' || *p == '+'))
        s->negative = *p++ == '-';
    int used = 0;
    const char *whole = p;
    p = scan_digits(p, end, s, &used, 0);
    bool any = p > whole;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = scan_digits(p, end, s, &used, 1);
        any = any || p > fraction;
    }
    if (any && p < end && (*p == 'e' || *p == 'E'))
        p = scan_exponent(p + 1, end, s);
    return any && p == end;
}

enum number_status number_parse(const char *text, size_t length, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int powers_max = 22; /* 10^22 is the last power of ten that a double holds exactly */
    struct scanned s;
    if (!scan(text, length, &s))
        return NUMBER_NONE;

    /* Both operands are exact, so there is only one rounding, to the nearest. */
    if (s.exact && s.digits <= 1ull << 53 && s.exponent >= -powers_max &&
        s.exponent <= powers_max) {
        double magnitude = (double)s.digits;
        magnitude =
            s.exponent < 0 ? magnitude / powers[-s.exponent] : magnitude * powers[s.exponent];
        *value = s.negative ? -magnitude : magnitude;
        return NUMBER_OK;
    }
    /* strtod needs a '\0' at the end, so the text is copied: to the stack if it has a usual
       length. */
    char room[128];
    char *copy = length < sizeof room ? room : malloc(length + 1);
    double read = (double)NAN;
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        read = strtod(copy, NULL);
    }
    if (copy != room)
        free(copy);
    if (!isfinite(read))
        return NUMBER_TOO_LARGE;
    *value = read;
    return NUMBER_OK;
}

bool reading_fits(double value)
{
    return fabs(value) <= READING_MAX;
}

enum number_status reading_parse(const char *text, size_t length, double *value)
{
    enum number_status status = number_parse(text, length, value);
    return status == NUMBER_OK && !reading_fits(*value) ? NUMBER_TOO_LARGE : status;
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

double number_begin(const char *text, const char **end)
{
    const char *p = skip_digits(text);
    if (*p == '.')
        p = skip_digits(p + 1);
    *end = text;
    if (p == text || (p == text + 1 && *text == '.'))
        return NAN;
    const char *exponent = p + 1 + (*p && (p[1] == '-' || p[1] == '+'));
    if ((*p == 'e' || *p == 'E') && is_digit(*exponent))
        p = skip_digits(exponent);
    double value = INFINITY;
    number_parse(text, (size_t)(p - text), &value);
    *end = p;
    return value;
}

size_t number_scan_whole(const char **text, uint64_t numbers[], size_t max)
{
    size_t count = 0;
    const char *p = *text;
    while (count < max) {
        p += strspn(p, " \t");
        if (*p < '0' || *p > '9')
            break;
        char *end;
        numbers[count++] = strtoull(p, &end, 10);
        p = end;
    }
    *text = p;
    return count;
}
