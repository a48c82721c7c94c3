/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes of figures: ends and ticks at round numbers, with labels as in the text report. */
#include <math.h>
#include <stdio.h>

#include "report/html/internal.h"
#include "report/layout/fact_words.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"

#define MIN_SPAN 0.02

double axis_place(const struct axis *a, double value)
{
    double share = a->log ? log(value / a->low) / log(a->high / a->low)
                          : (value - a->low) / (a->high - a->low);
    /* NaN and the value 0 on a logarithmic axis are placed at the lower end */
    share = share >= 0 ? fmin(share, 1) : 0;
    return a->from + share * (a->to - a->from);
}

/* Returns the largest number at most `value` that is 1, 2 or 5 times a power of ten. */
static double round_below(double value)
{
    double power = pow(10, floor(log10(value) + 1e-9)), digit = value / power + 1e-9;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static double round_above(double value)
{
    double below = round_below(value);
    if (below >= value * (1 - 1e-9))
        return below;
    double digit = round(below / pow(10, floor(log10(below) + 1e-9)));
    return below * (digit == 2 ? 2.5 : 2);
}

void axis_round(struct axis *a)
{
    if (a->log) {
        a->high = a->high > 0 ? a->high : 1;
        a->low = a->low > 0 ? fmax(a->low, a->high * 1e-12) : a->high / 10;
        a->low = round_below(a->low);
        a->high = round_above(fmax(a->high, a->low * 2));
        return;
    }
    double size = fmax(fabs(a->low), fabs(a->high));
    double room = fmax(a->high - a->low, MIN_SPAN * size);
    bool from_zero = a->low >= 0 && a->low < 0.5 * a->high;
    room = room > 0 ? room : 1;
    double bottom = a->low - 0.25 * room;
    a->high = fmax(a->high + 0.05 * room, bottom + 1.25 * room);
    a->low = from_zero || (a->low >= 0 && bottom < 0) ? 0 : bottom;
}

/* ---- ticks ---- */

static void label_value(const struct axis *a, double value, struct axis_tick *t)
{
    struct text words = {0};
    if (a->unit)
        fact_add_number(&words, value, a->unit);
    else
        number_value(t->label, sizeof t->label, a->kind, value);
    if (a->unit)
        snprintf(t->label, sizeof t->label, "%.40s", layout_string(&words));
    text_free(&words);
    t->labelled = true;
}

static size_t log_ticks(const struct axis *a, struct axis_tick ticks[])
{
    double decades = log10(a->high / a->low);
    int every = (int)ceil(decades / 8); /* number of decades from label to label */
    size_t count = 0;
    for (int power = (int)floor(log10(a->low) - 1e-9); power <= log10(a->high); power++) {
        static const double digits[] = {1, 2, 5};
        for (size_t d = 0; d < (decades < 2.5 ? 3 : 1) && count < AXIS_TICKS_MAX; d++) {
            double at = digits[d] * pow(10, power);
            if (at < a->low * (1 - 1e-9) || at > a->high * (1 + 1e-9))
                continue;
            struct axis_tick *t = &ticks[count++];
            *t = (struct axis_tick){.value = at};
            if (power % (every > 0 ? every : 1) == 0)
                label_value(a, at, t);
        }
    }
    return count;
}

/* Returns the unit for labels of a time axis in seconds, from ms to days depending on its span. */
static double unit_of_seconds(const struct axis *a, const char **suffix)
{
    double span = a->high - a->low;
    const double day = 86400;
    *suffix = span >= 3 * day    ? " days"
              : span >= 3 * 3600 ? " h"
              : span >= 180      ? " min"
              : span >= 1        ? " s"
                                 : " ms";
    return span >= 3 * day    ? day
           : span >= 3 * 3600 ? 3600
           : span >= 180      ? 60
           : span >= 1        ? 1
                              : 1e-3;
}

size_t axis_ticks(const struct axis *a, size_t wanted, struct axis_tick ticks[AXIS_TICKS_MAX])
{
    if (!(a->high > a->low) || !isfinite(a->high - a->low))
        return 0;
    if (a->log)
        return log_ticks(a, ticks);
    struct number_scale scale =
        number_scale_of(a->kind, fmax(fabs(a->low), fabs(a->high)), NAN, NAN);
    bool seconds = a->kind == METRIC_KIND_SECONDS && !a->unit;
    if (seconds)
        scale.divisor = unit_of_seconds(a, &scale.suffix);
    else if (a->kind == METRIC_KIND_NUMBER)
        scale = (struct number_scale){.divisor = 1, .suffix = ""};
    if (a->unit)
        scale.divisor = 1;
    double span = (a->high - a->low) / scale.divisor;
    double step = round_above(span / (double)wanted);
    while (floor(a->high / scale.divisor / step) <= ceil(a->low / scale.divisor / step))
        step = round_above(step / 3); /* at least two ticks are needed to show a scale */
    double first = ceil(a->low / scale.divisor / step - 1e-9);
    double last = floor(a->high / scale.divisor / step + 1e-9);
    size_t count = last >= first ? (size_t)fmin(last - first + 1, AXIS_TICKS_MAX) : 0;
    scale.decimals = (int)fmax(0, fmin(12, ceil(-log10(step) - 1e-9)));
    for (size_t i = 0; i < count; i++) {
        const double at = (first + (double)i) * step;
        struct axis_tick *t = &ticks[i];
        *t = (struct axis_tick){.value = at * scale.divisor, .labelled = true};
        if (a->unit)
            label_value(a, at, t);
        else if (first + (double)i == 0)
            snprintf(t->label, sizeof t->label, "0");
        else
            number_scaled(t->label, sizeof t->label, &scale, t->value);
    }
    return count;
}
