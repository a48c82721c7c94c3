/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the plan's fields to typed values for a result, and makes the key by which the rows of
   many results are sorted. */
#include "run/plan/plan_values.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *unit_of(enum option_kind kind)
{
    switch (kind) {
    case OPTION_SIZE:
        return "_bytes";
    case OPTION_TIME:
        return "_seconds";
    case OPTION_SHARE:
    case OPTION_WIDTH:
        return "_share";
    case OPTION_FREQUENCY:
        return "_hertz";
    default:
        return "";
    }
}

static void set_processors(struct option_values *of, struct option_value *value,
                           const uint64_t mask[])
{
    char list[PLAN_CPUS_MAX * 5] = "";
    size_t used = 0;
    for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX; cpu++)
        if (plan_mask_has(mask, cpu))
            used += (size_t)snprintf(list + used, sizeof list - used, "%u ", cpu);
    if (used)
        option_value_set_text(of, value, list, OPTION_VALUE_LIST);
}

static void set_count(struct option_value *value, uint64_t count)
{
    value->kind = OPTION_VALUE_COUNT;
    value->is.count = count;
}

/* Zero in a field without a default means that the option was not given. */
static void set_value(struct option_values *of, struct option_value *value,
                      const struct option_row *field, const struct plan *p)
{
    const char *at = (const char *)p + field->offset;
    double number;
    uint64_t count = 0;
    uint32_t small;
    bool zero_is_none = !field->value && (field->value_words || field->kind == OPTION_TEXT ||
                                          field->kind == OPTION_TIME);
    switch (field->kind) {
    case OPTION_TEXT:
        if (*at || !zero_is_none)
            option_value_set_text(of, value, at, OPTION_VALUE_TEXT);
        break;
    case OPTION_UNSIGNED:
    case OPTION_SIZE:
        memcpy(&small, at, sizeof small);
        if (field->width == sizeof count)
            memcpy(&count, at, sizeof count);
        else
            count = small;
        if (count || !zero_is_none)
            set_count(value, count);
        break;
    case OPTION_TIME:
    case OPTION_SHARE:
    case OPTION_WIDTH:
    case OPTION_RATE:
    case OPTION_FREQUENCY:
        memcpy(&number, at, sizeof number);
        if (!(number > 0 || number < 0) && zero_is_none)
            break;
        value->kind = OPTION_VALUE_NUMBER;
        value->is.number = number;
        break;
    case OPTION_FLAG:
    case OPTION_SWITCH:
        value->kind = OPTION_VALUE_FLAG;
        memcpy(&value->is.flag, at, sizeof value->is.flag);
        break;
    case OPTION_CHOICE:
        for (const struct option_choice *c = field->choices; c->name; c++)
            if (c->value == option_choice_get(field, p))
                option_value_set_text(of, value, c->name, OPTION_VALUE_TEXT);
        break;
    case OPTION_PROCESSORS:
        set_processors(of, value, (const uint64_t *)(const void *)at);
        break;
    case OPTION_LIST:
    case OPTION_LABELS:
        break;
    }
}

/* Returns true for fields that do not belong among a result's options: those that are not options,
   and those that are elsewhere in the result. */
static bool is_left_out(const struct option_row *field)
{
    static const char *const keys[] = {"target",         "labels",  "left_out",   "filament",
                                       "pattern",        "history", "cpus_given", "width_given",
                                       "sla_confidence", "kinds"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(field->key, keys[i]))
            return true;
    return !field->name && !strncmp(field->key, "repeat.", 7);
}

/*
 * Returns true if the field applies to the plan: fields about blocks apply if requests move bytes,
 * --files if requests move none.
 */
static bool is_of(const struct plan *p, const struct option_row *field)
{
    if (field->offset == offsetof(struct plan, block_size))
        return !plan_action(p);
    return field->offset != offsetof(struct plan, entries) || plan_action(p);
}

/* Returns "randread", the name of a mode or of a backend whose requests move no bytes, "replay" or
   "profile". */
static const char *pattern_of(const struct plan *p)
{
    return plan_is_replay(p) ? "replay"
           : p->profile[0]   ? "profile"
           : p->mode[0]      ? p->mode
           : plan_action(p)  ? p->engine
                             : plan_pattern_name(p);
}

void plan_value_add(struct option_values *to, const struct option_row *field, const struct plan *p)
{
    const char *name = field->name ? field->name : field->key;
    set_value(to, option_values_add(to, name, unit_of(field->kind)), field, p);
}

void plan_values_add(struct option_values *to, const struct plan *p)
{
    option_value_set_text(to, option_values_add(to, "rw", ""), pattern_of(p), OPTION_VALUE_TEXT);
    for (const struct option_row *field = plan_fields(); field->key; field++)
        if (!is_left_out(field) && is_of(p, field))
            plan_value_add(to, field, p);
}

struct result_key plan_key(const struct plan *p)
{
    bool one_size =
        !p->sizes[0] && !p->profile[0] && !plan_is_replay(p) && !p->filament && !plan_action(p);
    struct result_key key = {
        .block_size = one_size ? p->block_size : 0, .iodepth = p->iodepth, .jobs = p->jobs};
    snprintf(key.rw, sizeof key.rw, "%s", pattern_of(p));
    return key;
}
