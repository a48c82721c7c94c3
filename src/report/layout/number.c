/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes numbers of the text report with as many digits as their intervals justify. */
#include "report/layout/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

struct unit_step {
    double from; /* the smallest value for this unit */
    double divisor;
    const char *suffix;
};

static const struct unit_step count_steps[] = {
    {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0, 1, ""}};
static const struct unit_step byte_steps[] = {
    {1e9, 1e9, " GB/s"}, {1e6, 1e6, " MB/s"}, {1e3, 1e3, " kB/s"}, {0, 1, " B/s"}};
static const struct unit_step time_steps[] = {
    {1e9, 1e9, " s"}, {1e6, 1e6, " ms"}, {1e3, 1e3, " us"}, {0, 1, " ns"}};
static const struct unit_step share_steps[] = {{0, 0.01, " %"}};
static const struct unit_step second_steps[] = {{0, 1, " s"}};

static int magnitude(double value)
{
    return (int)floor(log10(value));
}

static int clamp(int value, int min, int max)
{
    return value < min ? min : value > max ? max : value;
}

static double longer_arm(double value, double low, double high)
{
    return fmax(high - value, value - low);
}

/* Returns the number of significant digits that the value needs so that the longer side of its
   interval, written with the same decimals, has two digits. */
static int digits_for(double value, double low, double high, int min, int max)
{
    double arm = longer_arm(value, low, high);
    if (!isfinite(arm) || arm <= 0 || !isfinite(value) || value == 0)
        return min;
    return clamp(magnitude(fabs(value)) - magnitude(arm) + 2, min, max);
}

static int decimals_for(double value, int digits)
{
    if (!isfinite(value) || value == 0)
        return 0;
    return clamp(digits - 1 - magnitude(fabs(value)), 0, 12);
}

struct number_scale number_scale_of(enum metric_kind kind, double value, double low, double high)
{
    struct number_scale scale = {.divisor = 1, .suffix = ""};
    const struct unit_step *step;
    switch (kind) {
    case METRIC_KIND_COUNT_RATE:
        step = count_steps;
        break;
    case METRIC_KIND_BYTE_RATE:
        step = byte_steps;
        break;
    case METRIC_KIND_TIME:
        step = time_steps;
        break;
    case METRIC_KIND_SHARE:
        step = share_steps;
        break;
    case METRIC_KIND_SECONDS:
        step = second_steps;
        break;
    default:
        return scale;
    }
    while (step->from > 0 && !(fabs(value) >= step->from))
        step++;
    scale.divisor = step->divisor;
    scale.suffix = step->suffix;
    scale.decimals = decimals_for(value / scale.divisor, digits_for(value, low, high, 3, 6));
    return scale;
}

struct number_scale number_scale_plain(double value, double low, double high)
{
    struct number_scale scale = {.divisor = 1, .suffix = ""};
    int digits = digits_for(value, low, high, 4, 9);
    double size = fabs(value);
    if (isfinite(size) && size > 0 && (size < 1e-4 || size >= 1e9))
        scale.decimals = -digits;
    else if (size == 0 && longer_arm(value, low, high) > 0)
        scale.decimals = decimals_for(longer_arm(value, low, high), 2);
    else
        scale.decimals = decimals_for(value, digits);
    return scale;
}

char *number_scaled(char *to, size_t size, const struct number_scale *scale, double value)
{
    if (isnan(value))
        snprintf(to, size, "-");
    else if (isinf(value))
        snprintf(to, size, "unbounded");
    else if (scale->decimals < 0)
        snprintf(to, size, "%.*e%s", -scale->decimals - 1, value / scale->divisor, scale->suffix);
    else
        snprintf(to, size, "%.*f%s", scale->decimals, value / scale->divisor, scale->suffix);
    return to;
}

char *number_value(char *to, size_t size, enum metric_kind kind, double value)
{
    if (!isfinite(value)) {
        snprintf(to, size, isnan(value) ? "-" : "unbounded");
        return to;
    }
    switch (kind) {
    case METRIC_KIND_COUNT_RATE:
        return format_count(to, size, value);
    case METRIC_KIND_BYTE_RATE:
        return format_rate(to, size, value);
    case METRIC_KIND_TIME:
        return format_time(to, size, value);
    case METRIC_KIND_SECONDS:
        return number_seconds(to, size, value);
    case METRIC_KIND_SHARE:
        return number_percent(to, size, value);
    case METRIC_KIND_NUMBER:
        return number_plain(to, size, value);
    default:
        return number_count(to, size, value);
    }
}

