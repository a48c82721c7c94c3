/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chart as SVG: axes, bands, areas and lines, the counted part, and marks; points that fall into
 * one column are summarised. Its numbers for a script that zooms: few digits, and a bounded number
 * of points.
 */
#include "report/html/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/html/internal.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"

/* Summary of the finite points in [begin, end) of `values`. */
struct chart_column {
    double low, mean, high; /* NaN: no point is finite */
};

/* The common unit of all values of an axis, and the divisor that converts values to it. */
struct unit {
    double divisor;
    char name[NUMBER_BUFFER];
};

enum {
    WIDTH = 760,
    LEFT = 74,
    RIGHT = 14,
    TOP = 12,
    HEIGHT = 200,
    STRIP_HEIGHT = 56,
    BOTTOM = 38,
    STRIP_BOTTOM = 6,
    LAST_BOTTOM = 24,
    COLUMNS_MAX = 360,
    LABEL_ROWS = 4,
    LABEL_ROW = 12,
    LABEL_WIDTH = 96
};

struct drawing {
    const struct chart *chart;
    struct text *out;
    struct axis x, y;
    size_t together; /* number of points in a column */
};

static struct chart_column chart_column_of(const double values[], size_t begin, size_t end)
{
    struct chart_column c = {NAN, NAN, NAN};
    double sum = 0;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        if (!isfinite(values[i]))
            continue;
        sum += values[i];
        n++;
        c.low = fmin(c.low, values[i]); /* fmin and fmax ignore NaN */
        c.high = fmax(c.high, values[i]);
    }
    if (n > 0)
        c.mean = sum / (double)n;
    return c;
}

static struct unit unit_of(enum metric_kind kind, const char *of_fact, double largest)
{
    struct unit unit = {.divisor = 1};
    struct number_scale scale = number_scale_of(kind, largest, NAN, NAN);
    if (kind == METRIC_KIND_TIME || kind == METRIC_KIND_BYTE_RATE || kind == METRIC_KIND_SECONDS ||
        kind == METRIC_KIND_SHARE) {
        unit.divisor = scale.divisor;
        snprintf(unit.name, sizeof unit.name, "%s", scale.suffix + strspn(scale.suffix, " "));
    }
    if (of_fact && !strcmp(of_fact, "share"))
        unit = (struct unit){0.01, "%"};
    else if (of_fact)
        unit = (struct unit){.divisor = 1};
    if (of_fact && unit.divisor == 1)
        snprintf(unit.name, sizeof unit.name, "%s", strcmp(of_fact, "1") ? of_fact : "");
    return unit;
}

/* Rounds to five digits, which is more than a screen can show. */
static double rounded(double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.5g", value);
    return strtod(digits, NULL);
}

enum stands { STANDS_LOW, STANDS_MEAN, STANDS_HIGH };

static void add_values(struct json *j, const struct chart *c, const double values[],
                       enum stands stands, double divisor)
{
    double points[CHART_DATA_MAX];
    size_t together = (c->count + CHART_DATA_MAX - 1) / CHART_DATA_MAX, count = 0;
    for (size_t begin = 0; begin < c->count; begin += together) {
        size_t end = begin + together < c->count ? begin + together : c->count;
        struct chart_column column = chart_column_of(values, begin, end);
        points[count++] = rounded((stands == STANDS_LOW    ? column.low
                                   : stands == STANDS_HIGH ? column.high
                                                           : column.mean) /
                                  divisor);
    }
    json_numbers(j, "values", points, count);
}

/* Adds a line, or an end ("low", "high") of the band around the previous line. */
static void add_series(struct json *j, const struct chart *c, const struct chart_line *l,
                       const char *band, const double values[], enum stands stands,
                       const struct unit *unit)
{
    char words[160];
    snprintf(words, sizeof words, "%.120s%s%s", l->name, band ? " " : "", band ? band : "");
    json_begin_object(j, NULL);
    json_string(j, "name", words);
    json_string(j, "unit", unit->name);
    json_unsigned(j, "colour", l->colour);
    if (band)
        json_string(j, "band", band);
    else if (l->area)
        json_bool(j, "area", true);
    add_values(j, c, values, stands, unit->divisor);
    json_end_object(j);
}

/* Writes JSON into a <script>. Nothing may end the element: these characters are escaped in
   strings, and JSON has them nowhere else. */
