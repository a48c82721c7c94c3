/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints predictions and validations: the errors of the map, then the predictions. Documents show
 * only the first predictions.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/fields.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum {
    ROWS_SHOWN = 14,
    ROWS_APART = 7,
    CELL_MAX = 14,
    VALUE_WIDTH = 11,
    INTERVAL_WIDTH = 26,
    ERROR_WIDTH = 9,
    GAP = 2
};

static void add_percent(struct text *out, double percent)
{
    char number[NUMBER_BUFFER];
    text_add(out, number_percent(number, sizeof number, percent / 100));
}

static void print_verdict(const struct prediction *p, struct document *out)
{
    struct text words = {0};
    char count[NUMBER_BUFFER], measured[NUMBER_BUFFER];
    if (!p->count && !p->of_query) {
        document_paragraph(out, "NOTHING TO PREDICT: ", TONE_YELLOW,
                           "every combination of the levels was measured; --query names others");
        document_end_row(out);
        return;
    }
    text_addf(&words, "%s of %s %sconfiguration%s, from %s measured ones", p->response,
              number_count(count, sizeof count, (double)p->count),
              p->of_query || p->test.path ? "" : "unmeasured ", p->count == 1 ? "" : "s",
              number_count(measured, sizeof measured, (double)p->measured));
    if (p->map_count > 1)
        text_addf(&words, " in %zu maps", p->map_count);
    text_addf(&words, ", by %s on %s", p->method,
              !strcmp(p->scale, "log") ? "logarithmic scales" : "the scales as measured");
    if (p->score_count) {
        text_add(&words, ". Mean error on configurations left out: ");
        add_percent(&words, p->scores[0].are_percent);
    }
    if (!isnan(p->noise_percent)) {
        text_add(&words,
                 p->score_count ? "; a measurement's own: " : ". A measurement's own error: ");
        add_percent(&words, p->noise_percent);
    }
    document_paragraph_from(out, "PREDICTED: ", TONE_GREEN, &words);
}

/* Prints the errors on the table of the test, before the predictions. */
static void print_test(const struct prediction *p, struct document *out)
{
    const struct map_test *t = &p->test;
    struct text words = {0};
    if (!t->path)
        return;
    text_addf(&words, "%zu configuration%s of %s: ", p->count, p->count == 1 ? "" : "s", t->path);
    if (isnan(t->mean)) {
        text_add(&words, "every measured response is 0, so there are no relative errors");
    } else {
        text_add(&words, "mean relative error ");
        add_percent(&words, 100 * t->mean);
        text_add(&words, ", median ");
        add_percent(&words, 100 * t->median);
    }
    if (!isnan(t->coverage)) {
        text_addf(&words, "; intervals of %.4g %% hold ", 100 * p->confidence);
        add_percent(&words, 100 * t->coverage);
    }
    document_paragraph_from(out, "TESTED: ", TONE_GREEN, &words);
    if (!t->repeated)
        return;
    text_addf(&words,
              "the map was fitted to %zu of these configurations as well: their errors are smaller "
              "than those of a prediction",
              t->repeated);
    document_paragraph_from(out, "Warning: ", TONE_YELLOW, &words);
}

static size_t points_shown(const struct document *out, const struct prediction *p)
{
    size_t max = rows_shown(out, ROWS_SHOWN);
    return p->count > max + 1 ? max : p->count;
}

/* Computes the widths, over `rows` rows, of as many columns as fit. Returns their number. */
static size_t column_widths(const struct prediction *p, size_t rows,
                            const struct report_style *style, size_t widths[], size_t max)
{
    size_t left = layout_width(style) - VALUE_WIDTH - INTERVAL_WIDTH - 2 -
                  (p->test.path ? VALUE_WIDTH + ERROR_WIDTH : 0),
           count = 0;
    for (; count < p->column_count && count < max; count++) {
        size_t width = layout_length(p->columns[count]);
        for (size_t row = 0; row < rows; row++) {
            size_t cell = layout_length(p->cells[row * p->column_count + count]);
            width = cell > width ? cell : width;
        }
        width = (width > CELL_MAX ? CELL_MAX : width) + GAP;
        if (width > left)
            break;
        left -= width;
        widths[count] = width;
    }
    return count;
}

static void add_cell(struct document *out, const char *cell, size_t width)
{
    char shown[4 * CELL_MAX + 8];
    document_left(out, layout_shorten(shown, sizeof shown, cell, width - GAP), width);
}

static void add_interval(struct document *out, const struct prediction_point *point)
{
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], interval[100] = "unknown";
    struct number_scale scale = number_scale_plain(point->value, point->low, point->high);
    if (isfinite(point->high))
        snprintf(interval, sizeof interval, "%s to %s",
                 number_scaled(low, sizeof low, &scale, point->low),
                 number_scaled(high, sizeof high, &scale, point->high));
    document_right(out, number_scaled(value, sizeof value, &scale, point->value), VALUE_WIDTH);
    document_right(out, interval, INTERVAL_WIDTH);
}

