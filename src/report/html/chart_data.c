/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the numbers of a chart for a script that zooms: few digits, and a limited number of
   points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/html/internal.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"

/* A unit for all values of an axis, and the divisor that converts values to it. */
struct unit {
    double divisor;
    char name[NUMBER_BUFFER];
};

struct chart_column chart_column_of(const double values[], size_t begin, size_t end)
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

/* Rounds to five digits, which is enough for a screen. */
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

/* Adds a line, or one end ("low", "high") of the band around the line before. */
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

/* Writes JSON into a <script>. Characters that could end the element are escaped; JSON has them
   only in strings. */
static void add_as_data(struct text *out, const char *json)
{
    text_add(out, "<script type=\"application/json\" class=\"data\">");
    for (size_t length; *json; json += length + 1) {
        length = strcspn(json, "<>&\n");
        text_add_bytes(out, json, length);
        if (!json[length])
            break;
        if (json[length] == '\n')
            json += strspn(json + length + 1, " "); /* removes the indentation, to save space */
        else
            text_addf(out, "\\u%04x", (unsigned)json[length]);
    }
    text_add(out, "</script>\n");
}

void chart_add_data(struct text *out, const struct chart *c)
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
    json_begin_array(&j, "limits");
    for (size_t i = 0; i < c->limit_count; i++) {
        json_begin_object(&j, NULL);
        json_string(&j, "name", c->limits[i].name);
        json_number(&j, "value", rounded(c->limits[i].value / (c->limits_of_x ? x : y).divisor));
        json_end_object(&j);
    }
    json_end_array(&j);
    json_bool(&j, "limits_of_x", c->limits_of_x);
    json_bool(&j, "log_x", c->log_x);
    json_bool(&j, "log_y", c->log_y);
    json_end_object(&j);
    add_as_data(out, layout_string(&all));
    out->failed |= all.failed;
    text_free(&all);
}