static void add_as_data(struct text *out, const char *json)
{
    text_add(out, "<script type=\"application/json\" class=\"data\">");
    for (size_t length; *json; json += length + 1) {
        length = strcspn(json, "<>&\n");
        text_add_bytes(out, json, length);
        if (!json[length])
            break;
        if (json[length] == '\n')
            json += strspn(json + length + 1, " "); /* the indentation carries no information */
        else
            text_addf(out, "\\u%04x", (unsigned)json[length]);
    }
    text_add(out, "</script>\n");
}

/* Adds the series of a chart as JSON in a <script> that holds data, not a program. */
static void chart_add_data(struct text *out, const struct chart *c)
{
    struct text all = {0};
    struct json j = json_on(&all);
    double largest = 0;
    for (size_t i = 0; i < c->line_count; i++)
        largest = fmax(largest, chart_column_of(c->lines[i].y, 0, c->count).high);
    struct unit x = unit_of(c->x_kind, NULL, c->x[c->count - 1]);
    struct unit y = unit_of(c->y_kind, c->y_unit, largest);
    bool reduced = c->count > CHART_DATA_MAX && !c->highest;
    json_begin_object(&j, NULL);
    json_begin_object(&j, "x");
    json_string(&j, "label", c->x_label);
    json_string(&j, "unit", x.name);
    add_values(&j, c, c->x, STANDS_MEAN, x.divisor);
    json_end_object(&j);
    json_begin_array(&j, "series");
    for (size_t i = 0; i < c->line_count; i++) {
        const struct chart_line *l = &c->lines[i];
        add_series(&j, c, l, NULL, l->y, c->highest ? STANDS_HIGH : STANDS_MEAN, &y);
        if (l->low || reduced) {
            add_series(&j, c, l, "low", l->low ? l->low : l->y, STANDS_LOW, &y);
            add_series(&j, c, l, "high", l->low ? l->high : l->y, STANDS_HIGH, &y);
        }
    }
    json_end_array(&j);
    json_bool(&j, "log_x", c->log_x);
    json_bool(&j, "log_y", c->log_y);
    json_end_object(&j);
    add_as_data(out, layout_string(&all));
    out->failed |= all.failed;
    text_free(&all);
}

/* Summarises the points of a line in one column. */
static struct chart_column column_of(const struct drawing *d, const struct chart_line *l,
                                     size_t begin)
{
    const struct chart *c = d->chart;
    size_t end = begin + d->together < c->count ? begin + d->together : c->count;
    struct chart_column column = chart_column_of(l->y, begin, end);
    if (l->low) {
        column.low = chart_column_of(l->low, begin, end).low;
        column.high = chart_column_of(l->high, begin, end).high;
    }
    if (c->highest)
        column.mean = chart_column_of(l->y, begin, end).high;
    return column;
}

static double x_of(const struct drawing *d, size_t begin)
{
    const struct chart *c = d->chart;
    size_t end = begin + d->together < c->count ? begin + d->together : c->count;
    return axis_place(&d->x, (c->x[begin] + c->x[end - 1]) / 2);
}

/* ---- axes ---- */

static bool make_axes(struct drawing *d)
{
    const struct chart *c = d->chart;
    struct chart_column x = chart_column_of(c->x, 0, c->count);
    struct chart_column y = {NAN, NAN, NAN};
    if (c->count == 0 || isnan(x.low))
        return false;
    d->together = (c->count + COLUMNS_MAX - 1) / COLUMNS_MAX;
    for (size_t i = 0; i < c->line_count; i++)
        for (size_t begin = 0; begin < c->count; begin += d->together) {
            struct chart_column column = column_of(d, &c->lines[i], begin);
            bool shown = !c->log_y || column.low > 0;
            y.low = fmin(y.low, shown ? column.low : NAN);
            y.high = fmax(y.high, column.high);
            y.high = fmax(y.high, column.mean);
            y.low = fmin(y.low, shown || column.mean > 0 ? column.mean : NAN);
        }
    if (isnan(y.high))
        return false;
    if (c->limit != 0 && c->limit < 2 * y.high) {
        y.high = fmax(y.high, c->limit);
        y.low = fmin(y.low, c->limit);
    }
    bool given = c->x_begin < c->x_end;
    d->x = (struct axis){.log = c->log_x,
                         .low = given ? c->x_begin : x.low,
                         .high = given ? c->x_end : x.high,
                         .from = LEFT,
                         .to = WIDTH - RIGHT,
                         .kind = c->x_kind};
    d->y = (struct axis){.log = c->log_y,
                         .low = isnan(y.low) ? y.high / 10 : y.low,
                         .high = y.high,
                         .from = TOP + (c->shape ? STRIP_HEIGHT : HEIGHT),
                         .to = TOP,
                         .kind = c->y_kind,
                         .unit = c->y_unit};
    if (!(d->x.high > d->x.low))
        d->x.high = d->x.low + (d->x.low > 0 ? d->x.low : 1);
    if (d->x.log && !(d->x.low > 0))
        d->x.low = d->x.high / 10;
    bool is_share = c->y_unit && !strcmp(c->y_unit, "share");
    if ((c->lines[0].area && !c->log_y) || is_share)
        d->y.low = fmin(d->y.low, 0);
    axis_round(&d->y);
    return true;
}