char *number_plain(char *to, size_t size, double value)
{
    struct number_scale scale = number_scale_plain(value, NAN, NAN);
    return number_scaled(to, size, &scale, value);
}

char *number_percent(char *to, size_t size, double share)
{
    double percent = 100 * fabs(share);
    if (isnan(percent))
        snprintf(to, size, "-");
    else if (isinf(percent))
        snprintf(to, size, "unbounded");
    else if (percent > 0 && percent < 0.001)
        snprintf(to, size, "<0.001 %%");
    else if (percent > 999)
        snprintf(to, size, ">999 %%");
    else
        snprintf(to, size, "%.*f %%", percent == 0 ? 0 : clamp(1 - magnitude(percent), 0, 3),
                 percent);
    return to;
}

char *number_share(char *to, size_t size, double share)
{
    if (!(share > 0.9 && share < 1))
        return number_percent(to, size, share);
    int decimals = clamp(-magnitude(100 - 100 * share), 1, 4);
    double unit = pow(10, decimals);
    snprintf(to, size, "%.*f %%", decimals, floor(100 * share * unit + 1e-6) / unit);
    return to;
}

/* A share above this is not written as a percentage of the value. */
#define WIDE 9.99
static const char wide_words[] = "+- over 10 times the value";

char *number_arm(char *to, size_t size, double value, double low, double high)
{
    double arm = (high - low) / 2;
    if (!isfinite(arm) || value == 0) {
        snprintf(to, size, "-");
        return to;
    }
    if (fabs(arm / value) > WIDE)
        snprintf(to, size, ">10x");
    else
        number_percent(to, size, arm / value);
    return to;
}

char *number_arm_signed(char *to, size_t size, double value, double low, double high)
{
    char arm[NUMBER_BUFFER];
    number_arm(arm, sizeof arm, value, low, high);
    snprintf(to, size, "%s%s", strcmp(arm, "-") != 0 && *arm != '>' ? "+-" : "", arm);
    return to;
}

char *number_plus_minus(char *to, size_t size, double value, double low, double high)
{
    number_arm_signed(to, size, value, low, high);
    if (*to == '>')
        snprintf(to, size, "%s", wide_words);
    return to;
}

char *number_precision(char *to, size_t size, double width)
{
    char digits[NUMBER_BUFFER];
    if (!isfinite(width)) {
        snprintf(to, size, "-");
        return to;
    }
    if (width / 2 > WIDE) {
        snprintf(to, size, "%s", wide_words);
        return to;
    }
    number_percent(digits, sizeof digits, width / 2);
    /* writes "5 %", not "5.0 %", as people do */
    size_t end = strcspn(digits, " ");
    while (memchr(digits, '.', end) && (digits[end - 1] == '0' || digits[end - 1] == '.'))
        end--;
    snprintf(to, size, "+-%.*s %%", (int)end, digits);
    return to;
}

char *number_asked(char *to, size_t size, double width, bool typed)
{
    char arm[NUMBER_BUFFER], whole[NUMBER_BUFFER];
    number_precision(arm, sizeof arm, width);
    number_precision(whole, sizeof whole, 2 * width);
    snprintf(to, size, typed ? "%s (a width of %s)" : "%s", arm, whole + strspn(whole, "+-"));
    return to;
}

double number_of_float(float value)
{
    char digits[40];
    if (!isfinite(value))
        return (double)value;
    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value)
            break;
    }
    return strtod(digits, NULL);
}

char *number_seconds(char *to, size_t size, double seconds)
{
    if (!isfinite(seconds)) {
        snprintf(to, size, "-");
    } else if (seconds < 0.9995) {
        if (seconds <= 0)
            snprintf(to, size, "0 s");
        else
            return format_time(to, size, seconds * 1e9);
    } else if (seconds < 9.995) {
        snprintf(to, size, "%.2f s", seconds);
    } else if (seconds < 119.95) {
        snprintf(to, size, "%.1f s", seconds);
        /* a corrupt record may give seconds that do not fit into an integer */
    } else if (seconds > 1e15) {
        snprintf(to, size, "%.3g h", seconds / 3600);
    } else {
        unsigned long long whole = (unsigned long long)(seconds + 0.5);
        if (whole < 7200)
            snprintf(to, size, "%llu min %llu s", whole / 60, whole % 60);
        else
            snprintf(to, size, "%llu h %llu min", whole / 3600, whole % 3600 / 60);
    }
    return to;
}

char *number_count(char *to, size_t size, double count)
{
    if (isnan(count))
        snprintf(to, size, "-");
    else if (fabs(count) < 1e7)
        snprintf(to, size, "%.0f", count);
    else
        return format_count(to, size, count);
    return to;
}
