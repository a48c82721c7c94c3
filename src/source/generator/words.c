/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads pieces of text, numbers and known words, and records the place of an error. */
#include "source/generator/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/text_reader.h"
#include "base/units.h"

enum { PIECE_MAX = 63 };

/* Copies a piece of text and adds '\0'. Long pieces are truncated, so the copy is for messages
   only. */
static const char *copy(char to[PIECE_MAX + 1], struct span at)
{
    return span_printable(to, PIECE_MAX + 1, at);
}

int words_find(struct text_reader *w, struct span word, const char *what, const void *rows,
               size_t row_bytes, size_t count)
{
    char typed[PIECE_MAX + 1], all[300];
    const char *best = NULL;
    size_t length = 0;
    copy(typed, word);
    all[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *name;
        memcpy(&name, (const char *)rows + i * row_bytes, sizeof name);
        if (span_is(word, name))
            return (int)i;
        nearest_offer(typed, name, &best);
        if (length < sizeof all)
            length +=
                (size_t)snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", name);
    }
    if (!word.length)
        return reader_fail(w, word.text, "%s is missing; possible: %s", what, all);
    if (best)
        return reader_fail(w, word.text, "\"%s\" is not %s; did you mean %s? (possible: %s)", typed,
                           what, best, all);
    return reader_fail(w, word.text, "\"%s\" is not %s; possible: %s", typed, what, all);
}

int words_number(struct text_reader *w, struct span at, const char *what, double low, double high,
                 double *value)
{
    char typed[PIECE_MAX + 1];
    if (number_parse(at.text, at.length, value) == NUMBER_OK && *value >= low && *value <= high)
        return 0;
    return reader_fail(w, at.text, "\"%s\" is not %s: a number from %g to %g is expected",
                       copy(typed, at), what, low, high);
}

int words_whole(struct text_reader *w, struct span at, const char *what, uint64_t low,
                uint64_t high, uint64_t *value)
{
    char typed[PIECE_MAX + 1];
    copy(typed, at);
    if (at.length <= PIECE_MAX && !parse_unsigned(typed, value, NULL) && *value >= low &&
        *value <= high)
        return 0;
    return reader_fail(w, at.text, "\"%s\" is not %s: a whole number from %llu to %llu is expected",
                       typed, what, (unsigned long long)low, (unsigned long long)high);
}

/* Reads a number with a unit; the error message comes from base/units.h. */
static int with_unit(struct text_reader *w, struct span at,
                     int (*parse)(const char *, uint64_t *, struct err *), uint64_t *value)
{
    char typed[PIECE_MAX + 1];
    struct err e;
    if (parse(copy(typed, at), value, &e))
        return reader_fail(w, at.text, "%s", e.msg);
    return 0;
}

int words_size(struct text_reader *w, struct span at, uint64_t low, uint64_t high, uint64_t *bytes)
{
    char typed[PIECE_MAX + 1], min[UNITS_BUFFER], max[UNITS_BUFFER];
    if (with_unit(w, at, parse_size, bytes))
        return -1;
    if (*bytes >= low && *bytes <= high)
        return 0;
    return reader_fail(w, at.text, "%s: a size from %s to %s is expected", copy(typed, at),
                       format_size(min, sizeof min, (double)low),
                       format_size(max, sizeof max, (double)high));
}

int words_time(struct text_reader *w, struct span at, uint64_t *ns)
{
    const uint64_t max = 1000ull * 86400 * 1000000000u;
    if (with_unit(w, at, parse_time, ns))
        return -1;
    return *ns <= max ? 0 : reader_fail(w, at.text, "at most 1000 days are possible");
}

int words_share(struct text_reader *w, struct span at, double *share)
{
    char typed[PIECE_MAX + 1];
    struct err e;
    if (parse_share(copy(typed, at), share, &e))
        return reader_fail(w, at.text, "%s", e.msg);
    return 0;
}

int words_rate(struct text_reader *w, struct span at, double *rate)
{
    const double max = 1e9;
    char typed[PIECE_MAX + 1];
    double scale = 1;
    struct span number = at;
    char last = at.length ? at.text[at.length - 1] : '\0';
    if (last == 'k' || last == 'K')
        scale = 1e3;
    else if (last == 'm' || last == 'M')
        scale = 1e6;
    number.length -= scale > 1;
    if (number_parse(number.text, number.length, rate) != NUMBER_OK || !(*rate >= 0) ||
        *rate * scale > max)
        return reader_fail(w, at.text,
                           "\"%s\" is not a rate: requests per second are expected, as in 500, 5k "
                           "or 1.5m, up to 1000m",
                           copy(typed, at));
    *rate *= scale;
    return 0;
}
