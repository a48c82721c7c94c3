/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defaults and limits of single values, from the rows of plan_fields. */
#include <stdio.h>
#include <string.h>

#include "run/plan/internal.h"

void plan_init(struct plan *p)
{
    struct err unused; /* tests/unit/test_options.c stores every default */
    *p = (struct plan){0};
    for (const struct option_row *field = plan_fields; field->key; field++)
        if (field->value)
            option_store_value(field, field->value, p, &unused);
    plan_apply_preset(p, "normal", NULL);
}

const struct option_row *plan_field(const char *option)
{
    for (const struct option_row *field = plan_fields; field->key; field++)
        if (field->name && !strcmp(field->name, option))
            return field;
    return NULL;
}

/* Returns the number in a field of a kind that has limits. */
static double field_number(const struct plan *p, const struct option_row *field)
{
    const void *at = (const char *)p + field->offset;
    if (field->kind != OPTION_UNSIGNED && field->kind != OPTION_SIZE)
        return *(const double *)at;
    return field->width == sizeof(uint32_t) ? *(const uint32_t *)at : (double)*(const uint64_t *)at;
}

static int refuse_value(const struct plan *p, const struct option_row *field, struct err *e)
{
    enum { DIGITS = 6, DIGITS_OF_WHOLE = 20 };
    const char *limits = field->limits;
    if (limits && !strncmp(limits, "--", 2))
        return err_set(e, ERR_USAGE, "%s", limits);
    bool is_whole = field->kind == OPTION_UNSIGNED || field->kind == OPTION_SIZE;
    char possible[80];
    if (!limits)
        snprintf(possible, sizeof possible, "%g to %g are possible", field->min, field->max);
    return err_set(e, ERR_USAGE, "--%s %.*g: %s", field->name, is_whole ? DIGITS_OF_WHOLE : DIGITS,
                   field_number(p, field), limits ? limits : possible);
}

/* Checks single values. This matters for plans from records, which no option parser has checked. */
static int check_values(const struct plan *p, struct err *e)
{
    for (const struct option_row *field = plan_fields; field->key; field++) {
        bool is_wider = field->kept_min < field->kept_max;
        double min = is_wider ? field->kept_min : field->min;
        double max = is_wider ? field->kept_max : field->max;
        if (min < max && !(field_number(p, field) >= min && field_number(p, field) <= max))
            return refuse_value(p, field, e);
    }
    const struct plan_repeat *repeat = &p->repeat;
    if (repeat->sessions == 1 ||
        (repeat->sessions ? repeat->index >= repeat->sessions : repeat->index > 0))
        return refuse_value(p, plan_field("repeat"), e);
    return 0;
}

int plan_check(const struct plan *p, struct err *e)
{
    return check_values(p, e) || plan_check_together(p, e) ? -1 : 0;
}