static void draw_axes(const struct drawing *d)
{
    struct axis_tick ticks[AXIS_TICKS_MAX];
    enum chart_shape shape = d->chart->shape;
    size_t count = axis_ticks(&d->y, shape ? 2 : 5, ticks);
    for (size_t i = 0; i < count; i++) {
        double y = axis_place(&d->y, ticks[i].value);
        svg_add_line(d->out, d->x.from, y, d->x.to, y, "grid");
        if (ticks[i].labelled)
            svg_add_words(d->out, d->x.from - 6, y + 4, "end", ticks[i].label);
    }
    count = axis_ticks(&d->x, 7, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = axis_place(&d->x, ticks[i].value);
        svg_add_line(d->out, x, d->y.from, x, d->y.from + 4, "axis");
        if (ticks[i].labelled && shape != CHART_STRIP)
            svg_add_words(d->out, x, d->y.from + 16, "mid", ticks[i].label);
    }
    svg_add_line(d->out, d->x.from, d->y.from, d->x.to, d->y.from, "axis");
    if (!shape)
        svg_add_words(d->out, (d->x.from + d->x.to) / 2, d->y.from + 32, "mid", d->chart->x_label);
}

/* ---- lines ---- */

static void add_point(struct text *out, char command, double x, double y)
{
    text_addf(out, "%c", command);
    svg_add_place(out, x);
    text_add(out, ",");
    svg_add_place(out, y);
}

static bool is_shown(const struct drawing *d, double value)
{
    return isfinite(value) && !(d->chart->log_y && value <= 0);
}

/* Draws a line with a break at each gap; a point between two gaps shows as a dot, since line ends
   are round. */
static void draw_line(const struct drawing *d, const struct chart_line *l)
{
    bool drawing = false;
    text_addf(d->out, "<path class=\"line c%u\" d=\"", l->colour);
    for (size_t begin = 0; begin < d->chart->count; begin += d->together) {
        double value = column_of(d, l, begin).mean;
        if (is_shown(d, value)) {
            add_point(d->out, drawing ? 'L' : 'M', x_of(d, begin), axis_place(&d->y, value));
            text_add(d->out, drawing ? "" : "h0");
        }
        drawing = is_shown(d, value);
    }
    text_add(d->out, "\"/>\n");
}

/* Fills the area between the two ends of each column, or down to the axis; each stretch without a
   gap is one piece. */
static void draw_area(const struct drawing *d, const struct chart_line *l, const char *class)
{
    const struct chart *c = d->chart;
    text_addf(d->out, "<path class=\"%s f%u\" d=\"", class, l->colour);
    for (size_t begin = 0, end; begin < c->count; begin = end) {
        struct chart_column column = column_of(d, l, begin);
        end = begin + d->together;
        if (!is_shown(d, column.high))
            continue;
        size_t last = begin;
        add_point(d->out, 'M', x_of(d, begin),
                  axis_place(&d->y, l->area ? column.mean : column.high));
        for (; end < c->count; end += d->together) {
            column = column_of(d, l, end);
            if (!is_shown(d, column.high))
                break;
            add_point(d->out, 'L', x_of(d, end),
                      axis_place(&d->y, l->area ? column.mean : column.high));
            last = end;
        }
        if (l->area) {
            add_point(d->out, 'L', x_of(d, last), d->y.from);
            add_point(d->out, 'L', x_of(d, begin), d->y.from);
        } else {
            for (size_t at = last + d->together; at > begin;) {
                at -= d->together;
                add_point(d->out, 'L', x_of(d, at), axis_place(&d->y, column_of(d, l, at).low));
            }
        }
        text_add(d->out, "Z");
    }
    text_add(d->out, "\"/>\n");
}

/* ---- labels of the part and the marks ---- */

static bool has_counted(const struct chart *c)
{
    return c->counted_end > c->counted_begin;
}

