/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts instants to text and back. */
#include "run/launch/start_instant.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

#define SECOND_NS ((int64_t)1000000000)
/* Instants after the year 2200 are refused, because additions to them could overflow. */
#define SECONDS_MAX ((int64_t)7258118400)

int64_t start_instant_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* Reads `count` digits; 0: any number of digits, at least one. */
static bool take_digits(const char **at, int count, int64_t *number)
{
    const char *begin = *at;
    *number = 0;
    while (isdigit((unsigned char)**at) && (!count || *at - begin < count)) {
        *number = *number * 10 + (*(*at)++ - '0');
        if (*number > SECONDS_MAX)
            return false;
    }
    return count ? *at - begin == count : *at > begin;
}

static bool take(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

/* Reads ".25" or nothing. Digits below a nanosecond are ignored. */
static bool take_fraction(const char **at, int64_t *ns)
{
    *ns = 0;
    if (!take(at, '.'))
        return true;
    if (!isdigit((unsigned char)**at))
        return false;
    for (int64_t digit = SECOND_NS / 10; isdigit((unsigned char)**at); digit /= 10)
        *ns += digit * (*(*at)++ - '0');
    return true;
}

/* Reads an offset: "Z", "+01:00", "-0530", "+01". */
static bool take_offset(const char **at, int64_t *seconds)
{
    int64_t hours, minutes = 0;
    *seconds = 0;
    if (take(at, 'Z') || take(at, 'z'))
        return true;
    bool is_west = **at == '-';
    if (!take(at, '+') && !take(at, '-'))
        return false;
    if (!take_digits(at, 2, &hours) || hours > 23)
        return false;
    if ((take(at, ':') || **at) && (!take_digits(at, 2, &minutes) || minutes > 59))
        return false;
    *seconds = (hours * 60 + minutes) * (is_west ? -60 : 60);
    return true;
}

/* Reads the date and the time of day. `*at` is then at the offset. */
static bool take_date(const char **at, int64_t *instant_ns)
{
    int64_t year, month, day, hour, minute, second = 0, fraction_ns = 0;
    if (!take_digits(at, 4, &year) || !take(at, '-') || !take_digits(at, 2, &month) ||
        !take(at, '-') || !take_digits(at, 2, &day) || !(take(at, 'T') || take(at, ' ')) ||
        !take_digits(at, 2, &hour) || !take(at, ':') || !take_digits(at, 2, &minute))
        return false;
    if (take(at, ':') && (!take_digits(at, 2, &second) || !take_fraction(at, &fraction_ns)))
        return false;
    struct tm asked = {.tm_year = (int)year - 1900,
                       .tm_mon = (int)month - 1,
                       .tm_mday = (int)day,
                       .tm_hour = (int)hour,
                       .tm_min = (int)minute,
                       .tm_sec = (int)second};
    struct tm same = asked;
    int64_t seconds = timegm(&same);
    *instant_ns = seconds * SECOND_NS + fraction_ns;
    /* Refuses days such as February 31, which would become a day of March. */
    return year >= 1970 && seconds >= 0 && seconds < SECONDS_MAX && same.tm_mon == asked.tm_mon &&
           same.tm_mday == asked.tm_mday && same.tm_hour == asked.tm_hour &&
           same.tm_min == asked.tm_min && same.tm_sec == asked.tm_sec;
}

static int refuse_form(const char *text, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "--start-at %.60s: an instant is expected, as in 2026-11-24T08:00:00Z, "
                   "2026-11-24T09:00:00+01:00, @1795507200 (seconds since 1970) or next:30s",
                   text);
}

static int parse_date(const char *text, int64_t *instant_ns, struct err *e)
{
    const char *at = text;
    int64_t offset;
    if (!take_date(&at, instant_ns))
        return refuse_form(text, e);
    if (!*at)
        return err_set(e, ERR_USAGE,
                       "--start-at %.60s: hosts may have several time zones: say which one is "
                       "meant, as in %.40sZ (UTC) or %.40s+01:00",
                       text, text, text);
    if (!take_offset(&at, &offset) || *at)
        return refuse_form(text, e);
    *instant_ns -= offset * SECOND_NS;
    return 0;
}

static int parse_seconds(const char *text, int64_t *instant_ns, struct err *e)
{
    const char *at = text + 1;
    int64_t seconds, fraction_ns;
    if (!take_digits(&at, 0, &seconds) || !take_fraction(&at, &fraction_ns) || *at)
        return refuse_form(text, e);
    *instant_ns = seconds * SECOND_NS + fraction_ns;
    return 0;
}

static int parse_next(const char *text, int64_t now_ns, int64_t *instant_ns, struct err *e)
{
    const char *length = strchr(text, ':') + 1;
    const uint64_t day_ns = (uint64_t)86400 * (uint64_t)SECOND_NS;
    uint64_t period;
    if (parse_time(length, &period, e))
        return err_context(e, "--start-at %.60s", text);
    if (period < (uint64_t)SECOND_NS || period > day_ns)
        return err_set(e, ERR_USAGE,
                       "--start-at %.60s: 1 s to 24 h are possible after next:", text);
    int64_t step = (int64_t)period;
    *instant_ns = (now_ns + START_NEXT_AHEAD_NS + step - 1) / step * step;
    return 0;
}

int start_instant_parse(const char *text, int64_t now_ns, int64_t *instant_ns, struct err *e)
{
    char shown[START_INSTANT_TEXT], now[START_INSTANT_TEXT];
    if (text[0] == '+')
        return err_set(e, ERR_USAGE,
                       "--start-at %.60s: every host would count that from an instant of its own: "
                       "say next:%.40s, or --start-together",
                       text, text + 1);
    if (!strncmp(text, "next:", strlen("next:")))
        return parse_next(text, now_ns, instant_ns, e);
    if (text[0] == '@' ? parse_seconds(text, instant_ns, e) : parse_date(text, instant_ns, e))
        return -1;
    if (*instant_ns > now_ns)
        return 0;
    return err_set(e, ERR_USAGE, "--start-at %.60s: %s has passed, it is %s by this host's clock",
                   text, start_instant_format(shown, *instant_ns),
                   start_instant_format(now, now_ns));
}

char *start_instant_format(char to[START_INSTANT_TEXT], int64_t instant_ns)
{
    char day[24] = "";
    time_t seconds = (time_t)(instant_ns / SECOND_NS);
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S", &utc);
    snprintf(to, START_INSTANT_TEXT, "%s.%06d UTC", day,
             (int)(instant_ns % SECOND_NS / 1000 % 1000000));
    return to;
}
