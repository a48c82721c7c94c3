/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints an analysis of variance: text, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/fields.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

static const struct field row_fields[] = {
    FIELD_BOTH(variance_row, type),
    FIELD_BOTH(variance_row, term),
    FIELD_BOTH(variance_row, df),
    FIELD_BOTH(variance_row, ss),
    FIELD_BOTH(variance_row, ms),
    FIELD(variance_row, f, "F", "f"),
    FIELD_BOTH(variance_row, p),
    FIELD_BOTH(variance_row, eta2),
    FIELD_BOTH(variance_row, partial_eta2),
    FIELD_BOTH(variance_row, omega2),
    FIELD_LAST,
};

static const struct field level_fields[] = {
    FIELD_JSON(variance_level, factor),         FIELD_JSON(variance_level, level),
    FIELD_JSON(variance_level, count),          FIELD_JSON(variance_level, mean),
    FIELD(variance_level, low, NULL, "ci_low"), FIELD(variance_level, high, NULL, "ci_high"),
    FIELD_JSON(variance_level, effect),         FIELD_LAST,
};

static void variance_csv(const void *what, struct text *out)
{
    const struct variance_analysis *v = what;
    csv_add_lines(out, NULL, row_fields, v->rows, v->row_count, sizeof *v->rows);
}

static void variance_json(const void *what, struct text *out)
{
    const struct variance_analysis *v = what;
    struct json j = json_report(out, "predict_variance");
    json_string(&j, "response", v->response);
    json_string(&j, "scale", v->scale);
    json_number(&j, "observations", v->observations);
    json_unsigned(&j, "configurations", v->configurations);
    json_number(&j, "confidence", v->confidence);
    json_notes(&j, v->notes);
    json_records(&j, "terms", row_fields, v->rows, v->row_count, sizeof *v->rows);
    json_records(&j, "levels", level_fields, v->levels, v->level_count, sizeof *v->levels);
    json_end_object(&j);
}

/* ---- text ---- */

enum { TERM_WIDTH = 26, LEVELS_SHOWN = 24 };

static const char *p_words(char *to, size_t size, double p)
{
    if (isnan(p))
        snprintf(to, size, "-");
    else
        snprintf(to, size, p < 1e-99 ? "<1e-99" : p < 0.001 ? "%.1e" : "%.3f", p);
    return to;
}

/* Prints which term explains most by itself, and whether chance could explain as much. */
static void print_verdict(const struct variance_analysis *v, struct document *out)
{
    const struct variance_row *best = NULL;
    char share[NUMBER_BUFFER], p[16];
    for (size_t i = 0; i < v->row_count; i++)
        if (!strcmp(v->rows[i].type, "II") && (!best || v->rows[i].omega2 > best->omega2))
            best = &v->rows[i];
    struct text words = {0};
    text_addf(&words, "%.8g observations of %s%s in %zu configurations. ", v->observations,
              !strcmp(v->scale, "log") ? "the logarithm of " : "", v->response, v->configurations);
    if (best && !isnan(best->omega2))
        text_addf(&words, "%s explains most: %s of the variance (p %s).", best->term,
                  number_percent(share, sizeof share, fmax(best->omega2, 0)),
                  p_words(p, sizeof p, best->p));
    else
        text_add(&words, "No degrees of freedom are left to judge by: leave interactions out "
                         "(--main-effects), or measure more.");
    document_paragraph_from(out, "VARIANCE: ", TONE_GREEN, &words);
}

static void add_row(struct document *out, const struct variance_row *r)
{
    char term[160], number[NUMBER_BUFFER];
    document_add(out, "  ");
    document_left(out, r->type, 4);
    document_left(out, layout_shorten(term, sizeof term, r->term, TERM_WIDTH - 2), TERM_WIDTH);
    snprintf(number, sizeof number, "%.0f", r->df);
    document_right(out, number, 6);
    snprintf(number, sizeof number, "%.4g", r->ss);
    document_right(out, number, 12);
    snprintf(number, sizeof number, isnan(r->f) ? "" : "%.4g", r->f);
    document_right(out, number, 10);
    document_right(out, isnan(r->p) ? "" : p_words(number, sizeof number, r->p), 9);
    document_right(
        out, isnan(r->omega2) ? "" : number_percent(number, sizeof number, fmax(r->omega2, 0)), 9);
    document_end_row(out);
}

static void print_levels(const struct variance_analysis *v, struct document *out)
{
    const char *factor = "";
    size_t shown = 0;
    char mean[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], effect[NUMBER_BUFFER],
        words[160];
    for (size_t i = 0; i < v->level_count; i++) {
        const struct variance_level *l = &v->levels[i];
        struct number_scale scale = number_scale_plain(l->mean, l->low, l->high);
        if (strcmp(factor, l->factor) != 0) {
            char title[120];
            snprintf(title, sizeof title, "Means by %.60s", l->factor);
            document_heading(out, title);
            factor = l->factor;
            shown = 0;
        }
        if (++shown > LEVELS_SHOWN)
            continue;
        document_add(out, "  ");
        document_left(out, layout_shorten(words, sizeof words, l->level, 18), 20);
        document_right(out, number_scaled(mean, sizeof mean, &scale, l->mean), 13);
        number_scaled(low, sizeof low, &scale, l->low);
        number_scaled(high, sizeof high, &scale, l->high);
        snprintf(words, sizeof words, "%s to %s", low, high);
        document_right(out, words, 29);
        scale = number_scale_plain(l->effect, NAN, NAN);
        document_right(out, number_scaled(effect, sizeof effect, &scale, l->effect), 13);
        document_end_row(out);
    }
}

static void variance_document(const void *what, struct document *out)
{
    const struct variance_analysis *v = what;
    predict_title(out, v->response);
    static const struct layout_column titles[] = {
        {"", -2}, {"type", -5}, {"term", -(TERM_WIDTH - 1)}, {"df", 6}, {"SS", 12}, {"F", 10},
        {"p", 9}, {"omega2", 9}};
    print_verdict(v, out);
    print_notes(v->notes, out);
    document_end_row(out);
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < v->row_count; i++)
        if (strcmp(v->rows[i].type, "I") != 0)
            add_row(out, &v->rows[i]);
    document_line(out, "  Sums of squares of type I are in CSV and JSON.");
    print_levels(v, out);
}

const struct report_kind variance_report = {variance_document, variance_csv, variance_json, NULL};
