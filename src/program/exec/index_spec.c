/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses an index: --pi name,unit,column,type,better,ci; and checks its readings. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "program/exec/internal.h"

enum field { FIELD_NAME, FIELD_UNIT, FIELD_COLUMN, FIELD_TYPE, FIELD_BETTER, FIELD_CI, FIELDS };

static const char *const form = "--pi NAME,UNIT,COLUMN,TYPE,BETTER,CI";

/* Splits the fields, without blanks around them. ERR_USAGE: there are too many. */
static int cut_fields(const char *text, struct span fields[FIELDS], struct err *e)
{
    size_t count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (count == FIELDS)
            return err_set(e, ERR_USAGE, "--pi %.80s: more than six fields (%s)", text, form);
        fields[count++] = span_trimmed((struct span){at, length});
        at += length;
        if (!*at)
            return 0;
    }
}

/* Copies a field. ERR_USAGE: it is too long. */
static int copy_field(struct span field, char *to, size_t size, const char *text, struct err *e)
{
    if (field.length >= size)
        return err_set(e, ERR_USAGE, "--pi %.80s: a field of at most %zu characters is possible",
                       text, size - 1);
    span_copy(to, field);
    return 0;
}

static int parse_type(struct span word, struct exec_index *index, const char *text, struct err *e)
{
    if (!word.length)
        return 0;
    for (int type = INDEX_ORDINARY; type <= INDEX_DURATION; type++)
        if (span_is(word, index_type_name((enum index_type)type))) {
            index->type = (enum index_type)type;
            index->better =
                index->type == INDEX_DURATION ? METRIC_BETTER_LOWER : METRIC_BETTER_HIGHER;
            return 0;
        }
    return err_set(e, ERR_USAGE,
                   "--pi %.80s: \"%.*s\" is no type: ordinary, ratio, proportion, duration", text,
                   word.length < 40 ? (int)word.length : 40, word.text);
}

static int parse_better(struct span word, struct exec_index *index, const char *text, struct err *e)
{
    if (span_is(word, "higher"))
        index->better = METRIC_BETTER_HIGHER;
    else if (span_is(word, "lower"))
        index->better = METRIC_BETTER_LOWER;
    else if (word.length)
        return err_set(e, ERR_USAGE, "--pi %.80s: higher or lower is better, not \"%.*s\"", text,
                       word.length < 40 ? (int)word.length : 40, word.text);
    return 0;
}

/* Returns true for a valid name. Names become metrics of a CSV, in which blanks within them need no
   quotes. */
static bool is_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.- ", *c))
            return false;
    return *name != '\0';
}

int exec_index_parse(const char *text, struct exec_index *index, struct err *e)
{
    struct span fields[FIELDS] = {0};
    char ci[24] = "";
    *index = (struct exec_index){.op = "all", .scale = 1, .better = METRIC_BETTER_HIGHER};
    if (cut_fields(text, fields, e) ||
        copy_field(fields[FIELD_NAME], index->name, sizeof index->name, text, e) ||
        copy_field(fields[FIELD_UNIT], index->unit, sizeof index->unit, text, e) ||
        copy_field(fields[FIELD_COLUMN], index->source, sizeof index->source, text, e) ||
        copy_field(fields[FIELD_CI], ci, sizeof ci, text, e) ||
        parse_type(fields[FIELD_TYPE], index, text, e) ||
        parse_better(fields[FIELD_BETTER], index, text, e))
        return -1;
    if (!is_name(index->name))
        return err_set(e, ERR_USAGE,
                       "--pi %.80s: a name has letters, digits, blanks, '_', '.', '-' (%s)", text,
                       form);
    if (!index->source[0])
        snprintf(index->source, sizeof index->source, "0");
    if (!strcmp(ci, "none")) {
        index->target_width = EXEC_INDEX_REPORTED;
        return 0;
    }
    if (ci[0] && parse_width(ci, &index->target_width, e))
        return err_context(e, "--pi %.80s", text);
    if (ci[0] && !(index->target_width > 0 && index->target_width <= 1))
        return err_set(e, ERR_USAGE, "--pi %.80s: a ci above 0 and up to 100%% is needed", text);
    return 0;
}

bool index_can_have(const struct exec_index *index, double value, char *why, size_t size)
{
    const char *name = index->name;
    if (index->above_zero && !(value > 0))
        snprintf(why, size, "%s of %s is %g: it did nothing of the kind", name, index->op, value);
    else if (index->type == INDEX_RATIO && !(value > 0))
        snprintf(why, size, "%s is %g: a ratio has to be above 0", name, value);
    else if (index->type == INDEX_PROPORTION && !(value >= 0 && value <= 1))
        snprintf(why, size, "%s is %g: a proportion goes from 0 to 1", name, value);
    else if (index->type == INDEX_DURATION && !(value >= 0))
        snprintf(why, size, "%s is %g: a duration is not below 0", name, value);
    else
        return true;
    return false;
}

double index_mean_domain(enum index_type type, double value)
{
    return type == INDEX_RATIO ? 1 / value : value;
}

double index_mean_of(enum index_type type, const double values[], size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += index_mean_domain(type, values[i]);
    return index_mean_domain(type, sum / (double)n);
}
