/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the machine's state during the measurement: a line with a small plot for each watched
   gauge, and what changed at which time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/fact_words.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

enum { NAME_WIDTH = 22, CELL_WIDTH = 10, PLOT_MAX = 60, PLOT_MIN = 8 };

struct extent {
    double low, mean, high; /* NaN: no value was read */
};

static struct extent extent_of(const struct result_timeline *t, const struct result_gauge *g)
{
    struct extent all = {NAN, NAN, NAN};
    double sum = 0, seconds = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (!isfinite(g->mean[i]))
            continue;
        sum += (double)g->mean[i] * (t->end[i] - t->begin[i]);
        seconds += t->end[i] - t->begin[i];
        /* fmin and fmax ignore NaN */
        all.low = fmin(all.low, fmin((double)g->low[i], (double)g->mean[i]));
        all.high = fmax(all.high, fmax((double)g->high[i], (double)g->mean[i]));
    }
    if (seconds > 0)
        all.mean = sum / seconds;
    return all;
}

static void gauge_add_cell(struct document *out, double value, const char *unit)
{
    struct text cell = {0};
    fact_add_number(&cell, value, unit);
    document_right(out, layout_string(&cell), CELL_WIDTH);
    text_free(&cell);
}

/* Adds a plot from the lowest to the highest mean. Means that hardly differ are drawn in its
   middle. */
static void gauge_add_plot(const struct result_gauge *g, size_t count, size_t columns,
                           const struct report_style *style, struct text *out)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    enum { STEPS = sizeof blocks / sizeof *blocks };
    double means[PLOT_MAX], low = NAN, high = NAN;
    columns = columns > PLOT_MAX ? PLOT_MAX : columns;
    columns = columns > count ? count : columns;
    for (size_t c = 0; c < columns; c++) {
        double sum = 0;
        size_t n = 0;
        for (size_t i = c * count / columns; i < (c + 1) * count / columns; i++)
            if (isfinite(g->mean[i])) {
                sum += (double)g->mean[i];
                n++;
            }
        means[c] = n > 0 ? sum / (double)n : NAN; /* NaN: no value was read */
        low = fmin(low, means[c]);
        high = fmax(high, means[c]);
    }
    double span = fmax(high - low, 0.02 * fmax(fabs(low), fabs(high)));
    double middle = low + (high - low) / 2;
    for (size_t c = 0; c < columns; c++) {
        if (isnan(means[c])) {
            text_add(out, " ");
            continue;
        }
        int step = span > 0 ? (int)((0.5 + (means[c] - middle) / span) * STEPS) : 0;
        step = step < 0 ? 0 : step >= STEPS ? STEPS - 1 : step;
        text_add(out, style->unicode ? blocks[step] : marks[step]);
    }
}

enum display { DISPLAY_LINE, DISPLAY_ZERO, DISPLAY_UNKNOWN };

static enum display display_of(const struct result_timeline *t, size_t g)
{
    /* Gauges with these units have no line if they were always 0. A fan (rpm) that did not turn has
       one. */
    static const char *const units[] = {"share", "bytes/s", "1/s", "1", ""};
    const struct result_gauge *gauge = &t->gauges[g];
    struct extent all = extent_of(t, gauge);
    if (isnan(all.mean))
        return DISPLAY_UNKNOWN;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(gauge->unit, units[i]) && all.low >= 0 && all.high <= 0 && isnan(gauge->limit))
            return DISPLAY_ZERO;
    return DISPLAY_LINE;
}

/* Returns the number of gauges, from index `begin` to before `end`, with the same key as gauge `g`
   that have no line for the same reason. */
static size_t count_alike(const struct result_timeline *t, size_t g, size_t begin, size_t end)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        count +=
            !strcmp(t->gauges[i].key, t->gauges[g].key) && display_of(t, i) == display_of(t, g);
    return count;
}

/* Prints which gauges have no line: "memory stalled 0; cpu0 and 7 others frequency not known". */
static void print_gauges_without_line(const struct result_timeline *t, struct document *out)
{
    struct text words = {0};
    for (size_t g = 0; g < t->gauge_count; g++) {
        enum display display = display_of(t, g);
        if (display == DISPLAY_LINE || count_alike(t, g, 0, g) > 0)
            continue;
        size_t others = count_alike(t, g, g + 1, t->gauge_count);
        text_addf(&words, "%s%s", words.length > 0 ? "; " : "", t->gauges[g].node);
        if (others > 0)
            text_addf(&words, " and %zu other%s", others, others == 1 ? "" : "s");
        text_addf(&words, " %s %s", t->gauges[g].key,
                  display == DISPLAY_UNKNOWN ? "not known" : "0");
    }
    if (words.length > 0)
        document_paragraph_from(out, "  zero or not known: ", TONE_PLAIN, &words);
}

static void print_gauge(const struct result_timeline *t, const struct result_gauge *g,
                        struct document *out)
{
    struct extent all = extent_of(t, g);
    char name[96], cut[96];
    size_t taken = 2 + NAME_WIDTH + 4 * CELL_WIDTH + 2, width = layout_width(&out->style);
    snprintf(name, sizeof name, "%s %s", g->node, g->key);
    document_add(out, "  ");
    document_left(out, layout_shorten(cut, sizeof cut, name, NAME_WIDTH - 1), NAME_WIDTH);
    gauge_add_cell(out, all.low, g->unit);
    gauge_add_cell(out, all.mean, g->unit);
    gauge_add_cell(out, all.high, g->unit);
    if (isnan(g->limit))
        document_right(out, "", CELL_WIDTH);
    else
        gauge_add_cell(out, g->limit, g->unit);
    document_add(out, "  ");
    if (width >= taken + PLOT_MIN && !out->style.page) {
        struct text plot = {0};
        gauge_add_plot(g, t->count, width - taken, &out->style, &plot);
        document_add(out, layout_string(&plot));
        text_free(&plot);
    }
    document_end_row(out);
    if (!(all.high >= g->limit))
        return;
    struct text words = {0};
    text_add(&words, "reached its limit of ");
    fact_add_number(&words, g->limit, g->unit);
    document_paragraph_from(out, "    ^ ", TONE_YELLOW, &words);
}

void section_state(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {{"", -(2 + NAME_WIDTH)}, {"min", CELL_WIDTH},
                                                  {"mean", CELL_WIDTH},    {"max", CELL_WIDTH},
                                                  {"limit", CELL_WIDTH},   {"  over time", 0}};
    const struct result_timeline *t = &r->timeline;
    if (t->gauge_count == 0 && r->event_count == 0)
        return;
    document_heading(out, "State over time, of the measured rounds");
    bool titled = false;
    for (size_t g = 0; g < t->gauge_count; g++) {
        if (display_of(t, g) != DISPLAY_LINE)
            continue;
        if (!titled)
            document_titles(out, titles, sizeof titles / sizeof *titles - out->style.page);
        titled = true;
        print_gauge(t, &t->gauges[g], out);
    }
    print_gauges_without_line(t, out);
    for (size_t i = 0; i < r->event_count; i++) {
        const struct result_event *event = &r->events[i];
        char seconds[NUMBER_BUFFER], lead[NUMBER_BUFFER + 16];
        if (isnan(event->seconds))
            snprintf(lead, sizeof lead, "  some time: ");
        else
            snprintf(lead, sizeof lead,
                     "  at %s: ", number_seconds(seconds, sizeof seconds, event->seconds));
        document_paragraph(out, lead, TONE_YELLOW, event->text);
    }
}
