/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat maps, scatter plots, rankings and drift as CSV and JSON. */
#include <math.h>

#include "report/layout/fields.h"
#include "report/predict/internal.h"

/* ---- heat maps ---- */

void heat_map_csv(const void *what, struct text *out)
{
    const struct heat_map *h = what;
    text_add_csv(out, h->x);
    text_add(out, ",");
    text_add_csv(out, h->y);
    text_addf(out, ",%s\n", h->is_change ? "change" : "value");
    for (size_t y = 0; y < h->height; y++)
        for (size_t x = 0; x < h->width; x++) {
            if (isnan(h->value[y * h->width + x]))
                continue;
            text_add_csv(out, h->x_levels[x]);
            text_add(out, ",");
            text_add_csv(out, h->y_levels[y]);
            csv_add_field(out, h->value[y * h->width + x]);
            text_add(out, "\n");
        }
}

static void json_strings(struct json *j, const char *key, const char *const words[], size_t count)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < count; i++)
        json_string(j, NULL, words[i]);
    json_end_array(j);
}

void heat_map_json(const void *what, struct text *out)
{
    const struct heat_map *h = what;
    struct json j = json_report(out, "predict_heat_map");
    json_string(&j, "response", h->response);
    json_string(&j, "x", h->x);
    json_string(&j, "y", h->y);
    json_string(&j, "where", h->where);
    json_bool(&j, "change", h->is_change);
    json_strings(&j, "x_levels", h->x_levels, h->width);
    json_strings(&j, "y_levels", h->y_levels, h->height);
    json_begin_array(&j, "rows");
    for (size_t y = 0; y < h->height; y++)
        json_numbers(&j, NULL, h->value + y * h->width, h->width);
    json_end_array(&j);
    json_notes(&j, h->notes);
    json_end_object(&j);
}

/* ---- predicted against measured ---- */

void scatter_csv(const void *what, struct text *out)
{
    const struct map_scatter *s = what;
    text_add(out, "measured,predicted\n");
    for (size_t i = 0; i < s->count; i++) {
        csv_add_number(out, s->measured[i]);
        csv_add_field(out, s->predicted[i]);
        text_add(out, "\n");
    }
}

void scatter_json(const void *what, struct text *out)
{
    const struct map_scatter *s = what;
    struct json j = json_report(out, "predict_scatter");
    json_string(&j, "response", s->response);
    json_string(&j, "method", s->method);
    json_string(&j, "scale", s->scale);
    json_number(&j, "are_percent", s->are_percent);
    json_numbers(&j, "measured", s->measured, s->count);
    json_numbers(&j, "predicted", s->predicted, s->count);
    json_notes(&j, s->notes);
    json_end_object(&j);
}

/* ---- rankings and drift ---- */

static const struct field rank_fields[] = {
    FIELD_BOTH(map_rank, level),
    FIELD_BOTH(map_rank, value),
    FIELD(map_rank, low, "ci_low", "ci_low"),
    FIELD(map_rank, high, "ci_high", "ci_high"),
    FIELD(map_rank, count, "configurations", "configurations"),
    FIELD_LAST,
};

static const struct field campaign_fields[] = {
    FIELD(campaign, name, "campaign", "campaign"),
    FIELD_BOTH(campaign, ratio),
    FIELD(campaign, low, "ci_low", "ci_low"),
    FIELD(campaign, high, "ci_high", "ci_high"),
    FIELD(campaign, common, "configurations", "configurations"),
    FIELD_LAST,
};

void ranking_csv(const void *what, struct text *out)
{
    const struct map_ranking *r = what;
    csv_add_lines(out, NULL, rank_fields, r->ranks, r->count, sizeof *r->ranks);
}

void ranking_json(const void *what, struct text *out)
{
    const struct map_ranking *r = what;
    struct json j = json_report(out, "predict_ranking");
    json_string(&j, "response", r->response);
    json_string(&j, "factor", r->factor);
    json_number(&j, "confidence", r->confidence);
    json_bool(&j, "geometric", r->logarithmic);
    json_bool(&j, "blocked", r->blocked);
    json_records(&j, "levels", rank_fields, r->ranks, r->count, sizeof *r->ranks);
    json_notes(&j, r->notes);
    json_end_object(&j);
}

void drift_csv(const void *what, struct text *out)
{
    const struct map_drift *d = what;
    csv_add_lines(out, NULL, campaign_fields, d->campaigns, d->count, sizeof *d->campaigns);
}

void drift_json(const void *what, struct text *out)
{
    const struct map_drift *d = what;
    struct json j = json_report(out, "predict_drift");
    json_string(&j, "response", d->response);
    json_string(&j, "column", d->column);
    json_string(&j, "first", d->first);
    json_number(&j, "confidence", d->confidence);
    json_records(&j, "campaigns", campaign_fields, d->campaigns, d->count, sizeof *d->campaigns);
    json_notes(&j, d->notes);
    json_end_object(&j);
}
