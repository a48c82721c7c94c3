/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints comparisons as CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/compare/comparison.h"
#include "report/layout/fields.h"
#include "report/layout/labels_shown.h"
#include "report/run/formats.h"

/* The values of a pair in a line of CSV or a JSON object, without the alternatives' names. */
struct pair_record {
    char pair[760];
    const char *metric;
    struct comparison_pair numbers;
};

static struct pair_record record_of(const struct comparison *c, const struct comparison_quantity *q,
                                    const struct comparison_pair *p)
{
    struct pair_record r = {.metric = q->metric, .numbers = *p};
    snprintf(r.pair, sizeof r.pair, "%.240s vs %.240s%s%s",
             c->names[q->sides[p->first].alternative], c->names[q->sides[p->second].alternative],
             q->group[0] ? ": " : "", q->group);
    r.numbers.high = isinf(p->high) ? (double)NAN : p->high;
    r.numbers.more = isinf(p->more) ? (double)NAN : p->more;
    return r;
}

static const char *pair_verdict(const void *record)
{
    return comparison_verdict_name(((const struct pair_record *)record)->numbers.verdict);
}

static const char *pair_repetition(const void *record)
{
    return comparison_repetition_name(((const struct pair_record *)record)->numbers.repetition);
}

static const struct field pair_fields[] = {
    FIELD_BOTH(pair_record, pair),
    FIELD_BOTH(pair_record, metric),
    FIELD(pair_record, numbers.ratio, "ratio", "ratio"),
    FIELD(pair_record, numbers.low, "ci_low", "ci_low"),
    FIELD(pair_record, numbers.high, "ci_high", "ci_high"),
    FIELD(pair_record, numbers.p_value, "p_value", "p_value"),
    FIELD_WORDS(pair_verdict, "verdict", "verdict"),
    FIELD(pair_record, numbers.confidence, NULL, "confidence"),
    FIELD(pair_record, numbers.p_any, NULL, "p_value_any_look"),
    FIELD(pair_record, numbers.degrees, NULL, "degrees"),
    FIELD(pair_record, numbers.more, NULL, "more_readings"),
    FIELD(pair_record, numbers.wanders, NULL, "wanders"),
    FIELD_WORDS(pair_repetition, "repetition", "repetition"),
    FIELD(pair_record, numbers.repetition_low, "repetition_low", "repetition_low"),
    FIELD(pair_record, numbers.repetition_high, "repetition_high", "repetition_high"),
    FIELD_LAST,
};

static const struct field side_fields[] = {
    FIELD_JSON(comparison_side, mean),
    FIELD(comparison_side, low, NULL, "ci_low"),
    FIELD(comparison_side, high, NULL, "ci_high"),
    FIELD_JSON(comparison_side, n),
    FIELD(comparison_side, spread, NULL, "sd"),
    FIELD_JSON(comparison_side, min),
    FIELD_JSON(comparison_side, quartile1),
    FIELD_JSON(comparison_side, median),
    FIELD_JSON(comparison_side, quartile3),
    FIELD_JSON(comparison_side, max),
    FIELD_LAST,
};

static void comparison_csv(const void *what, struct text *out)
{
    const struct comparison *c = what;
    csv_add_names(out, pair_fields);
    text_add(out, "\n");
    for (size_t i = 0; i < c->quantity_count; i++)
        for (size_t k = 0; k < c->quantities[i].pair_count; k++) {
            struct pair_record r = record_of(c, &c->quantities[i], &c->quantities[i].pairs[k]);
            csv_add_fields(out, pair_fields, &r);
            text_add(out, "\n");
        }
}

static void json_quantity(struct json *j, const struct comparison *c,
                          const struct comparison_quantity *q)
{
    json_begin_object(j, NULL);
    json_string(j, "group", q->group);
    json_string(j, "metric", q->metric);
    json_string(j, "unit", q->has_unit ? "" : q->unit);
    json_bool(j, "higher_is_better", q->higher_is_better);
    json_begin_array(j, "ranking");
    for (size_t i = 0; i < q->side_count; i++) {
        const struct comparison_side *side = &q->sides[q->ranking[i]];
        json_begin_object(j, NULL);
        json_string(j, "alternative", c->names[side->alternative]);
        json_fields(j, side_fields, side);
        json_end_object(j);
    }
    json_end_array(j);
    json_begin_array(j, "pairs");
    for (size_t k = 0; k < q->pair_count; k++) {
        struct pair_record r = record_of(c, q, &q->pairs[k]);
        json_begin_object(j, NULL);
        json_fields(j, pair_fields, &r);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void comparison_json(const void *what, struct text *out)
{
    const struct comparison *c = what;
    struct json j = json_report(out, "compare");
    json_labels(&j, &c->labels);
    json_number(&j, "confidence", c->confidence);
    json_number(&j, "margin", c->margin);
    json_bool(&j, "once", c->once);
    json_bool(&j, "paired", c->paired);
    json_bool(&j, "independent", c->independent);
    json_string(&j, "order", comparison_order_name(c->order));
    json_unsigned(&j, "seed", c->seed);
    json_unsigned(&j, "blocks", c->blocks);
    json_unsigned(&j, "failed_blocks", c->failed_blocks);
    json_string(&j, "failure", c->failure);
    json_bool(&j, "busy_machine", c->busy[0] != '\0');
    json_others(&j, &c->others, c->busy);
    json_begin_array(&j, "quantities");
    for (size_t i = 0; i < c->quantity_count; i++)
        json_quantity(&j, c, &c->quantities[i]);
    json_end_array(&j);
    if (c->expected) {
        json_begin_object(&j, "expectation");
        json_string(&j, "text", c->expectation.text);
        json_string(&j, "verdict", clause_verdict_name(c->expectation.verdict));
        json_string(&j, "found", c->expectation.words);
        json_end_object(&j);
    }
    json_records(&j, "notes", note_fields, c->notes, c->note_count, sizeof *c->notes);
    json_end_object(&j);
}

const struct report_kind comparison_report = {comparison_document, comparison_csv, comparison_json,
                                              NULL};
