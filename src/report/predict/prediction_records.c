/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions and validations as CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/fields.h"
#include "report/predict/internal.h"

static const struct field point_fields[] = {
    FIELD(prediction_point, value, "predicted", "predicted"),
    FIELD(prediction_point, low, "ci_low", "ci_low"),
    FIELD(prediction_point, high, "ci_high", "ci_high"),
    FIELD_BOTH(prediction_point, method),
    FIELD_BOTH(prediction_point, extrapolated),
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
    return (const struct place_table){p->columns, p->cells, p->column_count,  point_fields,
                                      p->points,  p->count, sizeof *p->points};
}

void prediction_csv(const void *what, struct text *out)
{
    const struct place_table table = table_of(what);
    csv_add_places(out, &table);
}

void prediction_json(const void *what, struct text *out)
{
    const struct prediction *p = what;
    struct json j = json_report(out, "predict");
    json_string(&j, "response", p->response);
    json_string(&j, "method", p->method);
    json_string(&j, "scale", p->scale);
    json_number(&j, "confidence", p->confidence);
    json_unsigned(&j, "measured", p->measured);
    json_unsigned(&j, "maps", p->map_count);
    json_number(&j, "noise_percent", p->noise_percent);
    json_notes(&j, p->notes);
    json_records(&j, "candidates", score_fields, p->scores, p->score_count, sizeof *p->scores);
    const struct place_table table = table_of(p);
    json_places(&j, "predictions", &table);
    json_end_object(&j);
}

void validation_csv(const void *what, struct text *out)
{
    const struct map_validation *v = what;
    csv_add_lines(out, NULL, score_fields, v->scores, v->score_count, sizeof *v->scores);
}

void validation_json(const void *what, struct text *out)
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
