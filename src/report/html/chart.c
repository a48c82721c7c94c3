/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a chart as SVG: axes, bands, areas, lines, marks and limits, and the marked part of the x
   axis from which the reported number is computed. Points that fall into one column are merged. */
#include "report/html/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/internal.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"

enum {
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
    LABEL_WIDTH = 96,
    TICK_WIDTH = 66 /* length of the axis for each tick */
};

struct drawing {
    const struct chart *chart;
    struct text *out;
    struct axis x, y;
    size_t together;   /* number of points in each column */
    const char *words; /* description of what the figure shows */
};

/* Summarises the points of a line that fall into the column from `begin` on. */
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

/* Extends the range of an axis to include a limit, unless the limit is so far from the values that
   they would be drawn too small to see. */
static void include_limit(struct chart_column *range, double limit, bool log)
{
    const double far = log ? 100 : 2;
    if (!(limit > range->high * far) && !(limit * far < range->low)) {
        range->high = fmax(range->high, limit);
        range->low = fmin(range->low, limit);
    }
}

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
    for (size_t i = 0; i < c->limit_count && !c->limits_of_x; i++)
        include_limit(&y, c->limits[i].value, c->log_y);
    for (size_t i = 0; i < c->limit_count && c->limits_of_x; i++)
        include_limit(&x, c->limits[i].value, c->log_x);
    bool given = c->x_begin < c->x_end;
    d->x = (struct axis){.log = c->log_x,
                         .low = given ? fmin(c->x_begin, x.low) : x.low,
                         .high = given ? fmax(c->x_end, x.high) : x.high,
                         .from = LEFT,
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
    count = axis_ticks(&d->x, (size_t)(d->x.to - d->x.from) / TICK_WIDTH, ticks);
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

/* Draws a line with a break at each gap. As line ends are round, a point between two gaps is a
   dot. */
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

/* Fills the area between the lower and upper ends of the columns, or from the line down to the
   axis. Gaps divide the area into pieces. */
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

/* ---- the counted part and the marks ---- */

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
        if (!m->label || c->shape || taken[row] > from) /* a strip is too low for labels */
            continue;
        svg_add_words(d->out, left ? x - 4 : x + 4, d->y.to + 10 + LABEL_ROW * (double)row,
                      left ? "end" : "", m->label);
        taken[row] = from + LABEL_WIDTH;
    }
}

static void draw_limits(const struct drawing *d)
{
    const struct chart *c = d->chart;
    const struct axis *a = c->limits_of_x ? &d->x : &d->y;
    for (size_t i = 0; i < c->limit_count; i++) {
        const struct chart_limit *limit = &c->limits[i];
        const double at = axis_place(a, limit->value);
        if (!(limit->value >= a->low && limit->value <= a->high))
            continue;
        if (c->limits_of_x)
            svg_add_line(d->out, at, d->y.to, at, d->y.from, "limit");
        else
            svg_add_line(d->out, d->x.from, at, d->x.to, at, "limit");
        if (c->limits_of_x)
            svg_add_words(d->out, at > d->x.to - LABEL_WIDTH ? at - 4 : at + 4,
                          d->y.from - 6 - LABEL_ROW * (double)i,
                          at > d->x.to - LABEL_WIDTH ? "over end" : "over", limit->name);
        else
            svg_add_words(d->out, d->x.to, at - 4, "over end", limit->name);
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
    for (size_t i = 0; i < c->limit_count; i++) {
        text_add(d->out, "<span class=\"key klimit\">");
        html_add(d->out, c->limits[i].name);
        text_add(d->out, "</span> ");
    }
    if (d->together > 1)
        text_addf(d->out, "<small>%s of %zu neighbours%s</small> ",
                  c->highest ? "the highest" : "the mean", d->together,
                  c->highest ? "" : ", and their range");
    if (!c->log_y && d->y.low != 0 && !c->shape)
        text_add(d->out, "<small>axis not from 0</small>");
    text_add(d->out, "</figcaption>\n");
}

/* Writes a description for people who cannot see the figure: "IOPS from 10.2k to 12.4k". */
static void add_label(const struct drawing *d, struct text *label)
{
    const struct chart *c = d->chart;
    for (size_t i = 0; i < c->line_count; i++) {
        struct chart_column all = chart_column_of(c->lines[i].y, 0, c->count);
        char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
        number_value(low, sizeof low, c->y_unit ? METRIC_KIND_NUMBER : c->y_kind, all.low);
        number_value(high, sizeof high, c->y_unit ? METRIC_KIND_NUMBER : c->y_kind, all.high);
        text_addf(label, "%s%s from %s to %s", i ? ", " : "", c->lines[i].name, low, high);
    }
    for (size_t i = 0; i < c->mark_count; i++)
        if (c->marks[i].label)
            text_addf(label, "; %s", c->marks[i].label);
    for (size_t i = 0; i < c->limit_count; i++)
        text_addf(label, "; limit %s", c->limits[i].name);
}

static void draw(const void *what, double width, struct text *out)
{
    static const int bottoms[] = {BOTTOM, STRIP_BOTTOM, LAST_BOTTOM};
    struct drawing d = *(const struct drawing *)what;
    const struct chart *c = d.chart;
    d.x.to = width - RIGHT;
    svg_begin(out, width, d.y.from + bottoms[c->shape], c->title, d.words);
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
    draw_limits(&d);
    text_add(out, "</svg>\n");
}

void chart_add(struct text *out, const struct chart *c)
{
    struct drawing d = {.chart = c, .out = out};
    struct text label = {0};
    if (!make_axes(&d))
        return;
    figure_begin(out, c->shape ? "chart strip" : "chart", c->title, c->words);
    add_key(&d);
    add_label(&d, &label);
    d.words = layout_string(&label);
    figure_draw(out, draw, &d);
    chart_add_data(out, c);
    figure_end(out);
    out->failed |= label.failed;
    text_free(&label);
}
