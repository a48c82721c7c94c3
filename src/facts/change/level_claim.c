/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes in words what may be claimed of a level. */
#include "facts/change/level_claim.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

#define MINUTE   60.0
#define HOUR     3600.0
#define DAY      86400.0
#define YEAR     (365.0 * DAY)
#define MILLIONS 1e6

const char *level_name(enum level_state level)
{
    static const char *const names[LEVEL_STATES] = {
        [LEVEL_HOLDS] = "holds",
        [LEVEL_MOVES] = "moves",
        [LEVEL_WANDERS] = "wanders",
        [LEVEL_CYCLES] = "cycles",
    };
    return names[level];
}

struct level_claim level_claim_unknown(void)
{
    return (struct level_claim){.state = LEVEL_HOLDS,
                                .reading_seconds = NAN,
                                .low = NAN,
                                .high = NAN,
                                .change = NAN,
                                .cycle_readings = NAN,
                                .needed_readings = NAN,
                                .limit_width = NAN};
}

/* Writes a duration: "40 s", "10 min", "9 h", "3 days". The numbers are whole, as the duration is
   only an estimate. */
static void span_of_time(char *to, size_t size, double seconds)
{
    static const struct {
        double above, unit;
        const char *name;
    } units[] = {{2 * DAY, DAY, "days"}, {2 * HOUR, HOUR, "h"}, {2 * MINUTE, MINUTE, "min"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= units[i].above) {
            snprintf(to, size, "%.0f %s", seconds / units[i].unit, units[i].name);
            return;
        }
    if (seconds >= 10)
        snprintf(to, size, "%.0f s", seconds);
    else
        format_time(to, size, seconds * 1e9);
}

static void span_of(char *to, size_t size, const struct level_claim *c, double readings)
{
    if (!isnan(c->reading_seconds))
        span_of_time(to, size, readings * c->reading_seconds);
    else if (readings >= 10 * MILLIONS)
        snprintf(to, size, "%.0f million readings", readings / MILLIONS);
    else
        snprintf(to, size, "%.0f readings", readings);
}

const char *level_claim_span(char *to, size_t size, const struct level_claim *c, double readings)
{
    char span[24];
    const double seconds = readings * c->reading_seconds;
    if (!isfinite(readings))
        snprintf(to, size, "for ever");
    else if (seconds > YEAR)
        snprintf(to, size, "more than a year");
    else if (isnan(seconds) && readings > 1e9)
        snprintf(to, size, "more than %.0f million readings", 1e9 / MILLIONS);
    else {
        span_of(span, sizeof span, c, readings);
        snprintf(to, size, "about %s", span);
    }
    return to;
}

/* Writes how fast the level changes: "by 2 % a minute", or "by 2 % within 10 s" when it was seen
   for less than a minute; "" when the change is not known. */
static void rate_words(char *to, size_t size, const struct level_claim *c)
{
    const double seconds = (double)c->change_readings * c->reading_seconds,
                 percent = 100 * fabs(c->change);
    char span[24];
    *to = '\0';
    if (isnan(c->change))
        return;
    if (seconds >= MINUTE) {
        snprintf(to, size, " by %.2g %% a minute", percent * MINUTE / seconds);
        return;
    }
    span_of(span, sizeof span, c, (double)c->change_readings);
    snprintf(to, size, " by %.2g %% within %s", percent, span);
}

static void cycle_words(char *to, size_t size, const struct level_claim *c)
{
    char cycle[24], whole[24];
    span_of(whole, sizeof whole, c, (double)c->readings);
    if (isnan(c->cycle_readings)) {
        snprintf(to, size, "it moves too slowly for %s to show a level", whole);
        return;
    }
    const double times = floor((double)c->readings / c->cycle_readings);
    span_of(cycle, sizeof cycle, c, c->cycle_readings);
    if (times < 2)
        snprintf(to, size, "its slowest cycle of %s was seen once", cycle);
    else
        snprintf(to, size, "its slowest cycle of %s was seen %.0f times", cycle, times);
}

const char *level_claim_words(char *to, size_t size, const struct level_claim *c)
{
    char words[72];
    *to = '\0';
    switch (c->state) {
    case LEVEL_WANDERS:
        span_of(words, sizeof words, c, (double)c->readings);
        snprintf(to, size, "its level wanders over %s", words);
        break;
    case LEVEL_MOVES:
        rate_words(words, sizeof words, c);
        snprintf(to, size, "it still %s%s",
                 c->change > 0   ? "rises"
                 : c->change < 0 ? "falls"
                                 : "moves",
                 words);
        break;
    case LEVEL_CYCLES:
        cycle_words(to, size, c);
        break;
    case LEVEL_HOLDS:
    case LEVEL_STATES:
        break;
    }
    return to;
}

const char *level_claim_lead(char *to, size_t size, const struct level_claim *c)
{
    char words[72];
    *to = '\0';
    switch (c->state) {
    case LEVEL_WANDERS:
        span_of(words, sizeof words, c, (double)c->readings);
        snprintf(to, size, "LEVEL WANDERS over %s", words);
        break;
    case LEVEL_MOVES:
        rate_words(words, sizeof words, c);
        snprintf(to, size, "STILL %s%s",
                 c->change > 0   ? "RISING"
                 : c->change < 0 ? "FALLING"
                                 : "MOVING",
                 words);
        break;
    case LEVEL_CYCLES:
        span_of(words, sizeof words, c, (double)c->readings);
        if (isnan(c->cycle_readings))
            snprintf(to, size, "NO LEVEL YET over %s", words);
        else
            snprintf(to, size, "TOO FEW CYCLES");
        break;
    case LEVEL_HOLDS:
    case LEVEL_STATES:
        break;
    }
    return to;
}

const char *level_doubt_words(char *to, size_t size, const struct level_claim *c)
{
    char before[24], stretch[24], whole[24];
    span_of(before, sizeof before, c, (double)c->readings_before);
    span_of(stretch, sizeof stretch, c, (double)c->readings);
    span_of(whole, sizeof whole, c, (double)(c->readings_before + c->readings));
    *to = '\0';
    switch (c->doubt) {
    case LEVEL_DOUBT_LATE:
        snprintf(to, size, "its level began only after %s of %s", before, whole);
        break;
    case LEVEL_DOUBT_SLOW_END:
        snprintf(to, size, "its slow movements in %s leave open whether its level holds", stretch);
        break;
    case LEVEL_DOUBT_NONE:
        break;
    }
    return to;
}

const char *level_doubt_lead(char *to, size_t size, const struct level_claim *c)
{
    char stretch[24];
    span_of(stretch, sizeof stretch, c, (double)c->readings);
    snprintf(to, size, "FOR THESE %s ONLY", stretch);
    return to;
}
