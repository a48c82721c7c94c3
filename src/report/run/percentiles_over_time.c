/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints percentiles over time: the section of the text, the table of their fields, and
   percentiles.csv. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* Minimum number of periods for a plot over time. */
#define PERIODS_MIN 3

const struct field period_fields[] = {
    FIELD_BOTH(result_period, op),
    FIELD_BOTH(result_period, begin),
    FIELD(result_period, begin_seconds, "begin_s", "begin_seconds"),
    FIELD(result_period, seconds, "length_s", "length_seconds"),
    FIELD(result_period, covered, "measured_s", "measured_seconds"),
    FIELD_BOTH(result_period, n),
    FIELD_BOTH(result_period, weight),
    FIELD(result_period, p50.value, "p50", "p50"),
    FIELD(result_period, p50.low, "p50_low", "p50_low"),
    FIELD(result_period, p50.high, "p50_high", "p50_high"),
    FIELD(result_period, p90.value, "p90", "p90"),
    FIELD(result_period, p90.low, "p90_low", "p90_low"),
    FIELD(result_period, p90.high, "p90_high", "p90_high"),
    FIELD(result_period, p99.value, "p99", "p99"),
    FIELD(result_period, p99.low, "p99_low", "p99_low"),
    FIELD(result_period, p99.high, "p99_high", "p99_high"),
    FIELD(result_period, p999.value, "p99.9", "p99.9"),
    FIELD(result_period, p999.low, "p99.9_low", "p99.9_low"),
    FIELD(result_period, p999.high, "p99.9_high", "p99.9_high"),
    FIELD_BOTH(result_period, max),
    FIELD_BOTH(result_period, job),
    FIELD_LAST,
};

/* Returns the index after the last of the periods from `begin` on that have the same operation and
   job. */
static size_t end_of(const struct result *r, size_t begin)
{
    size_t end = begin;
    while (end < r->period_count && !strcmp(r->periods[end].op, r->periods[begin].op) &&
           !strcmp(r->periods[end].job, r->periods[begin].job))
        end++;
    return end;
}

static void draw_operation(const void *what, size_t begin, const struct report_style *style,
                           struct text *out)
{
    enum { SHOWN_MAX = 1600 };
    double at[SHOWN_MAX] = {0}, low[SHOWN_MAX] = {0}, high[SHOWN_MAX] = {0};
    const struct result *r = what;
    const struct result_period *periods = &r->periods[begin];
    size_t count = end_of(r, begin) - begin;
    const struct result_period *last = &periods[count - 1];
    /* If there are too many periods, neighbours become one point, which shows their highest
       values. */
    const size_t together = count > SHOWN_MAX ? (count + SHOWN_MAX - 1) / SHOWN_MAX : 1;
    for (size_t i = 0; i < count; i++) {
        const size_t place = i / together;
        at[place] = periods[i].begin_seconds + periods[i].seconds / 2;
        low[place] = fmax(low[place], periods[i].p50.value);
        high[place] = fmax(high[place], periods[i].p99.value);
    }
    count = (count + together - 1) / together;
    double seconds = last->begin_seconds + last->seconds;
    struct plot_band plot = {.at = at,
                             .low = low,
                             .high = high,
                             .count = count,
                             .periods = (size_t)(seconds / last->seconds + 0.5),
                             .seconds = seconds,
                             .low_name = "p50",
                             .high_name = "p99"};
    plot_band(&plot, style, out);
}

static void add_operation(const struct result *r, size_t begin, size_t end, struct document *out)
{
    struct text title = {0};
    char length[NUMBER_BUFFER];
    text_addf(&title, "Percentiles over time, %s, in intervals of %s", r->periods[begin].op,
              number_seconds(length, sizeof length, r->periods[end - 1].seconds));
    document_heading(out, layout_string(&title));
    text_free(&title);
    document_figure(out, (struct figure){.text = draw_operation, .context = r, .number = begin});
}

void section_percentiles(const struct result *r, struct document *out)
{
    for (size_t begin = 0, end; begin < r->period_count; begin = end) {
        end = end_of(r, begin);
        if (!strcmp(r->periods[begin].job, "all") && end - begin >= PERIODS_MIN)
            add_operation(r, begin, end, out);
    }
}
