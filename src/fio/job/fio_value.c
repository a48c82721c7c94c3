/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads sizes, times and switches of a job file. */
#include "fio/job/fio_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tables/fio_keys.h"

static int number_at(const char *text, char **end, uint64_t *number)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (*text < '0' || *text > '9')
        return -1;
    errno = 0;
    *number = strtoull(text, end, hex ? 16 : 10);
    return errno ? -1 : 0;
}

int fio_bytes(const char *text, unsigned base, uint64_t *bytes)
{
    static const char units[] = "kmgtp";
    char *unit;
    uint64_t number;
    if (number_at(text, &unit, &number))
        return -1;
    char lower = (char)(*unit | 0x20);
    const char *at = *unit ? strchr(units, lower) : NULL;
    if (at) {
        unit++;
        if (*unit == 'i' || *unit == 'I') {
            base = base == 1024 ? 1000 : 1024;
            unit++;
        }
        for (const char *u = units; u <= at; u++)
            if (__builtin_mul_overflow(number, base, &number))
                return -1;
    }
    if (*unit == 'b' || *unit == 'B')
        unit++;
    *bytes = number;
    return *unit ? -1 : 0;
}

int fio_time(const char *text, uint64_t unit, uint64_t *us)
{
    static const struct {
        const char *name;
        uint64_t us;
    } units[] = {{"us", 1},         {"usec", 1},     {"ms", 1000},         {"msec", 1000},
                 {"s", 1000000},    {"m", 60000000}, {"h", 3600000000ull}, {"d", 86400000000ull},
                 {"min", 60000000}, {"sec", 1000000}};
    char *end;
    uint64_t number;
    if (number_at(text, &end, &number))
        return -1;
    if (*end) {
        unit = 0;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (!strcasecmp(end, units[i].name))
                unit = units[i].us;
    }
    return !unit || __builtin_mul_overflow(number, unit, us) ? -1 : 0;
}

bool fio_is_off(const char *text)
{
    for (size_t i = 0; text && i < sizeof fio_off_words / sizeof *fio_off_words; i++)
        if (!strcmp(text, fio_off_words[i]))
            return true;
    return false;
}

bool fio_direction(const char *text, unsigned direction, char *to, size_t size)
{
    const char *comma = strchr(text, ',');
    for (; direction && comma; direction--, comma = strchr(comma + 1, ','))
        if (comma[1] && comma[1] != ',')
            text = comma + 1;
    size_t length = strcspn(text, ",");
    if (length >= size)
        return false;
    memcpy(to, text, length);
    to[length] = '\0';
    return true;
}
