/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole numbers and words in lines that are not ended by '\0', fast and to the letter. */
#ifndef CUPEL_TRACE_SCAN_H
#define CUPEL_TRACE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

enum scan_status { SCAN_OK, SCAN_NONE, SCAN_LARGE };

#define SCAN_SAFE_DIGITS 19 /* so many always fit 64 bits */

static inline bool scan_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The digits at *p, which moves behind them. */
static inline enum scan_status scan_whole(const char **p, const char *end, uint64_t *value)
{
    const char *begin = *p, *at = begin;
    uint64_t v = 0;
    for (; at < end && scan_is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (at - begin < SCAN_SAFE_DIGITS)
            v = v * 10 + digit;
        else if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, digit, &v))
            return SCAN_LARGE;
    }
    *p = at;
    *value = v;
    return at > begin ? SCAN_OK : SCAN_NONE;
}

/* Seconds with an optional fraction, in ns; what is behind the ninth digit is left out. */
static inline enum scan_status scan_seconds(const char **p, const char *end, uint64_t *ns)
{
    uint64_t seconds, fraction = 0;
    enum scan_status status = scan_whole(p, end, &seconds);
    if (status != SCAN_OK)
        return status;
    if (*p < end && **p == '.') {
        uint64_t unit = 1000000000;
        for ((*p)++; *p < end && scan_is_digit(**p); (*p)++) {
            unit /= 10;
            fraction += unit * (uint64_t)(**p - '0');
        }
    }
    if (__builtin_mul_overflow(seconds, 1000000000u, ns) ||
        __builtin_add_overflow(*ns, fraction, ns))
        return SCAN_LARGE;
    return SCAN_OK;
}

static inline bool scan_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *scan_blanks(const char *p, const char *end)
{
    while (p < end && scan_is_blank(*p))
        p++;
    return p;
}

/* Up to the next blank. */
static inline struct span scan_word(const char **p, const char *end)
{
    const char *begin = *p;
    while (*p < end && !scan_is_blank(**p))
        (*p)++;
    return (struct span){begin, (size_t)(*p - begin)};
}

static inline bool span_equals(struct span s, const char *text)
{
    return strlen(text) == s.length && memcmp(text, s.text, s.length) == 0;
}

#endif
