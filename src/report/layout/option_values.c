/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/layout/option_values.h"

#include <math.h>

#include "base/number_parse.h"
#include "report/layout/fields.h"

enum { LIST_MAX = 1024 };

/* Adds a list of numbers as an array on one line. */
static void add_list(struct json *j, const char *key, const char *list)
{
    uint64_t numbers[LIST_MAX];
    size_t sizes[LIST_MAX];
    size_t count = number_scan_whole(&list, numbers, LIST_MAX);
    for (size_t i = 0; i < count; i++)
        sizes[i] = (size_t)numbers[i];
    json_sizes(j, key, sizes, count);
}

void json_options(struct json *j, const struct option_values *options)
{
    json_begin_object(j, "options");
    for (size_t i = 0; i < options->count; i++) {
        const struct option_value *v = &options->rows[i];
        switch (v->kind) {
        case OPTION_VALUE_NONE:
            json_number(j, v->name, NAN);
            break;
        case OPTION_VALUE_TEXT:
            json_string(j, v->name, options->text + v->is.text);
            break;
        case OPTION_VALUE_NUMBER:
            json_number(j, v->name, v->is.number);
            break;
        case OPTION_VALUE_COUNT:
            json_unsigned(j, v->name, v->is.count);
            break;
        case OPTION_VALUE_FLAG:
            json_bool(j, v->name, v->is.flag);
            break;
        case OPTION_VALUE_LIST:
            add_list(j, v->name, options->text + v->is.text);
            break;
        }
    }
    json_end_object(j);
}

static const char *setting_status(const void *fact)
{
    return fact_status_name(((const struct fact *)fact)->status);
}

static const struct field setting_fields[] = {
    FIELD_JSON(fact, node),
    FIELD_JSON(fact, key),
    FIELD_JSON(fact, value),
    FIELD_JSON(fact, unit),
    FIELD_JSON(fact, source),
    FIELD_WORDS(setting_status, NULL, "status"),
    FIELD_LAST,
};

void json_settings(struct json *j, const struct facts *settings)
{
    json_records(j, "settings", setting_fields, settings->rows, settings->count,
                 sizeof *settings->rows);
}