static void add_error(struct document *out, const struct prediction_point *point)
{
    char number[NUMBER_BUFFER];
    document_right(out, number_plain(number, sizeof number, point->measured), VALUE_WIDTH);
    document_right(out,
                   isnan(point->error) ? "-" : number_percent(number, sizeof number, point->error),
                   ERROR_WIDTH);
}

/* Prints the configuration on lines of its own, because its columns do not fit beside the
   prediction. */
static void print_place(struct document *out, const struct prediction *p, size_t row)
{
    struct text words = {0};
    for (size_t i = 0; i < p->column_count; i++)
        text_addf(&words, "%s%s %s", i ? ", " : "", p->columns[i],
                  p->cells[row * p->column_count + i]);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

static void print_points(const struct prediction *p, struct document *out)
{
    enum { COLUMNS = 16 };
    size_t rows = points_shown(out, p);
    size_t widths[COLUMNS], columns = column_widths(p, rows, &out->style, widths, COLUMNS);
    const bool apart = columns < p->column_count && !out->style.page;
    if (apart) {
        columns = 0;
        rows = rows > ROWS_APART ? ROWS_APART : rows;
    }
    char title[40], names[COLUMNS][4 * CELL_MAX + 8];
    struct layout_column titles[COLUMNS + 4];
    for (size_t i = 0; i < columns; i++)
        titles[i] = (struct layout_column){
            layout_shorten(names[i], sizeof names[i], p->columns[i], widths[i] - GAP),
            -(int)widths[i]};
    snprintf(title, sizeof title, "%.4g %% interval", 100 * p->confidence);
    titles[columns] = (struct layout_column){"predicted", VALUE_WIDTH};
    titles[columns + 1] = (struct layout_column){title, INTERVAL_WIDTH};
    titles[columns + 2] = (struct layout_column){"measured", VALUE_WIDTH};
    titles[columns + 3] = (struct layout_column){"error", ERROR_WIDTH};
    document_end_row(out);
    document_titles(out, titles, columns + (p->test.path ? 4 : 2));
    bool extrapolated = false;
    for (size_t row = 0; row < rows; row++) {
        const struct prediction_point *point = &p->points[row];
        if (apart)
            print_place(out, p, row);
        for (size_t i = 0; i < columns; i++)
            add_cell(out, p->cells[row * p->column_count + i], widths[i]);
        add_interval(out, point);
        if (p->test.path)
            add_error(out, point);
        document_add(out, point->extrapolated ? " *" : "");
        extrapolated = extrapolated || point->extrapolated;
        document_end_row(out);
    }
    if (rows < p->count)
        document_line(out, "... and %zu more: --format csv has all of them", p->count - rows);
    if (extrapolated)
        document_paragraph(out, "* ", TONE_PLAIN,
                           "extrapolated: outside of what was measured, where no error is known");
}

static void add_score_titles(struct document *out)
{
    static const struct layout_column titles[] = {
        {"", -2}, {"method", -13}, {"scale", -6}, {"error", 10}, {"in interval", 16}};
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

static void add_score_line(struct document *out, const struct map_score *s)
{
    char are[NUMBER_BUFFER], covered[NUMBER_BUFFER] = "-";
    if (!isnan(s->coverage))
        number_percent(covered, sizeof covered, s->coverage);
    document_add(out, "  ");
    document_left(out, s->method, 13);
    document_left(out, s->scale, 6);
    document_right(
        out, isnan(s->are_percent) ? "-" : number_percent(are, sizeof are, s->are_percent / 100),
        10);
    document_right(out, covered, 14);
    document_end_row(out);
    if (s->problem[0])
        document_paragraph(out, "      ", TONE_PLAIN, s->problem);
}

static void print_widening(const struct prediction *p, struct document *out)
{
    struct text words = {0};
    if (!(p->widening > 1))
        return;
    text_addf(&words,
              "the intervals are %.2g times as wide as those of %s itself, so that %.4g %% of the "
              "configurations left out lie within",
              p->widening, p->method, 100 * p->confidence);
    document_paragraph_from(out, "Note: ", TONE_PLAIN, &words);
}

static void print_candidates(const struct prediction *p, struct document *out)
{
    if (!p->score_count)
        return;
    document_heading(
        out,
        "Methods, by their mean error on configurations left out, with intervals of their own");
    add_score_titles(out);
    for (size_t i = 0; i < p->score_count; i++)
        add_score_line(out, &p->scores[i]);
}

static void prediction_document(const void *what, struct document *out)
{
    const struct prediction *p = what;
    predict_title(out, p->response);
    print_test(p, out);
    print_verdict(p, out);
    print_notes(p->notes, out);
    if (p->count)
        print_points(p, out);
    print_widening(p, out);
    print_candidates(p, out);
}

static void validation_document(const void *what, struct document *out)
{
    const struct map_validation *v = what;
    predict_title(out, v->response);
    struct text words = {0};
    text_addf(&words,
              "mean relative errors of %s on configurations that were left out, of %zu measured "
              "ones",
              v->response, v->measured);
    if (v->map_count > 1)
        text_addf(&words, " in %zu maps", v->map_count);
    if (v->chosen)
        text_addf(&words, "; auto is %s", v->chosen);
    document_paragraph_from(out, "VALIDATED: ", TONE_GREEN, &words);
    print_notes(v->notes, out);
    const char *scheme = "";
    double share = NAN;
    for (size_t i = 0; i < v->score_count; i++) {
        const struct map_score *s = &v->scores[i];
        char title[120];
        if (strcmp(scheme, s->scheme) != 0 || share != s->share) {
            if (!strcmp(s->scheme, "random"))
                snprintf(title, sizeof title, "Fitted to %.4g %% of them, %zu random split%s",
                         100 * s->share, s->splits, s->splits == 1 ? "" : "s");
            else
                snprintf(title, sizeof title, "Each level of each factor left out: %zu splits",
                         s->splits);
            document_heading(out, title);
            add_score_titles(out);
            scheme = s->scheme;
            share = s->share;
        }
        add_score_line(out, s);
    }
}

static const struct field point_fields[] = {
    FIELD(prediction_point, value, "predicted", "predicted"),
    FIELD(prediction_point, low, "ci_low", "ci_low"),
    FIELD(prediction_point, high, "ci_high", "ci_high"),
    FIELD_BOTH(prediction_point, method),
    FIELD_BOTH(prediction_point, extrapolated),
    FIELD_LAST,
};

static const struct field tested_fields[] = {
    FIELD(prediction_point, value, "predicted", "predicted"),
    FIELD(prediction_point, low, "ci_low", "ci_low"),
    FIELD(prediction_point, high, "ci_high", "ci_high"),
    FIELD_BOTH(prediction_point, method),
    FIELD_BOTH(prediction_point, extrapolated),
    FIELD_BOTH(prediction_point, measured),
    FIELD(prediction_point, error, "relative_error", "relative_error"),
    FIELD_LAST,
};

static const struct field score_fields[] = {
    FIELD_BOTH(map_score, method),      FIELD_BOTH(map_score, scale),
    FIELD_BOTH(map_score, scheme),      FIELD_BOTH(map_score, share),
    FIELD_BOTH(map_score, are_percent), FIELD_BOTH(map_score, splits),
    FIELD_JSON(map_score, coverage),    FIELD_LAST,
};

static struct place_table table_of(const struct prediction *p)
{
    return (const struct place_table){
        p->columns, p->cells, p->column_count,  p->test.path ? tested_fields : point_fields,
        p->points,  p->count, sizeof *p->points};
}

static void prediction_csv(const void *what, struct text *out)
{
    const struct place_table table = table_of(what);
    csv_add_places(out, &table);
}

static void prediction_json(const void *what, struct text *out)
{
    const struct prediction *p = what;
    struct json j = json_report(out, "predict");
    json_string(&j, "response", p->response);
    json_string(&j, "method", p->method);
    json_string(&j, "scale", p->scale);
    json_number(&j, "confidence", p->confidence);
    json_unsigned(&j, "measured", p->measured);
    json_unsigned(&j, "maps", p->map_count);
    json_number(&j, "widening", p->widening > 1 ? p->widening : 1);
    json_number(&j, "noise_percent", p->noise_percent);
    if (p->test.path) {
        json_begin_object(&j, "test");
        json_string(&j, "file", p->test.path);
        json_number(&j, "mean_error", p->test.mean);
        json_number(&j, "median_error", p->test.median);
        json_number(&j, "coverage", p->test.coverage);
        json_unsigned(&j, "fitted_too", p->test.repeated);
        json_end_object(&j);
    }
    json_notes(&j, p->notes);
    json_records(&j, "candidates", score_fields, p->scores, p->score_count, sizeof *p->scores);
    const struct place_table table = table_of(p);
    json_places(&j, "predictions", &table);
    json_end_object(&j);
}

static void validation_csv(const void *what, struct text *out)
{
    const struct map_validation *v = what;
    csv_add_lines(out, NULL, score_fields, v->scores, v->score_count, sizeof *v->scores);
}

static void validation_json(const void *what, struct text *out)
{
    const struct map_validation *v = what;
    struct json j = json_report(out, "predict_validation");
    json_string(&j, "response", v->response);
    json_unsigned(&j, "measured", v->measured);
    json_unsigned(&j, "maps", v->map_count);
    if (v->chosen)
        json_string(&j, "auto", v->chosen);
    json_notes(&j, v->notes);
    json_records(&j, "errors", score_fields, v->scores, v->score_count, sizeof *v->scores);
    json_end_object(&j);
}

const struct report_kind prediction_report = {prediction_document, prediction_csv, prediction_json,
                                              NULL};
const struct report_kind validation_report = {validation_document, validation_csv, validation_json,
                                              NULL};