static void draw_counted(const struct drawing *d)
{
    const struct chart *c = d->chart;
    double from = axis_place(&d->x, c->counted_begin), to = axis_place(&d->x, c->counted_end);
    if (has_counted(c))
        svg_add_box(d->out, from, d->y.to, to - from, d->y.from - d->y.to, "counted");
}

static void draw_marks(const struct drawing *d)
{
    const struct chart *c = d->chart;
    double taken[LABEL_ROWS] = {0};
    for (size_t i = 0; i < c->mark_count; i++) {
        const struct chart_mark *m = &c->marks[i];
        double x = axis_place(&d->x, m->x);
        if (!(m->x >= d->x.low && m->x <= d->x.high))
            continue;
        svg_add_line(d->out, x, d->y.to, x, d->y.from, "mark");
        const bool left = x > d->x.to - LABEL_WIDTH;
        const double from = left ? x - LABEL_WIDTH : x;
        size_t row = 0;
        while (row < LABEL_ROWS - 1 && taken[row] > from)
            row++;
        if (!m->label || taken[row] > from)
            continue;
        svg_add_words(d->out, left ? x - 4 : x + 4, d->y.to + 10 + LABEL_ROW * (double)row,
                      left ? "end" : "", m->label);
        taken[row] = from + LABEL_WIDTH;
    }
    if (c->limit != 0 && c->limit >= d->y.low && c->limit <= d->y.high) {
        double y = axis_place(&d->y, c->limit);
        svg_add_line(d->out, d->x.from, y, d->x.to, y, "limit");
    }
}

/* ---- the figure ---- */

static void add_key(const struct drawing *d)
{
    const struct chart *c = d->chart;
    for (size_t i = 0; i < c->line_count; i++) {
        text_addf(d->out, "<span class=\"key k%u\">", c->lines[i].colour);
        html_add(d->out, c->lines[i].name);
        text_add(d->out, "</span> ");
    }
    if (has_counted(c))
        text_add(d->out, "<span class=\"key kcounted\">the part the number is of</span> ");
    if (c->limit != 0)
        text_addf(d->out, "<span class=\"key klimit\">%s</span> ",
                  c->limit_name ? c->limit_name : "limit");
    if (d->together > 1)
        text_addf(d->out, "<small>%s of %zu neighbours%s</small> ",
                  c->highest ? "the highest" : "the mean", d->together,
                  c->highest ? "" : ", and their range");
    if (!c->log_y && d->y.low != 0 && !c->shape)
        text_add(d->out, "<small>axis not from 0</small>");
    text_add(d->out, "</figcaption>\n");
}

/* Adds a label for people who cannot see the figure: "IOPS over time: 10.2k to 12.4k". */
static void add_label(const struct drawing *d, struct text *label)
{
    const struct chart *c = d->chart;
    text_add(label, c->title);
    for (size_t i = 0; i < c->line_count; i++) {
        struct chart_column all = chart_column_of(c->lines[i].y, 0, c->count);
        char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
        number_value(low, sizeof low, c->y_unit ? METRIC_KIND_NUMBER : c->y_kind, all.low);
        number_value(high, sizeof high, c->y_unit ? METRIC_KIND_NUMBER : c->y_kind, all.high);
        text_addf(label, "%s %s from %s to %s", i ? "," : ":", c->lines[i].name, low, high);
    }
}

void chart_add(struct text *out, const struct chart *c)
{
    static const int bottoms[] = {BOTTOM, STRIP_BOTTOM, LAST_BOTTOM};
    struct drawing d = {.chart = c, .out = out};
    struct text label = {0};
    if (!make_axes(&d))
        return;
    figure_begin(out, c->shape ? "chart strip" : "chart", c->title, c->words);
    add_key(&d);
    add_label(&d, &label);
    svg_begin(out, WIDTH, d.y.from + bottoms[c->shape], layout_string(&label));
    draw_counted(&d);
    draw_axes(&d);
    for (size_t i = 0; i < c->line_count; i++)
        if (c->lines[i].area)
            draw_area(&d, &c->lines[i], "area");
        else if (c->lines[i].low || (d.together > 1 && !c->highest))
            draw_area(&d, &c->lines[i], "band");
    for (size_t i = 0; i < c->line_count; i++)
        draw_line(&d, &c->lines[i]);
    draw_marks(&d);
    text_add(out, "</svg>\n");
    chart_add_data(out, c);
    figure_end(out);
    out->failed |= label.failed;
    text_free(&label);
}
